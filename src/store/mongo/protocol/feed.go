package protocol

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// feed makes transactions for readers of the commits that are found by their stamps, and knows what it has yielded.
//
// Reads may see a commit later than others with later stamps, by Env.VisibilityWindow at most. So who reads goes
// that far back again and again, and the feed leaves out what it has yielded.
type feed struct {
	engine *Engine

	// Everything stamped before low has been yielded, or superseded; of what is stamped later, what is
	// in seen. High is the latest stamp seen.
	low, high Stamp
	seen      map[uint64]Stamp
	// last holds what was yielded last of each document, as far as it is stamped after low.
	last map[dovetail.ID]yielded

	// What is stamped up to resumed the reader may have got before, from another feed, and later changes of the same documents
	// too. Exact says that seen names all that it has got of that.
	resumed Stamp
	exact   bool
	entry   uint32 // what cursors name of a tail, where they do not name the commits
	// Documents that were created since are reported as such, once: told names the creations that were. LeftOut are the uids of those whose
	// creation was left out, since a later change follows, which is reported as the creation. Until then cursors go back to the first of
	// those, for who resumes there must meet it again.
	since        Stamp
	told         map[uint64]bool
	leftOut      map[string]bool
	firstLeftOut Stamp
}

// maxTold is how many creations a feed that lies behind remembers.
const maxTold = 100_000

// yielded is a change that a reader has got.
type yielded struct {
	store.Change
	stamp Stamp
}

// newFeed returns a feed that goes on at a position.
func (e *Engine) newFeed(p position) *feed {
	f := &feed{engine: e, low: p.low, high: p.high, since: p.low, seen: make(map[uint64]Stamp, len(p.seen)), last: make(map[dovetail.ID]yielded)}
	for _, h := range p.seen {
		f.seen[h] = p.high // the stamp is learned when the commit is met again
	}
	return f
}

// resume returns the feed of a reader that has got what the position says from another feed. Of the documents that position does not
// say more than their changes, so what may be in it is yielded again only where it is the last change of its document:
// nobody gets an earlier revision after a later one.
func (e *Engine) resume(p position) *feed {
	f := e.newFeed(p)
	f.resumed, f.exact, f.told, f.leftOut = p.high, p.exact(), make(map[uint64]bool), make(map[string]bool)
	return f
}

// Head returns the cursor of now. It moves with what is committed, not with the clock.
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
	if len(f.seen) > e.env.CursorCommits { // then only the tail knows what a reader that begins here has not to get
		return e.tail.head(ctx)
	}
	return f.cursor(), nil
}

// Changes yields what was committed after the cursor, and then waits for more; see store.Backend. Readers share what they get:
// nobody may change it.
func (e *Engine) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		if err := e.follow(ctx, after, true, yield); err != nil && ctx.Err() == nil {
			yield(store.Transaction{}, err)
		}
	}
}

// ChangesUntilNow ends where Changes would wait for what is committed after the call; see store.Backend.
func (e *Engine) ChangesUntilNow(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		if err := e.follow(ctx, after, false, yield); err != nil && ctx.Err() == nil {
			yield(store.Transaction{}, err)
		}
	}
}

// follow yields until the reader has enough or the context ends: first what lies behind, then what all readers follow. A reader
// that is too slow for that resumes. One that does not wait ends when it has all that was committed before the call.
func (e *Engine) follow(ctx context.Context, after store.Cursor, waits bool, yield func(store.Transaction, error) bool) error {
	defer e.tail.enter()()
	if !waits { // then the tail has all that was committed before now
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

// delivered says whether the reader has got a commit.
func (f *feed) delivered(c commit) bool {
	_, seen := f.seen[c.key]
	return seen
}

// emit returns the set of a commit, without changes if the reader has it already or has got later
// ones of all its documents. Of what the reader may have got before it resumed, changes that are overtaken are left out.
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
	if left == 0 { // otherwise who resumes from here must learn what was left out
		f.seen[c.key] = c.stamp
	}
	if len(changes) == 0 {
		return store.Transaction{}
	}
	return store.Transaction{Cursor: f.cursor(), Time: c.stamp.Time(), Changes: changes, Provenance: c.by}
}

// leaveOut notes what is not told because a later change follows.
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

// creates says whether the creation of the document of a commit is news.
func (f *feed) creates(c commit) bool {
	_, seen := f.seen[c.origin]
	return c.origin != 0 && !seen && !f.told[c.origin] && !c.created.IsZero() && !c.created.Before(f.since)
}

// tell remembers that the creation of a document was reported.
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

// superseded says whether the reader has got this change of a document, or a later one.
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

// advance moves low, and forgets what was stamped before.
// Documents may be created a moment after they are stamped, so that a little more is kept.
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

// cursor is the position of the feed.
func (f *feed) cursor() store.Cursor {
	p := position{low: f.low, high: f.high}
	complete := f.exact || f.resumed.Before(f.low) // of a feed that began here there is nothing else
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
