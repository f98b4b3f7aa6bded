package protocol

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// clear takes away those of the marks in the way whose transactions are decided, or whose owners
// seem dead. It says whether all are gone, so that it is worth trying again at once.
func (e *Engine) clear(ctx context.Context, met []view) bool {
	all := len(met) > 0
	for _, v := range met {
		all = e.clearOne(ctx, v) && all
	}
	return all
}

func (e *Engine) clearOne(ctx context.Context, v view) bool {
	switch {
	case v.fate == committed:
		return e.forward(ctx, v.Mark.Txn, []dovetail.ID{v.ID}) == nil
	case v.fate == aborted:
		n, err := e.server.Apply(ctx, []Change{settled(v.Record, false)})
		e.resolved(false, n)
		return err == nil
	case !v.Mark.Multi:
		if !e.env.Expired(string(v.ID) + " " + v.Mark.Txn) {
			return false
		}
		return e.resolveSingle(ctx, v.Record)
	}
	return e.abandon(ctx, v.Mark.Txn)
}

// resolveSingle rolls back the mark of a single-document transaction: its owner, should it be alive
// after all, fails its own compare-and-set on the mark.
func (e *Engine) resolveSingle(ctx context.Context, r *Record) bool {
	n, err := e.server.Apply(ctx, []Change{settled(r, false)})
	if err != nil || n == 0 {
		return false
	}
	e.resolved(false, n)
	if r.Mark.Op == Delete {
		_, _ = e.server.Strike(ctx, r.Mark.Txn, Buried)
	}
	return true
}

// abandon aborts a pending transaction whose owner has sent no heartbeat for the lease.
func (e *Engine) abandon(ctx context.Context, txn string) bool {
	entries, err := e.server.Entries(ctx, []string{txn})
	if err != nil {
		return false
	}
	entry, there := entries[txn]
	switch {
	case !there || entry.State != Pending:
		return true // decided by another process
	case !e.env.Expired(txn + " " + strconv.Itoa(entry.Beat)):
		return false
	}
	struck, err := e.server.Strike(ctx, txn, Pending)
	return err == nil && struck
}

// Beat is a heartbeat of the owner of a pending transaction.
func (e *Engine) Beat(ctx context.Context, txn string, count int) error {
	_, err := e.server.Turn(ctx, txn, Pending, Turn{State: Pending, Beat: count})
	return err
}

// Sweep resolves what dead processes left and no transaction has resolved: marks, pending entries, and
// entries whose marks are all gone. What it sees for the first time it leaves alone for the lease.
func (e *Engine) Sweep(ctx context.Context) error {
	if err := e.sweepEntries(ctx); err != nil {
		return err
	}
	for v, err := range e.views(ctx, e.server.Marked(ctx, ""), probed, false) {
		if err != nil {
			return err
		}
		if v.fate != unmarked {
			e.clearOne(ctx, v)
		}
	}
	return nil
}

// sweepEntries aborts pending entries without heartbeats, and settles committed ones that their
// owners have not.
func (e *Engine) sweepEntries(ctx context.Context) error {
	open, err := collect(e.server.Open(ctx))
	if err != nil {
		return err
	}
	for _, entry := range open {
		if entry.State == Pending {
			e.abandon(ctx, entry.Txn)
		} else if e.env.Expired(entry.Txn + " committed") {
			if err := e.finish(ctx, entry.Txn); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish rolls all marks of a committed transaction forward. Once none is left there never will be,
// since all of them were there when it was decided.
func (e *Engine) finish(ctx context.Context, txn string) error {
	heads, err := collect(e.server.Marked(ctx, txn))
	if err != nil {
		return err
	}
	ids := make([]dovetail.ID, len(heads))
	for i, r := range heads {
		ids[i] = r.ID
	}
	for part := range slices.Chunk(ids, probed) {
		if err := e.forward(ctx, txn, part); err != nil {
			return err
		}
	}
	_, err = e.server.Turn(ctx, txn, Committed, Turn{State: Settled})
	return err
}

// forward rolls marks of a committed transaction forward.
func (e *Engine) forward(ctx context.Context, txn string, ids []dovetail.ID) error {
	records, err := e.server.Find(ctx, ids, true)
	if err != nil {
		return err
	}
	var changes []Change
	for _, id := range ids {
		if r := records[id]; r != nil && r.Mark != nil && r.Mark.Txn == txn {
			changes = append(changes, settled(r, true))
		}
	}
	if len(changes) == 0 {
		return nil
	}
	n, err := e.server.Apply(ctx, changes)
	e.resolved(true, n)
	return err
}

// resolved reports marks of others that were removed.
func (e *Engine) resolved(happened bool, n int) {
	if n > 0 {
		e.env.Resolved(happened, n)
	}
}

// Purge forgets entries and deletions from before the history's length.
func (e *Engine) Purge(ctx context.Context, history time.Duration) error {
	now, err := e.server.Now(ctx)
	if err != nil {
		return err
	}
	return e.server.Purge(ctx, now.Back(history))
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
