package protocol

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// commits collects the commits of the history from the records, the versions and the log. Their order of reading matters: a version
// that is replaced meanwhile moves from the record to its intent, and from there to the stored versions, and may be found twice.
type commits struct {
	commits []commit
	seen    map[uint64]bool
}

func newCommits() *commits { return &commits{seen: make(map[uint64]bool)} }

func (c *commits) add(one commit) {
	if !c.seen[one.key] {
		c.seen[one.key] = true
		c.commits = append(c.commits, one)
	}
}

// addRecord adds the commit of a record or version that a one-document transaction has written, if it is final.
func (c *commits) addRecord(r *Record) {
	if r.Doc != nil && !r.replaced() && !r.implicit() {
		c.add(commit{key: hash(r.Txn, r.ID), stamp: r.Stamp, changes: []store.Change{changeOf(opOf(r), r.Doc)}, by: r.By})
	}
}

// addReplaced adds the commits from a timestamp on, and before another one, of versions that were replaced and are not stored yet.
func (c *commits) addReplaced(records iter.Seq2[*Record, error], from, before Stamp) error {
	for r, err := range records {
		if err != nil {
			return err
		}
		if r.replaced() && !r.Intent.Prev.Stamp.Before(from) && r.Intent.Prev.Stamp.Before(before) {
			c.addRecord(r.Intent.Prev)
		}
	}
	return nil
}

// addEntry adds the commit of a transaction record.
func (c *commits) addEntry(entry LogEntry) {
	c.add(commit{key: hash(entry.Txn, ""), stamp: entry.Stamp, changes: entry.Changes, by: entry.By})
}

// TransactionsAfter yields all commits after a position up to now, oldest first; see store.Historian. Nothing can be committed any
// more where it reads, so that every commit is found, and in its place.
func (e *Engine) TransactionsAfter(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		if err := e.transactionsAfter(ctx, after, func(set store.Transaction) bool { return yield(set, nil) }); err != nil {
			yield(store.Transaction{}, err)
		}
	}
}

func (e *Engine) transactionsAfter(ctx context.Context, after store.Cursor, yield func(store.Transaction) bool) error {
	p, err := e.parseCursor(after)
	if err != nil {
		return err
	}
	now, err := e.settledNow(ctx)
	if err != nil {
		return err
	}
	from := e.historyFrom(p)
	for end := now.next(); from.Before(end); {
		page, next, err := e.commitsFrom(ctx, from, end)
		if err != nil {
			return err
		}
		oldest, err := e.server.Oldest(ctx) // after the page was read: some of it may have been deleted meanwhile
		if err != nil {
			return err
		}
		if from.Before(oldest) {
			return expired()
		}
		for _, c := range page {
			if !slices.Contains(p.seen, c.key) && !yield(e.transaction(c)) {
				return nil
			}
		}
		from = next
	}
	yield(store.Transaction{Cursor: e.settledCursor(later(now, p.high)), Time: now.Time()})
	return nil
}

// historyFrom returns the timestamp from which on the history has commits after a position, except those that the position lists.
// The position of a commit, and one that At has returned, is after all commits up to its timestamp. Other positions are those of
// readers of changes, who may not have received all commits since low.
func (e *Engine) historyFrom(p position) Stamp {
	if len(p.seen) == 0 && p.entry == 0 && (p.low == p.high || p.low == p.high.Back(e.env.VisibilityWindow)) {
		return p.high.next()
	}
	return p.low
}

// historyPage is the number of changes that are read from each source of the history at a time.
const historyPage = 500

// commitsFrom returns some commits from a timestamp on, the earliest first, and the timestamp from which to continue: end after the
// last page. Commits of one timestamp are never on two pages, and in the order of their documents. The sources are read in the order
// in which versions move through them.
func (e *Engine) commitsFrom(ctx context.Context, from, end Stamp) ([]commit, Stamp, error) {
	all := newCommits()
	stampOf := func(r *Record) Stamp { return r.Stamp }
	addRecord := func(r *Record) int {
		if !store.IsInternal(r.ID) { // of which there are no earlier versions
			all.addRecord(r)
		}
		return 1
	}
	end, err := eachUntil(e.server.Changed(ctx, from), end, stampOf, addRecord)
	if err != nil {
		return nil, end, err
	}
	if err := all.addReplaced(e.server.WithIntent(ctx, ""), from, end); err != nil {
		return nil, end, err
	}
	if end, err = eachUntil(e.server.ChangedVersions(ctx, from), end, stampOf, addRecord); err != nil {
		return nil, end, err
	}
	end, err = eachUntil(e.server.Log(ctx, from), end, func(entry LogEntry) Stamp { return entry.Stamp }, func(entry LogEntry) int {
		if slices.ContainsFunc(entry.Changes, func(c store.Change) bool { return !store.IsInternal(c.ID) }) {
			all.addEntry(entry)
		}
		return 1 + len(entry.Changes)
	})
	if err != nil {
		return nil, end, err
	}
	page := slices.DeleteFunc(all.commits, func(c commit) bool { return !c.stamp.Before(end) })
	slices.SortFunc(page, func(a, b commit) int {
		return cmp.Or(a.stamp.Compare(b.stamp), cmp.Compare(firstID(a), firstID(b)), cmp.Compare(a.key, b.key))
	})
	return page, end, nil
}

func firstID(c commit) dovetail.ID { return c.changes[0].ID }

// eachUntil passes on the items with timestamps before end, which are in the order of timestamps: those of a page, by the sizes that do
// returns, and all with the timestamp of the last. It returns the timestamp before which none is missing: end, or an earlier one if
// there are more.
func eachUntil[T any](items iter.Seq2[T, error], end Stamp, stampOf func(T) Stamp, do func(T) (size int)) (Stamp, error) {
	size, last := 0, Stamp{}
	for item, err := range items {
		if err != nil {
			return end, err
		}
		stamp := stampOf(item)
		if !stamp.Before(end) {
			break
		}
		if size >= historyPage && stamp != last {
			return stamp, nil
		}
		size, last = size+do(item), stamp
	}
	return end, nil
}
