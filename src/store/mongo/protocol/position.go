package protocol

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// settleAttempts is how often At checks whether the intent of a one-document transaction is gone before it rolls it back: for about
// a third of a second.
const settleAttempts = 8

// At returns the store as of a position; see store.Historian.
func (e *Engine) At(ctx context.Context, at store.Cursor) (store.Snapshot, error) {
	s := &snapshot{engine: e, position: at}
	if at == "" {
		now, err := e.settledNow(ctx)
		if err != nil {
			return nil, err
		}
		s.at, s.position = now, e.settledCursor(now)
	} else {
		p, err := e.parseCursor(at)
		if err != nil {
			return nil, err
		}
		s.at = p.high
		if p.low != p.high { // a position that At has not returned
			if _, err := e.settle(ctx); err != nil {
				return nil, err
			}
		}
	}
	if err := s.reached(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// settledCursor returns the position of a timestamp at or before which nothing can be committed any more.
func (e *Engine) settledCursor(at Stamp) store.Cursor { return e.cursor(position{low: at, high: at}) }

// commitCursor returns the position of a commit.
func (e *Engine) commitCursor(at Stamp) store.Cursor {
	return e.cursor(position{low: at.Back(e.env.VisibilityWindow), high: at})
}

// PositionAt returns a position after the commits up to the end of the second of a time, and before later ones: that of now if the
// time is later; see store.Historian.
func (e *Engine) PositionAt(ctx context.Context, at time.Time) (store.Cursor, error) {
	now, err := e.settledNow(ctx)
	if err != nil {
		return "", err
	}
	if at.Unix() < int64(now.Seconds) { // commit times have a resolution of a second
		now = Stamp{uint32(max(at.Unix(), 0)), math.MaxUint32}
	}
	return e.settledCursor(now), e.reaches(ctx, now)
}

// reaches returns an error if the history does not reach back to a timestamp.
func (e *Engine) reaches(ctx context.Context, at Stamp) error {
	oldest, err := e.server.Oldest(ctx)
	if err == nil && at.Before(oldest) {
		err = &dovetail.Error{Code: dovetail.CodeExpired, Message: "the position is older than the history that is kept",
			Remedy: "read a later one; the server's settings say how much history is kept"}
	}
	return err
}

// settledNow returns a timestamp later than everything that was acknowledged before the call, and at or before which nothing can be
// committed any more. If settling gives a later timestamp to what may have been acknowledged, it takes another one: the second is
// later than all of that already, so it need not continue until nothing is moved.
func (e *Engine) settledNow(ctx context.Context) (now Stamp, err error) {
	for range snapshotAttempts {
		if now, err = e.server.Now(ctx); err != nil {
			return now, err
		}
		moved, err := e.settle(ctx)
		if err == nil && !moved {
			moved, err = e.movedSince(ctx, now)
		}
		if err != nil || !moved {
			return now, err
		}
	}
	return now, nil
}

// movedSince reports whether another process has given a later timestamp to a write that may have been acknowledged before the
// given one, and whose intent was gone before settle looked.
func (e *Engine) movedSince(ctx context.Context, at Stamp) (bool, error) {
	for r, err := range e.server.Changed(ctx, at) {
		if err != nil {
			return false, err
		}
		if r.Moved || r.replaced() && r.Intent.Prev.Moved {
			return true, nil
		}
	}
	return false, nil
}

// settle returns when everything that will ever be committed with a timestamp from before the call is visible, except writes of the
// store's own documents, which have no history. Every other commit is announced: by a transaction record, or by an intent. All but two
// kinds are announced before they take their timestamps, so that only those that are announced now can still get, or have got, such
// a timestamp. An update by a single write and an implicit creation take theirs with the intent: their owners read the record with
// ClockID afterwards, and take a new timestamp if this call may not have seen the intent.
//
// Pending transaction records get a new fence: a commit in progress then either succeeds first, or fails and is retried with a later
// timestamp. For intents of one-document transactions settle waits, and resolves those that stay. Moved means that a write that may
// have been acknowledged before the call has got a later timestamp.
func (e *Engine) settle(ctx context.Context) (moved bool, err error) {
	var waiting []*Record
	var open []LogEntry
	var failed, unread error
	e.env.Parallel(
		func() { waiting, failed = collect(e.server.WithIntent(ctx, "")) },
		func() { open, unread = collect(e.server.OpenEntries(ctx)) })
	if err := cmp.Or(failed, unread); err != nil {
		return false, err
	}
	waiting = slices.DeleteFunc(waiting, func(r *Record) bool { return r.Intent.Multi })
	var pending []string
	for _, entry := range open {
		if entry.State == Pending {
			pending = append(pending, entry.Txn)
		}
	}
	for part := range slices.Chunk(pending, probeBatch) {
		if err := e.server.FenceEntries(ctx, part, e.env.NewTxn()); err != nil {
			return false, nothingDone(err)
		}
	}
	return e.awaitSingle(ctx, waiting)
}

// awaitSingle returns when the intents of one-document transactions are gone. It completes updates by a single write, and creations
// that may have been acknowledged, after half a lease. Others, whose owners then retry, it rolls back after settleAttempts.
func (e *Engine) awaitSingle(ctx context.Context, waiting []*Record) (moved bool, err error) {
	if slices.ContainsFunc(waiting, func(r *Record) bool { return r.replaced() || r.implicit() }) {
		e.env.KeepNow()
	}
	for attempt := 1; len(waiting) > 0; attempt++ {
		again, err := e.env.Pause(ctx, attempt)
		if err != nil {
			return moved, dovetail.AsError(err)
		}
		left, late, err := e.stillThere(ctx, waiting)
		if err != nil {
			return moved, err
		}
		moved, waiting = moved || late, nil
		var made, implicit []*Record
		var changes []Change
		for _, r := range left {
			switch {
			case again && (r.replaced() || r.mayBeAnswered()) && !e.env.Expired(string(r.ID)+" "+r.Intent.Txn),
				again && !r.replaced() && !r.mayBeAnswered() && attempt < settleAttempts:
				waiting = append(waiting, r)
			case r.replaced():
				made = append(made, r)
			case r.mayBeAnswered():
				implicit = append(implicit, r)
			default:
				changes = append(changes, resolveIntent(r, false, Stamp{}))
			}
		}
		if len(changes) > 0 {
			n, err := e.server.Apply(ctx, changes)
			e.resolved(false, n)
			if err != nil {
				return moved, nothingDone(err)
			}
		}
		if len(implicit) > 0 {
			moved = true
			left, err := e.finishImplicit(ctx, implicit)
			if err != nil {
				return moved, err
			}
			waiting = append(waiting, left...)
			if len(left) > 0 && !again {
				return moved, errUndecided()
			}
		}
		if len(made) > 0 {
			moved = true
			if err := e.finishReplaced(ctx, made); err != nil {
				return moved, err
			}
		}
	}
	return moved, nil
}

// stillThere returns the records that still have the same intent, and whether one of the others, which may have been acknowledged
// with its timestamp, may have got a new one.
func (e *Engine) stillThere(ctx context.Context, records []*Record) (left []*Record, moved bool, err error) {
	ids := make([]dovetail.ID, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	now, err := e.server.Find(ctx, ids, false)
	if err != nil {
		return nil, false, err
	}
	for _, r := range records {
		found := now[r.ID]
		if found != nil && found.Intent != nil && found.Intent.Txn == r.Intent.Txn {
			left = append(left, found)
		} else if r.replaced() {
			moved = moved || wasMoved(found, r.Intent.Txn)
		} else if r.implicit() {
			moved = moved || found == nil || found.Origin != r.Intent.Txn || found.Created != r.Stamp
		}
	}
	return left, moved, nil
}
