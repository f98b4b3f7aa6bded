package store

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// AuditRecord says who did what, when: one committed transaction, or one that the guard refused. It
// holds versions of documents, not what they say, and so no secret.
type AuditRecord struct {
	// ID orders records by time: "20261121T073137.123Z-k3n5...". Refused transactions have none, since
	// nothing of them is stored.
	ID         string       `json:"id,omitempty"`
	At         time.Time    `json:"at"`
	Principal  string       `json:"principal"` // "" where nobody is asked who they are
	Groups     []string     `json:"groups,omitempty"`
	Operations []AuditEntry `json:"operations"` // those that changed something, at most maxAudited
	Total      int          `json:"total"`      // how many there were
	Refused    string       `json:"refused,omitempty"`
}

// AuditEntry is what happened to one document.
type AuditEntry struct {
	Effect Effect      `json:"effect,omitempty"`
	Verb   Verb        `json:"verb,omitempty"` // of a refused operation
	ID     dovetail.ID `json:"id"`
	Kind   string      `json:"kind,omitempty"`
	Before string      `json:"before,omitempty"` // version, "" of none
	After  string      `json:"after,omitempty"`
}

// Audit is what becomes of records.
type Audit struct {
	// Keep stores the record of a transaction with it, in the same commit.
	Keep bool
	// Tell is called with each record once it is certain, of refusals too; nil for not at all.
	Tell func(ctx context.Context, record AuditRecord)
}

// maxAudited bounds the entries of a record, so that a large batch still fits into a document.
const maxAudited = 1000

// Records are documents of a kind of the store's own. Their ids begin with their time.
const (
	auditKind   = "_audit"
	auditHome   = dovetail.ID(auditKind + "/")
	auditFormat = "20060102T150405.000Z"
)

// record makes the record of a plan that is about to be committed, nil where none is wanted.
func (p *plan) record(ctx context.Context) *AuditRecord {
	if audit := &p.store.config.Audit; !audit.Keep && audit.Tell == nil || !p.writes() {
		return nil
	}
	r := newRecord(ctx, p.now)
	r.ID = p.now.Format(auditFormat) + "-" + p.store.config.NewUID()
	add := func(effect Effect, before, after *dovetail.Document) {
		if r.Total++; len(r.Operations) == maxAudited {
			return
		}
		entry := AuditEntry{Effect: effect}
		if before != nil {
			entry.ID, entry.Kind, entry.Before = before.ID, before.Kind, before.ETag().Version()
		}
		if after != nil {
			entry.ID, entry.Kind, entry.After = after.ID, after.Kind, after.ETag().Version()
		}
		r.Operations = append(r.Operations, entry)
	}
	for i := range p.steps {
		switch st := &p.steps[i]; st.effect {
		case WasUnchanged:
		case WasDeleted:
			add(st.effect, st.current, nil)
		default:
			add(st.effect, st.current, st.document)
		}
	}
	for _, outcome := range p.cascaded {
		add(outcome.Effect, outcome.Document, nil)
	}
	return r
}

func newRecord(ctx context.Context, at time.Time) *AuditRecord {
	r := &AuditRecord{At: at}
	if who := dovetail.PrincipalOf(ctx); who != nil {
		r.Principal, r.Groups = who.Name, who.Groups
	}
	return r
}

// keep adds the record to the transaction, if records are kept.
func (p *plan) keep(r *AuditRecord) error {
	if r == nil || !p.store.config.Audit.Keep {
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return dovetail.AsError(err)
	}
	p.txn.Puts = append(p.txn.Puts, &dovetail.Document{ID: auditHome + dovetail.ID(r.ID), Kind: auditKind, Data: data,
		UID: p.store.config.NewUID(), Revision: 1, Created: p.now, Updated: p.now, Schema: p.model.Hash()})
	return nil
}

// tellRefusal records a transaction that the guard refused.
func (p *plan) tellRefusal(ctx context.Context, err error) {
	if dovetail.CodeOf(err) != dovetail.CodeForbidden {
		return
	}
	r := newRecord(ctx, p.now)
	r.Refused, _, _ = strings.Cut(forbiddenPart(err).Error(), "\n")
	r.Total = len(p.steps)
	for _, st := range p.steps[:min(len(p.steps), maxAudited)] {
		r.Operations = append(r.Operations, AuditEntry{Verb: st.op.Verb, ID: st.op.ID})
	}
	p.store.tell(ctx, r)
}

// forbiddenPart is the first part of a refusal that is about rights.
func forbiddenPart(err error) error {
	for _, part := range dovetail.AsError(err).Errors {
		if part.Code == dovetail.CodeForbidden {
			return part
		}
	}
	return err
}

func (s *Store) tell(ctx context.Context, r *AuditRecord) {
	if r != nil && s.config.Audit.Tell != nil {
		s.config.Audit.Tell(ctx, *r)
	}
}

// AuditQuery selects records. All conditions must hold.
type AuditQuery struct {
	Principal string      // whose
	Under     dovetail.ID // of a document, or of any below it
	From, To  time.Time   // not before, and before; zero for no bound
	After     string      // the ID of the record that came last
}

// Records yields the records that were kept, in the order of time, to those who may read everything.
func (s *Store) Records(ctx context.Context, q AuditQuery) iter.Seq2[AuditRecord, error] {
	return func(yield func(AuditRecord, error) bool) {
		if err := s.mayEverywhere(ctx, dovetail.RightRead, "see who did what"); err != nil {
			yield(AuditRecord{}, err)
			return
		}
		after := q.After
		if from := q.From.UTC().Format(auditFormat); !q.From.IsZero() && after < from {
			after = from // no record's id is the bare time
		}
		inner := Query{Kind: auditKind}
		if after != "" {
			inner.After = auditHome + dovetail.ID(after)
		}
		for doc, err := range s.backend.List(ctx, inner) {
			var r AuditRecord
			if err == nil {
				if !q.To.IsZero() && !doc.Created.Before(q.To) {
					return
				}
				if err = json.Unmarshal(doc.Data, &r); err != nil {
					err = &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the record " + string(doc.ID) + " cannot be read", Err: err}
				}
			}
			if err == nil && !q.selects(r) {
				continue
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (q AuditQuery) selects(r AuditRecord) bool {
	if q.Principal != "" && r.Principal != q.Principal {
		return false
	}
	if q.Under == "" {
		return true
	}
	for _, entry := range r.Operations {
		if entry.ID == q.Under || entry.ID.IsDescendantOf(q.Under) {
			return true
		}
	}
	return false
}
