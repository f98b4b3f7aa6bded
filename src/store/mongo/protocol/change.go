package protocol

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// replaceInternal changes one of the store's own documents. It needs no intent, since there are no targets to check and no version
// to keep: one compare-and-set is enough.
func (e *Engine) replaceInternal(ctx context.Context, p *plan, version dovetail.ETag) outcome {
	doc := p.slots[0].put
	txn := e.env.NewTxn()
	answer := e.retryUntilKnown(ctx, []Change{{ID: doc.ID, Version: version, Doc: doc, Link: SetLinks, Links: doc.References,
		Txn: txn, Stamping: StampNow, By: p.txn.Provenance}})
	switch {
	case answer.all:
		return outcome{decision: done}
	case answer.refused != nil:
		return failure(answer.refused)
	case answer.lost == nil:
		return e.mismatch(ctx, doc.ID, version)
	}
	views, err := e.findDetached(ctx, doc.ID)
	v := views[doc.ID]
	switch {
	case err != nil:
		return failure(unknown(err))
	case v.Record != nil && v.Txn == txn:
		return outcome{decision: done}
	case superseded(v.document(), doc, version):
		return outcome{decision: failed}
	}
	return failure(unknown(answer.lost))
}

// superseded reports whether a document that another transaction wrote has the version that doc was to get, right after the given
// one: then doc was not written and never will be.
func superseded(now, doc *dovetail.Document, version dovetail.ETag) bool {
	next := dovetail.ETag{UID: version.UID, Revision: version.Revision + 1}
	return now != nil && doc.ETag() == next && now.ETag() == next
}

// mismatch returns why a document could not be changed at a version: its version differs, or it has an intent.
func (e *Engine) mismatch(ctx context.Context, id dovetail.ID, version dovetail.ETag) outcome {
	views, err := e.find(ctx, []dovetail.ID{id}, false)
	v := views[id]
	switch doc := v.document(); {
	case err != nil:
		return failure(err)
	case doc != nil && doc.ETag() == version:
		return blockedBy(v)
	}
	return outcome{decision: failed}
}

// blockedBy returns the outcome busy because of the view's intent, or of an intent that is already gone.
func blockedBy(v view) outcome {
	if v.status == noIntent {
		return outcome{decision: busy}
	}
	return outcome{decision: busy, conflicts: []view{v}}
}

// update changes a document under an intent. While the intent is set, it checks the targets and stores the version that it replaces.
func (e *Engine) update(ctx context.Context, p *plan, version dovetail.ETag) outcome {
	doc := p.slots[0].put
	txn := e.env.NewTxn()
	locked, result := e.setIntent(ctx, Change{ID: doc.ID, Version: version, Link: AddLinks, Links: doc.References,
		Intent: &Intent{Txn: txn, Op: Update, At: e.env.Clock()}})
	if locked == nil {
		return result
	}
	var kept error
	e.env.Parallel(
		func() {
			views, err := e.find(ctx, p.targets, false)
			if result = examineTargets(p.targets, views); err != nil {
				result = failure(err)
			}
		},
		func() { kept = e.keepBefore(ctx, locked, doc) })
	if kept != nil {
		result = failure(nothingDone(kept))
	}
	if result.err != nil || result.decision != done {
		e.rollback(ctx, []Change{resolveIntent(locked, false, Stamp{})})
		return result
	}
	commit := Change{ID: doc.ID, IntentTxn: txn, Doc: doc, Link: SetLinks, Links: doc.References, Before: beforeOf(p.txn)}
	if doc.ETag() != version {
		commit.Txn, commit.Stamping, commit.By = txn, StampNow, p.txn.Provenance
	} else {
		commit.Rewritten = txn
	}
	answer := e.retryUntilKnown(ctx, []Change{commit})
	switch {
	case answer.all:
		return outcome{decision: done}
	case answer.refused != nil:
		e.rollback(ctx, []Change{resolveIntent(locked, false, Stamp{})})
		return failure(answer.refused)
	case answer.lost == nil:
		if late := e.tooLate(ctx, commit.Before); late != nil {
			e.rollback(ctx, []Change{resolveIntent(locked, false, Stamp{})})
			return failure(late)
		}
		return outcome{decision: busy} // another process has rolled the intent back
	}
	views, err := e.findDetached(ctx, doc.ID)
	v := views[doc.ID]
	now := v.document()
	switch {
	case err != nil:
		return failure(unknown(err))
	case v.Record != nil && v.Txn == txn:
		return outcome{decision: done}
	case v.Record != nil && v.Intent != nil && v.Intent.Txn == txn:
		return failure(unknown(answer.lost))
	case now != nil && now.ETag() == version, superseded(now, doc, version):
		return outcome{decision: busy} // rolled back: a delayed commit fails its compare-and-set
	}
	return failure(unknown(answer.lost))
}

// setIntent sets an intent and returns the whole record with it, or nil and the outcome if it could not.
func (e *Engine) setIntent(ctx context.Context, change Change) (*Record, outcome) {
	head, err := e.server.SetIntent(ctx, change)
	switch {
	case err == nil && head != nil:
		locked := *head
		locked.Intent = change.Intent
		return &locked, outcome{}
	case err == nil && change.AnyVersion:
		return nil, outcome{decision: busy} // or the document does not exist
	case err == nil:
		return nil, e.mismatch(ctx, change.ID, change.Version)
	case dovetail.CodeOf(err) == dovetail.CodeUnknown:
		e.undoIntent(ctx, change)
	}
	return nil, failure(nothingDone(err))
}

// undoIntent removes an intent of which it is unknown whether it was set, if it is found. One that is set later is rolled back by
// other processes.
func (e *Engine) undoIntent(ctx context.Context, change Change) {
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	records, err := e.server.Find(detached, []dovetail.ID{change.ID}, false)
	if r := records[change.ID]; err == nil && r != nil && r.Intent != nil && r.Intent.Txn == change.Intent.Txn {
		e.rollback(ctx, []Change{resolveIntent(r, false, Stamp{})})
	}
}

func (e *Engine) findDetached(ctx context.Context, id dovetail.ID) (map[dovetail.ID]view, error) {
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	return e.find(detached, []dovetail.ID{id}, false)
}
