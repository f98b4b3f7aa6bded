package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// checkClaims compares the claims with the documents: a finding for each that is missing, and each that its holder does not
// have. With repair it writes and deletes them. It may run while documents are written.
func (s *Store) checkClaims(ctx context.Context, repair bool) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		check := newClaimCheck(s, s.Model())
		if repair {
			lease, err := s.lease(ctx)
			if err != nil {
				yield(Finding{}, err)
				return
			}
			if check.lease = lease; lease != nil {
				check.model = lease.model
			}
		}
		for _, page := range s.claimPages(ctx, check) {
			for ids, err := range page.ids {
				var findings []Finding
				if err == nil {
					findings, err = page.check(ctx, ids, repair)
				}
				if err != nil {
					yield(Finding{}, err)
					return
				}
				for _, f := range findings {
					if !yield(f, nil) {
						return
					}
				}
			}
		}
	}
}

// confirmedClaims returns what is wrong with claims in two checks, one after the other.
func (s *Store) confirmedClaims(ctx context.Context, rest func(context.Context) error) (found []Finding, err error) {
	for _, page := range s.claimPages(ctx, newClaimCheck(s, s.Model())) {
		for ids, err := range page.ids {
			if err != nil {
				return nil, err
			}
			suspects, err := page.check(ctx, ids, false)
			if err != nil {
				return nil, err
			}
			if err := rest(ctx); err != nil {
				return nil, err
			}
			if len(suspects) == 0 {
				continue
			}
			confirmed, err := page.check(ctx, ids, false)
			if err != nil {
				return nil, err
			}
			for _, f := range confirmed {
				if slices.ContainsFunc(suspects, func(suspect Finding) bool { return suspect.Problem == f.Problem && suspect.ID == f.ID }) {
					found = append(found, f)
				}
			}
		}
	}
	return found, nil
}

// claimPages are the documents of a kind, page by page, and what checks them.
type claimPages struct {
	ids   iter.Seq2[[]dovetail.ID, error]
	check func(ctx context.Context, ids []dovetail.ID, repair bool) ([]Finding, error)
}

// claimPages returns the documents that hold claims of the model of a check, and the claims.
func (s *Store) claimPages(ctx context.Context, check *claimCheck) []claimPages {
	var all []claimPages
	for _, kind := range check.model.Kinds() {
		if constrained(kind) {
			all = append(all, claimPages{s.pagesOf(ctx, kind.Name), check.documents})
		}
	}
	return append(all, claimPages{s.pagesOf(ctx, claimKind), check.claims})
}

// pagesOf yields the ids of the documents of a kind. Those that cannot be opened are left out.
func (s *Store) pagesOf(ctx context.Context, kind string) iter.Seq2[[]dovetail.ID, error] {
	return func(yield func([]dovetail.ID, error) bool) {
		for q := (Query{Kind: kind, Limit: inspected}); ; {
			var ids []dovetail.ID
			seen := 0
			for doc, err := range s.backend.List(ctx, q) {
				if doc == nil {
					yield(nil, err)
					return
				}
				seen++
				if q.After = doc.ID; err == nil {
					ids = append(ids, doc.ID)
				}
			}
			if seen == 0 || !yield(ids, nil) {
				return
			}
		}
	}
}

// claimCheck holds documents and claims against each other.
type claimCheck struct {
	store *Store
	model *schema.Model
	only  func(constraint string) bool // nil for all
	lease *writeLease                  // under which repairs are committed; nil if there is none
	fence *Condition                   // of repairs; nil if there is none

	// What documents become when the model is put in force, of those whose references it changes: an exclusive rule that
	// leaves a choice claims what it chooses.
	reindexed map[dovetail.ID]*dovetail.Document
}

func newClaimCheck(s *Store, model *schema.Model) *claimCheck {
	return &claimCheck{store: s, model: model}
}

