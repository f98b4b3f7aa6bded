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

// settleAttempts is how often At looks whether an intent of one document is gone before it takes it away: for about half
// a second.
const settleAttempts = 8

// At returns the store as of a position; see store.Historian.
func (e *Engine) At(ctx context.Context, at store.Cursor) (store.Snapshot, error) {
	s := &snapshot{engine: e, position: at}
	settled := false
	if at == "" {
		now, err := e.server.Now(ctx)
		if err != nil {
			return nil, err
		}
		s.at, s.position = now, e.settledCursor(now)
	} else {
		p, err := e.parseCursor(at)
		if err != nil {
			return nil, err
		}
		s.at, settled = p.high, p.low == p.high
	}
	if !settled {
		if err := e.settle(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.reached(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// settledCursor is the position of a stamp once nothing can be committed any more with that stamp or an earlier one.
func (e *Engine) settledCursor(at Stamp) store.Cursor { return e.cursor(position{low: at, high: at}) }

// commitCursor is the position of a commit.
func (e *Engine) commitCursor(at Stamp) store.Cursor {
	return e.cursor(position{low: at.Back(e.env.VisibilityWindow), high: at})
}

// PositionAt returns the position of the last commit that is not later than the time; see store.Historian.
func (e *Engine) PositionAt(ctx context.Context, at time.Time) (store.Cursor, error) {
	now, err := e.server.Now(ctx)
	if err != nil {
		return "", err
	}
	if at.Unix() < int64(now.Seconds) { // the time of a commit is that to the second
		now = Stamp{uint32(max(at.Unix(), 0)), math.MaxUint32}
	}
	if err := e.settle(ctx); err != nil {
		return "", err
	}
	return e.settledCursor(now), e.reaches(ctx, now)
}

// reaches returns an error unless the history reaches back to a stamp.
func (e *Engine) reaches(ctx context.Context, at Stamp) error {
	oldest, err := e.server.Oldest(ctx)
	if err == nil && at.Before(oldest) {
		err = &dovetail.Error{Code: dovetail.CodeExpired, Message: "the position is older than the history that is kept",
			Remedy: "read a later one; the server's settings say how much history is kept"}
	}
	return err
}

// settle returns when all that will ever be committed with a stamp from before the call can be seen. Every commit is
// announced before its stamp is taken: by an intent, or, of several documents, by an entry of the log. So those that are
// announced now are all that can still get, or have got, such a stamp.
//
// Entries get another fence: a commit that is under way then fails, and is tried again with a later stamp, unless it
// succeeds before. Intents of one document are waited for, and taken away if that lasts: their owners then try again.
func (e *Engine) settle(ctx context.Context) error {
	var waiting []*Record
	var open []LogEntry
	var failed, unread error
	e.env.Parallel(
		func() { waiting, failed = collect(e.server.WithIntent(ctx, "")) },
		func() { open, unread = collect(e.server.OpenEntries(ctx)) })
	if err := cmp.Or(failed, unread); err != nil {
		return err
	}
	waiting = slices.DeleteFunc(waiting, func(r *Record) bool { return r.Intent.Multi })
	for _, entry := range open {
		if entry.State != Pending {
			continue
		}
		if err := e.server.FenceEntry(ctx, entry.Txn, e.env.NewTxn()); err != nil {
			return nothingDone(err)
		}
	}
	for attempt := 1; len(waiting) > 0; attempt++ {
		again, err := e.env.Pause(ctx, attempt)
		if err != nil {
			return dovetail.AsError(err)
		}
		if waiting, err = e.stillThere(ctx, waiting); err != nil {
			return err
		}
		if again && attempt < settleAttempts {
			continue
		}
		changes := make([]Change, len(waiting))
		for i, r := range waiting {
			changes[i] = resolveIntent(r, false, Stamp{})
		}
		n, err := e.server.Apply(ctx, changes)
		e.resolved(false, n)
		if err != nil {
			return nothingDone(err)
		}
		break
	}
	return nil
}

// stillThere returns those of the records that have the same intent still.
func (e *Engine) stillThere(ctx context.Context, records []*Record) ([]*Record, error) {
	ids := make([]dovetail.ID, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	now, err := e.server.Find(ctx, ids, false)
	if err != nil {
		return nil, err
	}
	var left []*Record
	for _, r := range records {
		if found := now[r.ID]; found != nil && found.Intent != nil && found.Intent.Txn == r.Intent.Txn {
			left = append(left, found)
		}
	}
	return left, nil
}
