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
	e.env.Parallel(
		func() { result = e.checkBlockers(ctx, p) },
		func() {
			err = e.server.WriteEntry(ctx, LogEntry{Txn: txn, State: Tombstone, Changes: []store.Change{
				{Op: store.Deleted, ID: id, Kind: locked.Doc.Kind, UID: version.UID, Revision: version.Revision}}})
		})
	if err != nil {
		result = failure(nothingDone(err))
	}
	if result.err != nil || result.decision != done {
		e.cancelDeletion(ctx, locked)
		return result
	}
	answer := e.retryUntilKnown(ctx, []Change{{ID: id, IntentTxn: txn, Remove: true}})
	switch {
	case answer.all:
		return outcome{decision: done}
	case answer.refused != nil:
		e.cancelDeletion(ctx, locked)
		return failure(answer.refused)
	case answer.lost == nil:
		return outcome{decision: busy} // another process took this one for dead and rolled the intent back
	}
	return e.wasRemoved(ctx, txn, id, version, answer.lost)
}

// cancelDeletion takes back a single deletion: the intent first, so that the entry is there as long as the
// deletion may happen.
func (e *Engine) cancelDeletion(ctx context.Context, locked *Record) {
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	if _, err := e.server.Apply(detached, []Change{resolveIntent(locked, false)}); err == nil {
		_, _ = e.server.DeleteEntry(detached, locked.Intent.Txn, Tombstone)
	}
}

// wasRemoved finds out which transaction deleted a document when the answer was lost: the one that did has an entry in
// the log, and a process that rolls an intent back deletes its entry.
func (e *Engine) wasRemoved(ctx context.Context, txn string, id dovetail.ID, version dovetail.ETag, lost error) outcome {
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	records, err := e.server.Find(detached, []dovetail.ID{id}, false)
	if err != nil {
		return failure(unknown(err))
	}
	if r := records[id]; r != nil && r.Doc != nil && r.Doc.UID == version.UID {
		if r.Intent != nil && r.Intent.Txn == txn {
			return failure(unknown(lost))
		}
		return outcome{decision: busy} // rolled back
	}
	gone, err := e.deletions(detached, id, version.UID)
	if err != nil {
		return failure(unknown(err))
	}
	mine := slices.ContainsFunc(gone, func(entry LogEntry) bool { return entry.Txn == txn })
	switch {
	case mine && len(gone) == 1:
		return outcome{decision: done}
	case !mine && len(gone) > 0:
		return outcome{decision: busy} // rolled back, and deleted by another
	}
	return failure(unknown(lost))
}