// documents finds the claims of documents that are missing.
func (c *claimCheck) documents(ctx context.Context, ids []dovetail.ID, repair bool) (findings []Finding, err error) {
	err = Transact(ctx, func() error {
		var txn Txn
		if findings, txn, err = c.missing(ctx, ids); err != nil || !repair || len(txn.Puts) == 0 {
			return err
		}
		return c.commit(ctx, txn, findings, ProblemClaimMissing)
	})
	return findings, err
}

// commit repairs what was found, unless it was changed meanwhile.
func (c *claimCheck) commit(ctx context.Context, txn Txn, findings []Finding, repairs string) error {
	if c.fence != nil {
		txn.Require = append(txn.Require, *c.fence)
	}
	if err := c.store.commitUnder(ctx, c.lease, txn); err != nil {
		failed := failedConditions(err)
		if failed != nil {
			err = Retry(err)
		}
		return cmp.Or(fenced(failed, c.fence), err)
	}
	for i := range findings {
		findings[i].Repaired = findings[i].Problem == repairs
	}
	return nil
}

// wanted is a claim that a document should hold.
type wanted struct {
	claim
	of *dovetail.Document
}

// missing returns what is wrong with the claims of documents, and what repairs it.
func (c *claimCheck) missing(ctx context.Context, ids []dovetail.ID) (findings []Finding, txn Txn, err error) {
	documents, err := c.store.fetch(ctx, ids)
	if err != nil {
		return nil, txn, err
	}
	defer letGo(ctx, documents)
	all, err := c.wantedOf(ctx, documents)
	if err != nil || len(all) == 0 {
		return nil, txn, err
	}
	claims, err := c.stored(ctx, all)
	if err != nil {
		return nil, txn, err
	}
	holders, err := c.holdings(ctx, claims)
	if err != nil {
		return nil, txn, err
	}
	first := make(map[dovetail.ID]dovetail.ID) // who gets a claim
	for id, doc := range claims {
		if held, ok := claimOf(doc); ok && holders[held.Holder][id] {
			first[id] = held.Holder
		}
	}
	versions := make(map[dovetail.ID]bool)
	for _, w := range all {
		have := claims[w.id]
		if holder, taken := first[w.id]; taken {
			if holder != w.of.ID {
				findings = append(findings, notUniqueFinding(&w, holder))
			}
			continue
		}
		first[w.id] = w.of.ID
		findings = append(findings, Finding{Problem: ProblemClaimMissing, ID: w.of.ID, Other: w.id,
			Message: string(w.of.ID) + ": nothing keeps other documents from having the same " + w.name()})
		if !versions[w.of.ID] {
			versions[w.of.ID] = true
			txn.Require = append(txn.Require, Condition{Test: AtVersion, ID: w.of.ID, Version: w.of.ETag()})
		}
		txn.Require = append(txn.Require, versionOf(w.id, have))
		txn.Puts = append(txn.Puts, c.store.claimDocument(&w.claim, w.of.ID, c.model, c.store.now()))
	}
	return findings, txn, nil
}

// letGo ends the counting of documents that were read.
func letGo(ctx context.Context, documents []*dovetail.Document) {
	for _, doc := range documents {
		if doc != nil {
			_ = HoldMemory(ctx, -SizeOf(doc)) // never refused
		}
	}
}

func notUniqueFinding(w *wanted, other dovetail.ID) Finding {
	return Finding{Problem: ProblemNotUnique, ID: w.of.ID, Other: other,
		Message: string(w.of.ID) + ": " + string(other) + " has the same " + w.name()}
}

