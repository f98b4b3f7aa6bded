package protocol

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// resolveConflicts removes blocking intents whose transactions are committed or aborted, or whose owners seem dead, grouped by
// transaction. It reports whether the transactions of all of them are decided now, so that the caller can retry at once.
func (e *Engine) resolveConflicts(ctx context.Context, conflicts []view) bool {
	g := groupConflicts(conflicts)
	all := len(conflicts) > 0
	for _, txn := range slices.Sorted(maps.Keys(g.committed)) {
		views := g.committed[txn]
		all = e.rollForwardAll(ctx, txn, views[0].committed, idsOf(views)) == nil && all
	}
	for _, txn := range slices.Sorted(maps.Keys(g.aborted)) {
		all = e.rollBack(ctx, g.aborted[txn]) && all
	}
	all = e.resolveSingles(ctx, g.single) && all
	return e.abortExpired(ctx, g.pending) && all
}

// conflictGroups groups conflicts by how they are resolved.
type conflictGroups struct {
	committed, aborted map[string][]view // by transaction
	single             []view            // of one-document transactions
	pending            []string          // undecided multi-document transactions
}

func groupConflicts(conflicts []view) conflictGroups {
	g := conflictGroups{committed: make(map[string][]view), aborted: make(map[string][]view)}
	for _, v := range conflicts {
		switch txn := v.Intent.Txn; {
		case v.status == committed:
			g.committed[txn] = append(g.committed[txn], v)
		case v.status == aborted:
			g.aborted[txn] = append(g.aborted[txn], v)
		case !v.Intent.Multi:
			g.single = append(g.single, v)
		default:
			g.pending = append(g.pending, txn)
		}
	}
	slices.Sort(g.pending)
	g.pending = slices.Compact(g.pending)
	return g
}

func idsOf(views []view) []dovetail.ID {
	ids := make([]dovetail.ID, len(views))
	for i, v := range views {
		ids[i] = v.ID
	}
	return ids
}

// rollBack removes intents of aborted transactions or of one-document transactions. If the owner of such an intent is alive after
// all, its compare-and-set fails.
func (e *Engine) rollBack(ctx context.Context, views []view) bool {
	if len(views) == 0 {
		return true
	}
	changes := make([]Change, len(views))
	for i, v := range views {
		changes[i] = resolveIntent(v.Record, false, Stamp{})
	}
	n, err := e.server.Apply(ctx, changes)
	e.resolved(false, n)
	return err == nil
}

// resolveSingles resolves the intents of one-document transactions whose owners seem dead.
func (e *Engine) resolveSingles(ctx context.Context, views []view) bool {
	if slices.ContainsFunc(views, func(v view) bool { return v.replaced() }) {
		e.env.KeepNow()
	}
	all := true
	var dead []view
	var replaced []*Record
	for _, v := range views {
		if v.status == undecided {
			all = false
			continue
		}
		switch expired := e.env.Expired(string(v.ID) + " " + v.Intent.Txn); {
		case !expired:
			all = false
		case v.replaced():
			replaced = append(replaced, v.Record)
		default:
			dead = append(dead, v)
		}
	}
	if len(replaced) > 0 {
		all = e.finishReplaced(ctx, replaced) == nil && all
	}
	return e.rollBack(ctx, dead) && all
}

// abortExpired aborts pending transactions whose owners have sent no heartbeat for half a lease. It reports whether all of the
// transactions are decided.
func (e *Engine) abortExpired(ctx context.Context, txns []string) bool {
	if len(txns) == 0 {
		return true
	}
	entries, err := e.server.Entries(ctx, txns)
	if err != nil {
		return false
	}
	all := true
	for _, txn := range txns {
		if entry, there := entries[txn]; there && entry.State == Pending {
			all = e.abortEntry(ctx, entry) && all
		}
	}
	return all
}

// abortEntry aborts a pending transaction if its owner has sent no heartbeat for half a lease, and reports whether it did.
func (e *Engine) abortEntry(ctx context.Context, entry LogEntry) bool {
	if !e.env.Expired(entry.Txn + " " + strconv.Itoa(entry.Heartbeats)) {
		return false
	}
	deleted, err := e.server.DeleteEntry(ctx, entry.Txn, Pending)
	return err == nil && deleted
}

// Heartbeat shows other processes that the owner of a pending transaction is alive.
func (e *Engine) Heartbeat(ctx context.Context, txn string, count int) error {
	_, err := e.server.UpdateEntry(ctx, txn, Pending, EntryUpdate{State: Pending, Heartbeats: count})
	return err
}

// Sweep resolves what dead processes left: intents, and transaction records that are pending or committed. It skips what it has not
// seen for half a lease, and the intents of transactions whose records stay open, which are resolved with the record. It reports
// whether it found nothing at all, not even what belongs to running processes.
func (e *Engine) Sweep(ctx context.Context) (clean bool, err error) {
	open, err := collect(e.server.OpenEntries(ctx))
	if err != nil {
		return false, err
	}
	clean = len(open) == 0
	stay, err := e.sweepEntries(ctx, open)
	if err != nil {
		return false, err
	}
	var conflicts []view
	for v, err := range e.views(ctx, e.server.WithOtherIntent(ctx, stay), sweepBatch, false) {
		if err != nil {
			return false, err
		}
		clean = false
		if v.status != noIntent {
			conflicts = append(conflicts, v)
		}
		if len(conflicts) == sweepBatch {
			e.resolveConflicts(ctx, conflicts)
			conflicts = conflicts[:0]
		}
	}
	e.resolveConflicts(ctx, conflicts)
	return clean, nil
}

// sweepBatch is how many intents a sweep resolves at a time.
const sweepBatch = 1000

// sweepEntries aborts pending transactions without heartbeats, and completes committed ones that their owners have not. It returns
// the transactions whose records stay open.
func (e *Engine) sweepEntries(ctx context.Context, open []LogEntry) (stay []string, err error) {
	for _, entry := range open {
		switch {
		case entry.State == Pending && e.abortEntry(ctx, entry):
		case entry.State == Committed && e.env.Expired(entry.Txn+" committed"):
			if err := e.completeCommit(ctx, entry); err != nil {
				return nil, err
			}
		default:
			stay = append(stay, entry.Txn)
		}
	}
	return stay, nil
}

// completeCommit rolls forward all intents of a committed transaction. Once none is left there never will be one, since all of them
// were set before the commit.
func (e *Engine) completeCommit(ctx context.Context, entry LogEntry) error {
	heads, err := collect(e.server.WithIntent(ctx, entry.Txn))
	if err != nil {
		return err
	}
	ids := make([]dovetail.ID, len(heads))
	for i, r := range heads {
		ids[i] = r.ID
	}
	if err := e.rollForwardAll(ctx, entry.Txn, entry.Stamp, ids); err != nil {
		return err
	}
	return e.server.ResolveEntries(ctx, []string{entry.Txn})
}

// rollForwardAll rolls forward any number of intents of a transaction, in batches to limit memory.
func (e *Engine) rollForwardAll(ctx context.Context, txn string, at Stamp, ids []dovetail.ID) error {
	for part := range slices.Chunk(ids, probeBatch) {
		if err := e.rollForward(ctx, txn, at, part); err != nil {
			return err
		}
	}
	return nil
}

// rollForward rolls forward intents of a transaction that committed at the timestamp.
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

// resolved reports removed intents of other processes.
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
