package protocol

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// replace changes a document without a mark: nothing has to be looked at, so that one
// compare-and-set does it.
func (e *Engine) replace(ctx context.Context, p *plan, version dovetail.ETag) outcome {
	doc := p.slots[0].put
	txn := e.env.NewTxn()
	answer := e.retryUntilKnown(ctx, []Change{{ID: doc.ID, Version: version, Doc: doc, Link: SetLinks, Links: doc.References,
		Txn: txn, Stamping: StampNow}})
	switch {
	case answer.all:
		return outcome{verdict: done}
	case answer.refused != nil:
		return failure(answer.refused)
	case answer.lost == nil:
		return e.mismatch(ctx, doc.ID, version)
	}
	views, err := e.findLasting(ctx, doc.ID)
	v := views[doc.ID]
	switch {
	case err != nil:
		return failure(unknown(err))
	case v.Record != nil && v.Txn == txn:
		return outcome{verdict: done}
	case overtaken(v.document(), doc, version):
		return outcome{verdict: failed}
	}
	return failure(unknown(answer.lost))
}

// overtaken says whether another write than that of doc followed the version: then doc was not
// written and never will be.
func overtaken(now, doc *dovetail.Document, version dovetail.ETag) bool {
	next := dovetail.ETag{UID: version.UID, Revision: version.Revision + 1}
	return now != nil && doc.ETag() == next && now.ETag() == next
}

// mismatch says why a document could not be changed at a version: it has another one, or a mark.
func (e *Engine) mismatch(ctx context.Context, id dovetail.ID, version dovetail.ETag) outcome {
	views, err := e.find(ctx, []dovetail.ID{id}, false)
	v := views[id]
	switch doc := v.document(); {
	case err != nil:
		return failure(err)
	case doc != nil && doc.ETag() == version:
		return blockedBy(v)
	}
	return outcome{verdict: failed}
}

// blockedBy is busy because of the view's mark, or of one that has just gone.
func blockedBy(v view) outcome {
	if v.fate == unmarked {
		return outcome{verdict: busy}
	}
	return outcome{verdict: busy, met: []view{v}}
}

// update changes a document so that it refers to others: they are looked at while a mark is set.
func (e *Engine) update(ctx context.Context, p *plan, version dovetail.ETag) outcome {
	doc := p.slots[0].put
	txn := e.env.NewTxn()
	marked, result := e.claim(ctx, Change{ID: doc.ID, Version: version, Link: AddLinks, Links: doc.References,
		Mark: &Mark{Txn: txn, Op: Update, At: e.env.Clock()}})
	if marked == nil {
		return result
	}
	views, err := e.find(ctx, p.targets, false)
	if result = examineTargets(p.targets, views); err != nil {
		result = failure(err)
	}
	if result.err != nil || result.verdict != done {
		e.rollback(ctx, []Change{settled(marked, false)})
		return result
	}
	answer := e.retryUntilKnown(ctx, []Change{{ID: doc.ID, Marked: txn, Doc: doc, Link: SetLinks, Links: doc.References,
		Txn: txn, Stamping: StampNow}})
	switch {
	case answer.all:
		return outcome{verdict: done}
	case answer.refused != nil:
		e.rollback(ctx, []Change{settled(marked, false)})
		return failure(answer.refused)
	case answer.lost == nil:
		return outcome{verdict: busy} // another process took this one for dead and rolled the mark back
	}
	views, err = e.findLasting(ctx, doc.ID)
	v := views[doc.ID]
	now := v.document()
	switch {
	case err != nil:
		return failure(unknown(err))
	case v.Record != nil && v.Txn == txn:
		return outcome{verdict: done}
	case v.Record != nil && v.Mark != nil && v.Mark.Txn == txn:
		return failure(unknown(answer.lost))
	case now != nil && now.ETag() == version, overtaken(now, doc, version):
		return outcome{verdict: busy} // rolled back: no late commit finds the mark
	}
	return failure(unknown(answer.lost))
}

// claim sets a mark and returns the head of the record with it, or nil and why there is none.
func (e *Engine) claim(ctx context.Context, change Change) (*Record, outcome) {
	head, err := e.server.Claim(ctx, change)
	switch {
	case err == nil && head != nil:
		marked := *head
		marked.Mark = change.Mark
		return &marked, outcome{}
	case err == nil:
		return nil, e.mismatch(ctx, change.ID, change.Version)
	case dovetail.CodeOf(err) == dovetail.CodeUnknown:
		e.unclaim(ctx, change)
	}
	return nil, failure(nothingDone(err))
}

// unclaim takes back a mark of which it is not known whether it was set.
func (e *Engine) unclaim(ctx context.Context, change Change) {
	lasting, cancel := e.env.Lasting(ctx)
	defer cancel()
	records, err := e.server.Find(lasting, []dovetail.ID{change.ID}, false)
	if r := records[change.ID]; err == nil && r != nil && r.Mark != nil && r.Mark.Txn == change.Mark.Txn {
		e.rollback(ctx, []Change{settled(r, false)})
	}
}

func (e *Engine) findLasting(ctx context.Context, id dovetail.ID) (map[dovetail.ID]view, error) {
	lasting, cancel := e.env.Lasting(ctx)
	defer cancel()
	return e.find(lasting, []dovetail.ID{id}, false)
}