// wantedOf returns the claims that documents should hold; those of kinds that the model does not have hold none.
func (c *claimCheck) wantedOf(ctx context.Context, documents []*dovetail.Document) ([]wanted, error) {
	var all []wanted
	for _, doc := range documents {
		if doc == nil {
			continue
		}
		kind := constrainedKind(c.model, doc.ID)
		if kind == nil || kind.Name != doc.Kind {
			continue
		}
		if next := c.reindexed[doc.ID]; next != nil {
			copied := *doc
			copied.References = next.References
			doc = &copied
		}
		claims, err := c.store.claimsOf(ctx, kind, doc, nil)
		switch {
		case err != nil && ctx.Err() == nil && kind.Sensitive.Any():
			continue // without the key they are not known
		case err != nil:
			return nil, err
		}
		for _, one := range claims {
			if c.only == nil || c.only(one.constraint) {
				all = append(all, wanted{one, doc})
			}
		}
	}
	return all, nil
}

// stored reads the claims that are there of those wanted.
func (c *claimCheck) stored(ctx context.Context, all []wanted) (map[dovetail.ID]*dovetail.Document, error) {
	ids := make([]dovetail.ID, len(all))
	for i, w := range all {
		ids[i] = w.id
	}
	return c.read(ctx, ids)
}

// read returns the documents of ids that are there.
func (c *claimCheck) read(ctx context.Context, ids []dovetail.ID) (map[dovetail.ID]*dovetail.Document, error) {
	slices.Sort(ids)
	documents, err := c.store.fetch(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	letGo(ctx, documents)
	there := make(map[dovetail.ID]*dovetail.Document, len(documents))
	for _, doc := range documents {
		if doc != nil {
			there[doc.ID] = doc
		}
	}
	return there, nil
}

// holdings returns, of the documents that claims name, the claims that they should hold.
func (c *claimCheck) holdings(ctx context.Context, claims map[dovetail.ID]*dovetail.Document) (map[dovetail.ID]map[dovetail.ID]bool, error) {
	var ids []dovetail.ID
	for _, doc := range claims {
		if held, ok := claimOf(doc); ok {
			ids = append(ids, held.Holder)
		}
	}
	documents, err := c.read(ctx, ids)
	if err != nil {
		return nil, err
	}
	all, err := c.wantedOf(ctx, slices.Collect(maps.Values(documents)))
	if err != nil {
		return nil, err
	}
	held := make(map[dovetail.ID]map[dovetail.ID]bool, len(documents))
	for _, w := range all {
		if held[w.of.ID] == nil {
			held[w.of.ID] = make(map[dovetail.ID]bool)
		}
		held[w.of.ID][w.id] = true
	}
	return held, nil
}

// claims finds claims that nothing holds.
func (c *claimCheck) claims(ctx context.Context, ids []dovetail.ID, repair bool) (findings []Finding, err error) {
	err = Transact(ctx, func() error {
		findings = nil
		claims, err := c.read(ctx, ids)
		if err != nil {
			return err
		}
		maps.DeleteFunc(claims, func(_ dovetail.ID, doc *dovetail.Document) bool { return !c.readable(ctx, doc) })
		holdings, err := c.holdings(ctx, claims)
		if err != nil {
			return err
		}
		var txn Txn
		for _, id := range slices.Sorted(maps.Keys(claims)) {
			held, _ := claimOf(claims[id])
			if holdings[held.Holder][id] {
				continue
			}
			findings = append(findings, Finding{Problem: ProblemClaimStale, ID: id, Other: held.Holder,
				Message: string(id) + ": a value counts as taken by " + string(held.Holder) + ", which does not have it (" + held.Constraint + ")"})
			txn.Require = append(txn.Require, versionOf(id, claims[id]))
			txn.Deletes = append(txn.Deletes, id)
		}
		if !repair || len(findings) == 0 {
			return nil
		}
		return c.commit(ctx, txn, findings, ProblemClaimStale)
	})
	return findings, err
}

// readable reports whether it can be seen which value a claim is of: that of sensitive data needs the key.
func (c *claimCheck) readable(ctx context.Context, doc *dovetail.Document) bool {
	held, _ := claimOf(doc)
	if !strings.HasSuffix(held.Constraint, keyed) {
		return true
	}
	_, err := c.store.claimKey(ctx)
	return err == nil || ctx.Err() != nil
}
