package protocol

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// feed turns commits that were found by their timestamps into transactions for a reader, and tracks what it has yielded.
//
// A commit may become visible after others with later timestamps, by up to Env.VisibilityWindow. So its callers read that far back
// again and again, and the feed skips what it has already yielded.
type feed struct {
	engine *Engine

	// Everything with a timestamp before low has been yielded or superseded; of everything later, seen has what was yielded. High
	// is the latest timestamp seen.
	low, high Stamp
	seen      map[uint64]Stamp
	// last has the last yielded change of each document, if its timestamp is not before low, less stampSlack.
	last map[dovetail.ID]yielded

	// The reader may have received commits with timestamps up to resumed from another feed, and later changes of the same
	// documents, too. Exact means that seen lists all of those commits.
	resumed Stamp
	exact   bool
	entry   uint32 // identifies an entry of a tail in cursors that do not list the commits
	// Documents that were created since this timestamp are reported as created, once; told has the creations that were reported.
	// LeftOut has the uids of those whose creation was skipped because a later change follows, which is reported as the creation.
	// Until then cursors go back to the first of them, since a reader that resumes there must find it again.
	since        Stamp
	told         map[uint64]bool
	leftOut      map[string]bool
	firstLeftOut Stamp
}

// maxTold is the maximum number of creations that a feed tracks while it catches up.
const maxTold = 100_000

// yielded is a change that a reader has received.
type yielded struct {
	store.Change
	stamp Stamp
}

// newFeed returns a feed that continues at a position.
func (e *Engine) newFeed(p position) *feed {
	f := &feed{engine: e, low: p.low, high: p.high, since: p.low, seen: make(map[uint64]Stamp, len(p.seen)), last: make(map[dovetail.ID]yielded)}
	for _, h := range p.seen {
		f.seen[h] = p.high // the timestamp is set when the commit is read again
	}
	return f
}

// resume returns the feed for a reader that has received everything up to the position from another feed. The position does not say
// which later changes the reader has received, so uncertain changes are yielded again only if each is the last change of its
// document: no reader receives an earlier revision after a later one.
func (e *Engine) resume(p position) *feed {
	f := e.newFeed(p)
	f.resumed, f.exact, f.told, f.leftOut = p.high, p.exact(), make(map[uint64]bool), make(map[string]bool)
	return f
}

// Head returns the current cursor: all that was acknowledged before the call is before it. It advances with commits, not with the
// clock.
func (e *Engine) Head(ctx context.Context) (store.Cursor, error) {
	if err := e.decideAnswered(ctx); err != nil {
		return "", err
	}
	if e.tail.isRead() {
		return e.tail.head(ctx)
	}
	latest, purged, err := e.server.Latest(ctx)
	if err != nil {
		return "", err
	}
	low := later(latest.Back(e.env.VisibilityWindow), purged)
	f := e.newFeed(position{low: low, high: low})
	found, err := e.read(ctx, low, Stamp{})
	if err != nil {
		return "", err
	}
	for _, c := range found.commits {
		f.emit(c, nil)
	}
	f.advance(f.high.Back(e.env.VisibilityWindow))
	if len(f.seen) > e.env.CursorCommits { // then only a cursor of the tail says what a reader that starts here must not receive
		return e.tail.head(ctx)
	}
	return f.cursor(), nil
}

// Changes yields what is committed after the cursor, and then waits for more; see store.Backend. Readers share the changes and must
// not modify them.
func (e *Engine) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		if err := e.follow(ctx, after, true, yield); err != nil && ctx.Err() == nil {
			yield(store.Transaction{}, err)
		}
	}
}

// ChangesUntilNow ends where Changes would wait for commits that follow the call; see store.Backend.
func (e *Engine) ChangesUntilNow(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		if err := e.follow(ctx, after, false, yield); err != nil && ctx.Err() == nil {
			yield(store.Transaction{}, err)
		}
	}
}

// follow yields until the reader stops or the context ends: first what was committed before, then from the shared tail. A reader
// that is too slow for the tail resumes. With waits false, it ends when everything that was committed before the call is yielded.
func (e *Engine) follow(ctx context.Context, after store.Cursor, waits bool, yield func(store.Transaction, error) bool) error {
	defer e.tail.enter()()
	if !waits { // then the tail has everything that was committed before the call
		if err := e.decideAnswered(ctx); err != nil {
			return err
		}
		if err := e.tail.refresh(ctx); err != nil {
			return err
		}
	}
	pass := func(t store.Transaction) bool {
		after = t.Cursor
		return ctx.Err() == nil && yield(t, nil)
	}
	for {
		at, more, err := e.join(ctx, after, pass)
		for more && err == nil {
			if !waits && e.tail.isLast(at) {
				return nil
			}
			var batch []*published
			if batch, err = e.tail.next(ctx, at); len(batch) == 0 {
				break
			}
			for _, p := range batch {
				if more = pass(p.set); !more {
					return nil
				}
			}
			at += uint64(len(batch))
		}
		if err != nil || !more {
			return err
		}
	}
}

