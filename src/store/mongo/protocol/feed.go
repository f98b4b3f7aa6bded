package protocol

import (
	"context"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// feed is one reader of the changes. What was committed is found by stamps: those of documents, for
// transactions of one document, and those of the log, for deletions and transactions of several.
//
// Reads may see a commit later than others with later stamps, by Env.VisibilityWindow at most. So the feed
// reads that far back again and again, and knows what it has yielded. Most stragglers are late by less
// than Env.UsualDelay: every poll goes back that far, and only now and then one goes back all the way.
type feed struct {
	engine *Engine

	// Everything stamped before low has been yielded, or superseded; of what is stamped later, what is
	// in seen. High is the latest stamp seen.
	low, high Stamp
	seen      map[uint64]Stamp
	// last holds what was yielded last of each document, as far as it is stamped after low.
	last map[dovetail.ID]yielded

	next  Stamp // where a reader that is behind goes on
	polls int

	now  Stamp     // the server's clock when it was read
	read time.Time // when that was
}

// yielded is a change that a reader has got.
type yielded struct {
	store.Change
	stamp Stamp
}

// After how many polls one goes back all the way, and after how many the server's clock is read again;
// in between the local clock says how far it has moved.
const (
	fullPollEvery  = 8
	clockReadEvery = 64 * fullPollEvery
)

func (e *Engine) newFeed(p position) *feed {
	f := &feed{engine: e, low: p.low, high: p.high, next: p.low,
		seen: make(map[uint64]Stamp, len(p.seen)), last: make(map[dovetail.ID]yielded)}
	for _, h := range p.seen {
		f.seen[h] = p.high // the stamp is learned when the commit is met again
	}
	return f
}

// Head returns the cursor of now. It moves with what is committed, not with the clock.
func (e *Engine) Head(ctx context.Context) (store.Cursor, error) {
	latest, purged, err := e.server.Latest(ctx)
	if err != nil {
		return "", err
	}
	low := later(latest.Back(e.env.VisibilityWindow), purged)
	f := e.newFeed(position{low: low, high: low})
	if _, err := f.readNew(ctx, low, Stamp{}); err != nil {
		return "", err
	}
	return f.cursor(), nil
}

// Changes yields what was committed after the cursor, and then waits for more; see store.Backend.
func (e *Engine) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		if err := e.follow(ctx, after, yield); err != nil && ctx.Err() == nil {
			yield(store.Transaction{}, err)
		}
	}
}

// follow yields until the reader has enough or the context ends.
func (e *Engine) follow(ctx context.Context, after store.Cursor, yield func(store.Transaction, error) bool) error {
	at, err := e.parseCursor(after)
	if err != nil {
		return err
	}
	f := e.newFeed(at)
	if more, err := f.catchUp(ctx, yield); err != nil || !more {
		return err
	}
	for ; ; f.polls++ {
		since := f.low
		if recent := f.high.Back(e.env.UsualDelay); f.polls%fullPollEvery != 0 && since.Before(recent) {
			since = recent
		}
		wait := e.env.Listen()
		if f.polls%clockReadEvery == 0 {
			if err := f.readClock(ctx); err != nil {
				return err
			}
		}
		watermark, whole := f.watermark(), since == f.low
		if more, err := f.poll(ctx, since, Stamp{}, yield); err != nil || !more {
			return err
		}
		if whole {
			f.advance(watermark)
		}
		if err := wait(ctx); err != nil {
			return err
		}
	}
}

// poll reads once and yields what is new.
func (f *feed) poll(ctx context.Context, since, fence Stamp, yield func(store.Transaction, error) bool) (more bool, err error) {
	sets, err := f.readNew(ctx, since, fence)
	if err != nil {
		return false, err
	}
	for _, set := range sets {
		if !yield(set, nil) {
			return false, nil
		}
	}
	return true, nil
}

// catchUp reads what lies behind: up to where nothing new appears, and never again.
func (f *feed) catchUp(ctx context.Context, yield func(store.Transaction, error) bool) (more bool, err error) {
	for {
		if err := f.readClock(ctx); err != nil {
			return false, err
		}
		fence := f.watermark()
		if !f.next.Before(fence.Back(f.engine.env.UsualDelay)) {
			return true, nil
		}
		for f.next.Before(fence) {
			if more, err := f.poll(ctx, f.next, fence, yield); err != nil || !more {
				return false, err
			}
		}
	}
}

// readClock reads the server's clock. A cursor from the future is invalid: no server returned it.
func (f *feed) readClock(ctx context.Context) error {
	now, err := f.engine.server.Now(ctx)
	if err != nil {
		return err
	}
	if now.Time().Add(time.Hour).Before(f.high.Time()) {
		return invalidCursor()
	}
	f.now, f.read = now, f.engine.env.Clock()
	return nil
}

// watermark is the stamp before which nothing new appears.
func (f *feed) watermark() Stamp {
	return f.now.Forward(f.engine.env.Clock().Sub(f.read)).Back(f.engine.env.VisibilityWindow)
}

// cursor is the position of the feed.
func (f *feed) cursor() store.Cursor {
	p := position{low: f.low, high: f.high}
	if len(f.seen) <= maxSeen {
		for h := range f.seen {
			p.seen = append(p.seen, h)
		}
	}
	return f.engine.cursor(p)
}
