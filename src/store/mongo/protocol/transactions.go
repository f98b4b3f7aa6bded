package protocol

import (
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Versions yields the history of a document, newest first; see store.Historian.
func (e *Engine) Versions(ctx context.Context, id dovetail.ID) iter.Seq2[store.Version, error] {
	return func(yield func(store.Version, error) bool) {
		views, oldest, err := e.findVersions(ctx, []dovetail.ID{id}, true)
		if err != nil {
			yield(store.Version{}, err)
			return
		}
		found := false
		for v, err := range e.withCurrent(ctx, views[id].own(), id) {
			if err != nil {
				yield(store.Version{}, err)
				return
			}
			found = true
			if !yield(e.event(v, oldest), nil) {
				return
			}
		}
		if !found {
			yield(store.Version{}, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id,
				Message: string(id) + " does not exist, and did not as far as the history reaches"})
		}
	}
}

// CurrentVersions returns the versions that documents have; see store.Historian.
func (e *Engine) CurrentVersions(ctx context.Context, ids []dovetail.ID) ([]*store.Version, error) {
	views, oldest, err := e.findVersions(ctx, ids, false)
	if err != nil {
		return nil, err
	}
	found := make([]*store.Version, len(ids))
	for i, id := range ids {
		if own := views[id].own(); len(own) > 0 && !own[0].Gone {
			version := e.event(own[0], oldest)
			version.Document = nil
			found[i] = &version
		}
	}
	return found, nil
}

// findVersions returns views of the records that exist, after the updates that were in progress, and the timestamp back to which the
// history reaches.
func (e *Engine) findVersions(ctx context.Context, ids []dovetail.ID, whole bool) (views map[dovetail.ID]view, oldest Stamp, err error) {
	views, err = e.findDecided(ctx, ids, whole)
	if err != nil {
		return nil, oldest, err
	}
	var replaced []*Record
	for _, id := range ids {
		if v := views[id]; v.Record != nil && v.replaced() {
			replaced = append(replaced, v.Record)
		}
	}
	if len(replaced) > 0 {
		if _, err = e.awaitSingle(ctx, replaced); err != nil {
			return nil, oldest, err
		}
		if views, err = e.findDecided(ctx, ids, whole); err != nil {
			return nil, oldest, err
		}
	}
	oldest, err = e.server.Oldest(ctx)
	return views, oldest, err
}

// own returns the versions that the record itself has, the latest first.
func (v view) own() []*Record {
	if v.Record == nil || v.Doc == nil {
		return nil
	}
	if v.replaced() { // by an update that was not acknowledged when this read started
		return []*Record{v.Intent.Prev}
	}
	now := versionOf(v.Record)
	if v.status == noIntent {
		return []*Record{now}
	}
	happened := v.status == committed && !v.Intent.LockOnly
	switch m := v.Intent; {
	case m.Op == Create && happened:
		return []*Record{{ID: v.ID, Doc: v.Doc, Txn: m.Txn, Origin: m.Txn, Since: v.committed, By: v.By}}
	case m.Op == Create:
		return nil
	case happened && rewrites(v.Record):
		now.Doc = m.Next
	case happened:
		next := &Record{ID: v.ID, Doc: m.Next, Txn: m.Txn, Origin: v.Origin, Since: v.committed, By: m.By}
		if m.Op == Delete {
			next.Doc, next.Gone = v.Doc, true
		}
		return []*Record{next, now}
	}
	return []*Record{now}
}

