package protocol

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
)

// beforeOf returns the deadline of a transaction; zero if there is none.
func beforeOf(txn store.Txn) time.Time {
	if txn.Before == nil {
		return time.Time{}
	}
	return txn.Before()
}

// tooLate returns an error if the deadline of a transaction has passed, or the clock cannot be read. It is called for writes whose
// condition was false.
func (e *Engine) tooLate(ctx context.Context, before time.Time) error {
	if before.IsZero() {
		return nil
	}
	now, err := e.server.Time(ctx)
	switch {
	case err != nil:
		return nothingDone(err)
	case now.Before(before):
		return nil
	}
	return store.TooLate()
}
