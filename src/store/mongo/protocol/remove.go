package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// remove deletes a document: nothing may hold it, and while its intent is set nothing comes to.
func (e *Engine) remove(ctx context.Context, p *plan, version dovetail.ETag) outcome {
	id := p.slots[0].id
	txn := e.env.NewTxn()
	locked, result := e.setIntent(ctx, Change{ID: id, Version: version, Intent: &Intent{Txn: txn, Op: Delete, At: e.env.Clock()}})
	if locked == nil {
		return result
	}
	var err error
	e.env.Together(
		func() { result = e.checkBlockers(ctx, p) },
		func() {
			err = e.server.Write(ctx, Entry{Txn: txn, State: Buried, Changes: []store.Change{
				{Op: store.Deleted, ID: id, Kind: locked.Doc.Kind, UID: version.UID, Revision: version.Revision}}})
		})
	if err != nil {
		result = failure(nothingDone(err))
	}
	if result.err != nil || result.verdict != done {
		e.cancelDeletion(ctx, locked)
		return result
	}
	answer := e.retryUntilKnown(ctx, []Change{{ID: id, IntentTxn: txn, Remove: true}})
	switch {
	case answer.all:
		return outcome{verdict: done}
	case answer.refused != nil:
		e.cancelDeletion(ctx, locked)
		return failure(answer.refused)
	case answer.lost == nil:
		return outcome{verdict: busy} // another process took this one for dead and rolled the intent back
	}
	return e.wasRemoved(ctx, txn, id, version, answer.lost)
}

// cancelDeletion takes back a single deletion: the intent first, so that the entry is there as long as the
// deletion may happen.
func (e *Engine) cancelDeletion(ctx context.Context, locked *Record) {
	lasting, cancel := e.env.Lasting(ctx)
	defer cancel()
	if _, err := e.server.Apply(lasting, []Change{resolveIntent(locked, false)}); err == nil {
		_, _ = e.server.Strike(lasting, locked.Intent.Txn, Buried)
	}
}

// wasRemoved finds out which transaction deleted a document when the answer was lost: the one that did has an entry in
// the log, and a process that rolls an intent back strikes its entry.
func (e *Engine) wasRemoved(ctx context.Context, txn string, id dovetail.ID, version dovetail.ETag, lost error) outcome {
	lasting, cancel := e.env.Lasting(ctx)
	defer cancel()
	records, err := e.server.Find(lasting, []dovetail.ID{id}, false)
	if err != nil {
		return failure(unknown(err))
	}
	if r := records[id]; r != nil && r.Doc != nil && r.Doc.UID == version.UID {
		if r.Intent != nil && r.Intent.Txn == txn {
			return failure(unknown(lost))
		}
		return outcome{verdict: busy} // rolled back
	}
	gone, err := e.deletions(lasting, id, version.UID)
	if err != nil {
		return failure(unknown(err))
	}
	mine := slices.ContainsFunc(gone, func(entry Entry) bool { return entry.Txn == txn })
	switch {
	case mine && len(gone) == 1:
		return outcome{verdict: done}
	case !mine && len(gone) > 0:
		return outcome{verdict: busy} // rolled back, and deleted by another
	}
	return failure(unknown(lost))
}