// withCurrent merges the stored versions of a document with those in its record, some of which may be stored, too.
func (e *Engine) withCurrent(ctx context.Context, own []*Record, id dovetail.ID) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for v, err := range e.server.VersionsOf(ctx, id) {
			if err != nil {
				yield(nil, err)
				return
			}
			same := false
			for len(own) > 0 && !own[0].Committed().Before(v.Committed()) {
				if !yield(own[0], nil) {
					return
				}
				same = VersionKey(own[0]) == VersionKey(v)
				own = own[1:]
			}
			if !same && !yield(v, nil) {
				return
			}
		}
		for _, v := range own {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// event returns the change that produced a version.
func (e *Engine) event(v *Record, oldest Stamp) store.Version {
	event := store.Version{Change: changeOf(opOf(v), v.Doc)}
	if at := v.Committed(); !at.IsZero() && !at.Before(oldest) {
		event.Transaction = store.Transaction{Cursor: e.commitCursor(at), Time: at.Time(), Provenance: v.By}
	}
	if !v.Gone && !v.Erased {
		event.Document = v.Doc
	}
	return event
}

func opOf(v *Record) store.Op {
	switch {
	case v.Gone:
		return store.Deleted
	case v.isCreation():
		return store.Created
	}
	return store.Updated
}

// transactionsPage is how many transactions are read at a time.
const transactionsPage = 200

// Transaction returns the commit with the position or, for a position that At or PositionAt has returned, the last one before; see
// store.Historian.
func (e *Engine) Transaction(ctx context.Context, position store.Cursor) (store.Transaction, error) {
	p, err := e.parseCursor(position)
	if err != nil {
		return store.Transaction{}, err
	}
	if err := e.reaches(ctx, p.high); err != nil {
		return store.Transaction{}, err
	}
	if _, err := e.settle(ctx); err != nil {
		return store.Transaction{}, err
	}
	commits, _, err := e.commitsBefore(ctx, p.high.next())
	if err != nil {
		return store.Transaction{}, err
	}
	if len(commits) == 0 || commits[0].stamp != p.high && p.low != p.high {
		return store.Transaction{}, invalidCursor()
	}
	return e.transaction(commits[0]), nil
}

func (e *Engine) transaction(c commit) store.Transaction {
	return store.Transaction{Cursor: e.commitCursor(c.stamp), Time: c.stamp.Time(), Changes: c.changes, Provenance: c.by}
}

// Transactions yields the commits before a position, newest first; see store.Historian. Creations that were committed in one group
// are separate transactions.
func (e *Engine) Transactions(ctx context.Context, before store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		if err := e.transactions(ctx, before, func(set store.Transaction) bool { return yield(set, nil) }); err != nil {
			yield(store.Transaction{}, err)
		}
	}
}

func (e *Engine) transactions(ctx context.Context, before store.Cursor, yield func(store.Transaction) bool) error {
	var next Stamp
	if before == "" {
		now, err := e.settledNow(ctx)
		if err != nil {
			return err
		}
		next = now
	} else {
		p, err := e.parseCursor(before)
		if err != nil {
			return err
		}
		if next = p.high; p.low == p.high { // a position in time, not that of a commit
			next = next.next()
		}
		if err := e.reaches(ctx, next); err != nil {
			return err
		}
	}
	for !next.IsZero() {
		commits, end, err := e.commitsBefore(ctx, next)
		if err != nil {
			return err
		}
		oldest, err := e.server.Oldest(ctx)
		if err != nil {
			return err
		}
		for _, c := range commits {
			if c.stamp.Before(oldest) {
				return nil
			}
			if !yield(e.transaction(c)) {
				return nil
			}
		}
		next = end
	}
	return nil
}

// commitsBefore returns some commits before a timestamp, the latest first, and the timestamp before which to continue, zero at the
// end. Commits of one timestamp are never on two pages.
func (e *Engine) commitsBefore(ctx context.Context, before Stamp) (commits []commit, next Stamp, err error) {
	for limit := transactionsPage; ; limit *= 2 {
		commits, incomplete, err := e.readBefore(ctx, before, limit)
		if err != nil || incomplete.IsZero() {
			return commits, Stamp{}, err
		}
		if len(commits) > 0 {
			return commits, incomplete.next(), nil
		}
	}
}

// readBefore reads at most limit items of each source. Of the timestamp that it returns, zero if there is none, and of earlier ones, commits may be
// missing, which it leaves out.
func (e *Engine) readBefore(ctx context.Context, before Stamp, limit int) (commits []commit, incomplete Stamp, err error) {
	all := newCommits()
	for _, versions := range []bool{false, true} {
		read, last := 0, Stamp{}
		for r, err := range e.server.ChangedBefore(ctx, before, versions, limit) {
			if err != nil {
				return nil, incomplete, err
			}
			read, last = read+1, r.Stamp
			all.addRecord(r)
		}
		if read == limit {
			incomplete = later(incomplete, last)
		}
		if versions {
			break
		}
		if err := all.addReplaced(e.server.WithIntent(ctx, ""), Stamp{}.next(), before); err != nil {
			return nil, incomplete, err
		}
	}
	read, last := 0, Stamp{}
	for entry, err := range e.server.LogBefore(ctx, before, limit) {
		if err != nil {
			return nil, incomplete, err
		}
		read, last = read+1, entry.Stamp
		all.addEntry(entry)
	}
	if read == limit {
		incomplete = later(incomplete, last)
	}
	commits = slices.DeleteFunc(all.commits, func(c commit) bool { return !incomplete.IsZero() && !incomplete.Before(c.stamp) })
	slices.SortStableFunc(commits, func(a, b commit) int { return b.stamp.Compare(a.stamp) })
	return commits, incomplete, nil
}
