package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// fate is the status of the transaction that set a mark.
type fate uint8

const (
	unmarked  fate = iota
	pending        // not decided, or a mark that alone decides
	committed      // happened; the mark is to be rolled forward
	aborted        // will never happen; the mark is to be rolled back
)

// view is a record with the fate of its mark: enough to say what readers see.
type view struct {
	*Record // nil if there is none
	fate    fate
}

// document returns the document that readers see, or nil.
func (v view) document() *dovetail.Document {
	switch {
	case v.Record == nil:
		return nil
	case v.fate == unmarked:
		return v.Doc
	}
	happened := v.fate == committed && !v.Mark.Keep
	switch v.Mark.Op {
	case Create:
		if !happened {
			return nil
		}
	case Update:
		if happened {
			return v.Mark.Next
		}
	case Delete:
		if happened {
			return nil
		}
	}
	return v.Doc
}

// shut says whether a transaction is about to delete the document, so that no new reference to it is allowed.
func (v view) shut() bool {
	return v.fate == pending && (v.Mark.Op == Delete || v.Mark.Shut)
}

// holds says whether the document that readers see refers to the id, not weakly.
func (v view) holds(id dovetail.ID) bool {
	doc := v.document()
	return doc != nil && refers(doc, id)
}

// mayAppear says whether a transaction that is not decided may create the document.
func (v view) mayAppear() bool {
	return v.fate == pending && v.Mark.Op == Create && !v.Mark.Keep
}

func refers(doc *dovetail.Document, id dovetail.ID) bool {
	return slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return r.ID == id && !r.Weak })
}

// settled is the change that takes a mark away once its transaction has, or has not, happened.
func settled(r *Record, happened bool) Change {
	m := r.Mark
	change := Change{ID: r.ID, Marked: m.Txn}
	happened = happened && !m.Keep
	switch {
	case m.Op == Create && !happened, m.Op == Delete && happened:
		change.Remove = true
	case m.Op == Update && happened:
		change.Doc = m.Next
		change.Link, change.Links = SetLinks, m.Next.References
		change.Txn, change.Stamping = m.Txn, ClearStamp
	case m.Op == Update && !m.Keep:
		change.Link, change.Links = SetLinks, r.Doc.References
	case m.Op == Create:
		change.Txn = m.Txn
	}
	return change
}

// find returns views of the records that are there.
func (e *Engine) find(ctx context.Context, ids []dovetail.ID, whole bool) (map[dovetail.ID]view, error) {
	views := make(map[dovetail.ID]view, len(ids))
	if len(ids) == 0 {
		return views, nil
	}
	records, err := e.server.Find(ctx, ids, whole)
	if err != nil {
		return nil, err
	}
	return views, e.judge(ctx, records, whole, views)
}

// judge adds the records to views with the fates of their marks, as of a moment since they were
// read. A record whose transaction is not in the log is read again: if the mark is still there, the
// transaction will never happen, for entries outlive the marks of what has happened; if not, what is
// there now counts.
func (e *Engine) judge(ctx context.Context, records map[dovetail.ID]*Record, whole bool, views map[dovetail.ID]view) error {
	suspects := make(map[dovetail.ID]string) // the transaction that was not in the log
	for {
		entries, err := e.entriesOf(ctx, records)
		if err != nil {
			return err
		}
		var again []dovetail.ID
		for id, r := range records {
			switch {
			case r.Mark == nil:
				views[id] = view{r, unmarked}
				continue
			case !r.Mark.Multi:
				views[id] = view{r, pending}
				continue
			}
			switch entry, known := entries[r.Mark.Txn]; {
			case known && entry.State == Pending:
				views[id] = view{r, pending}
			case known:
				views[id] = view{r, committed}
			case suspects[id] == r.Mark.Txn:
				views[id] = view{r, aborted}
			default:
				suspects[id] = r.Mark.Txn
				again = append(again, id)
			}
		}
		if len(again) == 0 {
			return nil
		}
		slices.Sort(again)
		if records, err = e.server.Find(ctx, again, whole); err != nil {
			return err
		}
	}
}

// entriesOf looks up the transactions of all multi marks.
func (e *Engine) entriesOf(ctx context.Context, records map[dovetail.ID]*Record) (map[string]Entry, error) {
	var txns []string
	for _, r := range records {
		if r.Mark != nil && r.Mark.Multi {
			txns = append(txns, r.Mark.Txn)
		}
	}
	if len(txns) == 0 {
		return nil, nil
	}
	slices.Sort(txns)
	return e.server.Entries(ctx, slices.Compact(txns))
}
