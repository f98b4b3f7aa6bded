package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// moveClaims has the claims of workers follow documents that get another id, however that is done: a document that the transaction creates with the
// work of one that it deletes is that document. The token stays.
func (p *plan) moveClaims(ctx context.Context) error {
	if p.store.overlay() != nil {
		return nil // it counts once it is merged
	}
	moves := make(map[dovetail.ID]*dovetail.Document) // by the ids of claims
	var claims []dovetail.ID
	for i := range p.steps {
		st := &p.steps[i]
		if st.invalid || st.effect != WasDeleted || st.kind.Lifecycle == nil {
			continue
		}
		work := standingOf(st.current).Work
		if len(work) == 0 || work[0].Worker == "" {
			continue
		}
		if next := p.createdWith(st, work[0]); next != nil {
			id := workID(st.current.UID)
			claims, moves[id] = append(claims, id), next
		}
	}
	held, err := p.store.fetch(ctx, claims)
	if err != nil {
		return err
	}
	for _, claim := range held {
		if claim == nil {
			continue // it is over
		}
		l, err := readWorkLease(claim)
		if err != nil {
			return err
		}
		to := moves[claim.ID]
		l.ID = to.ID
		next := *claim
		next.ID, next.Revision, next.Updated = workID(to.UID), 1, p.now
		if next.Data, err = json.Marshal(l); err != nil {
			return err
		}
		p.txn.Require = append(p.txn.Require, Condition{Test: AtVersion, ID: claim.ID, Version: claim.ETag()}, Condition{Test: Absent, ID: next.ID})
		p.txn.Puts, p.txn.Deletes = append(p.txn.Puts, &next), append(p.txn.Deletes, claim.ID)
	}
	return nil
}

// createdWith returns the document of the same kind that the transaction creates with the work that a step deletes; nil if there is none.
func (p *plan) createdWith(deleted *step, first work) *dovetail.Document {
	is := func(w work) bool {
		return w.Number == first.Number && w.At == first.At && w.By == first.By && w.Worker == first.Worker && w.Attempt == first.Attempt
	}
	i := slices.IndexFunc(p.steps, func(st step) bool {
		if st.invalid || st.effect != WasCreated || st.kind != deleted.kind {
			return false
		}
		work := standingOf(st.document).Work
		return len(work) > 0 && is(work[0])
	})
	if i < 0 {
		return nil
	}
	return p.steps[i].document
}

// workAt returns the id of the document whose work a token stands for: the document may have got another id since the worker claimed it.
func (s *Store) workAt(ctx context.Context, id dovetail.ID, token string) (dovetail.ID, error) {
	stored, err := s.fetch(ctx, []dovetail.ID{id})
	if err != nil {
		return id, err
	}
	if stored[0] != nil {
		if claims, err := s.fetch(ctx, []dovetail.ID{workID(stored[0].UID)}); err != nil || claims[0] != nil && claims[0].UID == token {
			return id, err
		}
	}
	for doc, err := range s.backend.List(ctx, Query{Under: dovetail.ID(strings.TrimSuffix(string(workPrefix), "/"))}) {
		if err != nil {
			return id, err
		}
		if doc.UID != token {
			continue
		}
		l, err := readWorkLease(doc)
		return l.ID, err
	}
	return id, nil
}
