package protocol

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// resolveConflicts takes away those of the intents in the way whose transactions are decided, or whose owners
// seem dead. It says whether all are gone, so that it is worth trying again at once.
func (e *Engine) resolveConflicts(ctx context.Context, conflicts []view) bool {
	all := len(conflicts) > 0
	for _, v := range conflicts {
		all = e.resolveConflict(ctx, v) && all
	}
	return all
}

func (e *Engine) resolveConflict(ctx context.Context, v view) bool {
	switch {
	case v.status == committed:
		return e.rollForward(ctx, v.Intent.Txn, v.committed, []dovetail.ID{v.ID}) == nil
	case v.status == aborted:
		n, err := e.server.Apply(ctx, []Change{resolveIntent(v.Record, false, Stamp{})})
		e.resolved(false, n)
		return err == nil
	case !v.Intent.Multi:
		if v.replaced() {
			e.env.KeepNow()
		}
		if !e.env.Expired(string(v.ID) + " " + v.Intent.Txn) {
			return false
		}
		if v.replaced() {
			return e.finishReplaced(ctx, []*Record{v.Record}) == nil
		}
		return e.resolveSingle(ctx, v.Record)
	}
	return e.abortExpired(ctx, v.Intent.Txn)
}

// resolveSingle rolls back the intent of a single-document transaction: its owner, should it be alive
// after all, fails its own compare-and-set on the intent.
func (e *Engine) resolveSingle(ctx context.Context, r *Record) bool {
	n, err := e.server.Apply(ctx, []Change{resolveIntent(r, false, Stamp{})})
	e.resolved(false, n)
	return err == nil && n > 0
}

// abortExpired aborts a pending transaction whose owner has sent no heartbeat for the lease.
func (e *Engine) abortExpired(ctx context.Context, txn string) bool {
	entries, err := e.server.Entries(ctx, []string{txn})
	if err != nil {
		return false
	}
	entry, there := entries[txn]
	switch {
	case !there || entry.State != Pending:
		return true // decided by another process
	case !e.env.Expired(txn + " " + strconv.Itoa(entry.Heartbeats)):
		return false
	}
	deleted, err := e.server.DeleteEntry(ctx, txn, Pending)
	return err == nil && deleted
}

// Heartbeat is a heartbeat of the owner of a pending transaction.
func (e *Engine) Heartbeat(ctx context.Context, txn string, count int) error {
	_, err := e.server.UpdateEntry(ctx, txn, Pending, EntryUpdate{State: Pending, Heartbeats: count})
	return err
}

// Sweep resolves what dead processes left and no transaction has resolved: intents, pending entries, and
// entries whose intents are all gone. What it sees for the first time it leaves alone for the lease.
func (e *Engine) Sweep(ctx context.Context) error {
	if err := e.sweepEntries(ctx); err != nil {
		return err
	}
	for v, err := range e.views(ctx, e.server.WithIntent(ctx, ""), probeBatch, false) {
		if err != nil {
			return err
		}
		if v.status != noIntent {
			e.resolveConflict(ctx, v)
		}
	}
	return nil
}

// sweepEntries aborts pending entries without heartbeats, and settles committed ones that their
// owners have not.
func (e *Engine) sweepEntries(ctx context.Context) error {
	open, err := collect(e.server.OpenEntries(ctx))
	if err != nil {
		return err
	}
	for _, entry := range open {
		if entry.State == Pending {
			e.abortExpired(ctx, entry.Txn)
		} else if e.env.Expired(entry.Txn + " committed") {
			if err := e.completeCommit(ctx, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// completeCommit rolls all intents of a committed transaction forward. Once none is left there never will be,
// since all of them were there when it was decided.
func (e *Engine) completeCommit(ctx context.Context, entry LogEntry) error {
	heads, err := collect(e.server.WithIntent(ctx, entry.Txn))
	if err != nil {
		return err
	}
	ids := make([]dovetail.ID, len(heads))
	for i, r := range heads {
		ids[i] = r.ID
	}
	for part := range slices.Chunk(ids, probeBatch) {
		if err := e.rollForward(ctx, entry.Txn, entry.Stamp, part); err != nil {
			return err
		}
	}
	return e.server.ResolveEntries(ctx, []string{entry.Txn})
}

// rollForward rolls intents of a transaction forward that committed at the stamp.
func (e *Engine) rollForward(ctx context.Context, txn string, at Stamp, ids []dovetail.ID) error {
	records, err := e.server.Find(ctx, ids, true)
	if err != nil {
		return err
	}
	var changes []Change
	var replaced []*Record
	for _, id := range ids {
		if r := records[id]; r != nil && r.Intent != nil && r.Intent.Txn == txn {
			changes = append(changes, resolveIntent(r, true, at))
			replaced = append(replaced, r)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	versions, err := e.lockedVersions(ctx, replaced, replaced, at)
	if err != nil {
		return err
	}
	if err := e.keep(ctx, versions); err != nil {
		return err
	}
	n, err := e.server.Apply(ctx, changes)
	e.resolved(true, n)
	return err
}

// resolved reports intents of others that were removed.
func (e *Engine) resolved(happened bool, n int) {
	if n > 0 {
		e.env.Resolved(happened, n)
	}
}

func collect[T any](items iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}
