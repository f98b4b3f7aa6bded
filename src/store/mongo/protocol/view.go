package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// txnStatus is the status of the transaction that set an intent.
type txnStatus uint8

const (
	noIntent  txnStatus = iota
	pending             // not committed; every intent of a one-document transaction has this status until it is removed
	committed           // the intent is to be rolled forward
	aborted             // the intent is to be rolled back
	undecided           // an implicit creation of which it cannot be found out yet whether it was committed
)

// view is a record with the status of its intent, which determines what readers see.
type view struct {
	*Record   // nil if there is none
	status    txnStatus
	committed Stamp // timestamp of a committed transaction
}

// document returns the document that readers see, or nil.
func (v view) document() *dovetail.Document {
	switch {
	case v.Record == nil:
		return nil
	case v.status == noIntent:
		return v.Doc
	}
	happened := v.status == committed && !v.Intent.LockOnly
	switch v.Intent.Op {
	case Create:
		if !happened {
			return nil
		}
	case Update:
		if happened {
			return v.Intent.Next
		}
	case Delete:
		if happened {
			return nil
		}
	}
	return v.Doc
}

// exclusive reports whether a transaction is about to delete the document, or requires that it has no children or referrers, so that
// no transaction may add one.
func (v view) exclusive() bool {
	return v.status == pending && (v.Intent.Op == Delete || v.Intent.Exclusive)
}

// holds reports whether the document that readers see has a strong reference to the id.
func (v view) holds(id dovetail.ID) bool {
	doc := v.document()
	return doc != nil && refers(doc, id)
}

// mayAppear reports whether an undecided transaction may create the document.
func (v view) mayAppear() bool {
	return v.status == undecided || v.status == pending && v.Intent.Op == Create && !v.Intent.LockOnly
}

func refers(doc *dovetail.Document, id dovetail.ID) bool {
	return slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return r.ID == id && !r.Weak })
}

// resolveIntent returns the change that removes an intent after its transaction has committed at a timestamp, or has aborted.
func resolveIntent(r *Record, happened bool, at Stamp) Change {
	m := r.Intent
	change := Change{ID: r.ID, IntentTxn: m.Txn}
	happened = happened && !m.LockOnly
	switch {
	case m.Op == Create && !happened, m.Op == Delete && happened:
		change.Remove = true
	case m.Op == Update && happened:
		change.Doc = m.Next
		change.Link, change.Links = SetLinks, m.Next.References
		if rewrites(r) {
			change.Rewritten = m.Txn
		} else {
			change.Txn, change.Stamping, change.Since, change.By = m.Txn, StampSince, at, m.By
		}
	case m.Op == Update && !m.LockOnly:
		change.Link, change.Links = SetLinks, r.Doc.References
		if m.Next != nil {
			change.Undone = m.Next.Terms
		}
	case m.Op == Create:
		change.Txn, change.Stamping, change.Since = m.Txn, StampOrigin, at
	}
	return change
}

// committedAt returns when the document that readers see was written, or a later timestamp; zero if that was before versions were
// kept.
func (v view) committedAt() Stamp {
	if v.status == committed && !v.Intent.LockOnly {
		return later(v.committed, v.Committed())
	}
	return v.Committed()
}

// find returns views of the records that exist.
func (e *Engine) find(ctx context.Context, ids []dovetail.ID, whole bool) (map[dovetail.ID]view, error) {
	views := make(map[dovetail.ID]view, len(ids))
	if len(ids) == 0 {
		return views, nil
	}
	records, err := e.server.Find(ctx, ids, whole)
	if err != nil {
		return nil, err
	}
	return views, e.classify(ctx, records, whole, views)
}

// classify adds the records to views with the statuses of their intents, as of some moment after they were read. If there is no
// transaction record for an intent, it reads the document again: if the intent is still there, the transaction was aborted, since
// transaction records outlive the intents of committed ones; otherwise the record just read counts.
func (e *Engine) classify(ctx context.Context, records map[dovetail.ID]*Record, whole bool, views map[dovetail.ID]view) error {
	return e.classifyBefore(ctx, records, whole, views, latestStamp)
}

// classifyBefore is classify, but decides only implicit creations with timestamps before the given one.
func (e *Engine) classifyBefore(ctx context.Context, records map[dovetail.ID]*Record, whole bool, views map[dovetail.ID]view, before Stamp) error {
	suspects := make(map[dovetail.ID]string) // transactions without a transaction record
	var implicit []*Record
	for {
		entries, err := e.entriesOf(ctx, records)
		if err != nil {
			return err
		}
		var again []dovetail.ID
		for id, r := range records {
			switch {
			case r.Intent == nil:
				views[id] = view{Record: r}
				continue
			case !r.Intent.Multi:
				views[id] = view{Record: r, status: pending}
				if r.mayBeAnswered() && r.Stamp.Before(before) {
					implicit = append(implicit, r)
				}
				continue
			}
			switch entry, known := entries[r.Intent.Txn]; {
			case known && entry.State == Pending:
				views[id] = view{Record: r, status: pending}
			case known:
				views[id] = view{Record: r, status: committed, committed: entry.Stamp}
			case suspects[id] == r.Intent.Txn:
				views[id] = view{Record: r, status: aborted}
			default:
				suspects[id] = r.Intent.Txn
				again = append(again, id)
			}
		}
		if len(again) == 0 {
			return e.decideImplicit(ctx, implicit, whole, views)
		}
		slices.Sort(again)
		if records, err = e.server.Find(ctx, again, whole); err != nil {
			return err
		}
	}
}

// entriesOf reads the transaction records of all intents of multi-document transactions.
func (e *Engine) entriesOf(ctx context.Context, records map[dovetail.ID]*Record) (map[string]LogEntry, error) {
	var txns []string
	for _, r := range records {
		if r.Intent != nil && r.Intent.Multi {
			txns = append(txns, r.Intent.Txn)
		}
	}
	if len(txns) == 0 {
		return nil, nil
	}
	slices.Sort(txns)
	return e.server.Entries(ctx, slices.Compact(txns))
}