// delivered reports whether the reader has received a commit.
func (f *feed) delivered(c commit) bool {
	_, seen := f.seen[c.key]
	return seen
}

// emit returns the transaction of a commit, without changes if the reader has already received it, or later changes of all its
// documents. It skips superseded changes among those that the reader may have received before it resumed.
func (f *feed) emit(c commit, overtaken func(store.Change) bool) store.Transaction {
	f.high = later(f.high, c.stamp)
	if f.delivered(c) {
		f.seen[c.key] = c.stamp
		return store.Transaction{}
	}
	uncertain := overtaken != nil && !f.resumed.Before(c.stamp)
	var changes []store.Change
	left := 0
	for _, change := range c.changes {
		if f.superseded(change, c.stamp) {
			continue
		}
		creates := f.creates(c)
		before, met := f.last[change.ID]
		if creates || change.Op == store.Updated && (f.leftOut[change.UID] || met && before.UID != change.UID) {
			change.Op = store.Created
		}
		if uncertain && overtaken(change) {
			f.leaveOut(change, c.stamp)
			left++
			continue
		}
		if creates {
			f.tell(c)
		}
		delete(f.leftOut, change.UID)
		f.last[change.ID] = yielded{change, c.stamp}
		changes = append(changes, change)
	}
	if left == 0 { // otherwise a reader that resumes here must receive what was skipped
		f.seen[c.key] = c.stamp
	}
	if len(changes) == 0 {
		return store.Transaction{}
	}
	return store.Transaction{Cursor: f.cursor(), Time: c.stamp.Time(), Changes: changes, Provenance: c.by}
}

// leaveOut records a change that is skipped because a later one follows.
func (f *feed) leaveOut(change store.Change, stamp Stamp) {
	switch change.Op {
	case store.Created:
		if len(f.leftOut) == 0 {
			f.firstLeftOut = stamp
		}
		f.leftOut[change.UID] = true
	case store.Deleted:
		delete(f.leftOut, change.UID)
	}
}

// creates reports whether the creation of the document has not been reported yet.
func (f *feed) creates(c commit) bool {
	_, seen := f.seen[c.origin]
	return c.origin != 0 && !seen && !f.told[c.origin] && !c.created.IsZero() && !c.created.Before(f.since)
}

// tell records that the creation of a document was reported.
func (f *feed) tell(c commit) {
	f.seen[c.origin] = c.created
	if f.told == nil {
		return
	}
	if len(f.told) == maxTold {
		clear(f.told)
		f.since = f.low
	}
	f.told[c.origin] = true
}

// superseded reports whether the reader has received this change of a document, or a later one.
func (f *feed) superseded(change store.Change, stamp Stamp) bool {
	last, met := f.last[change.ID]
	switch {
	case !met:
		return false
	case last.UID != change.UID:
		return stamp.Before(last.stamp)
	case last.Revision != change.Revision:
		return change.Revision < last.Revision
	}
	return change.Op != store.Deleted || last.Op == store.Deleted
}

// advance raises low, and drops what has an earlier timestamp by more than stampSlack.
func (f *feed) advance(low Stamp) {
	if !f.low.Before(low) {
		return
	}
	f.low = low
	if f.told == nil {
		f.since = low
	}
	keep := low.Back(stampSlack)
	for h, stamp := range f.seen {
		if stamp.Before(keep) {
			delete(f.seen, h)
		}
	}
	for id, y := range f.last {
		if y.stamp.Before(keep) {
			delete(f.last, id)
		}
	}
}

// cursor returns the position of the feed.
func (f *feed) cursor() store.Cursor {
	p := position{low: f.low, high: f.high}
	complete := f.exact || f.resumed.Before(f.low) // a feed that started here has nothing else
	if len(f.leftOut) > 0 && f.firstLeftOut.Before(f.low) {
		p.low, complete = f.firstLeftOut, false
	}
	if complete && len(f.seen) <= f.engine.env.CursorCommits {
		p.seen = slices.Collect(maps.Keys(f.seen))
	}
	if !p.exact() {
		p.entry = f.entry
	}
	return f.engine.cursor(p)
}

func earlier(a, b Stamp) Stamp {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b Stamp) Stamp {
	if a.Before(b) {
		return b
	}
	return a
}

func expired() error {
	return &dovetail.Error{Code: dovetail.CodeExpired, Message: "the cursor is older than the history of changes that is kept",
		Remedy: "read the documents again and go on from now"}
}

func invalidCursor() error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this is not a cursor of this store",
		Remedy: "give one that was answered, or none to begin now"}
}
