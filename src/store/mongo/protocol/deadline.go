package protocol

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
)

// beforeOf returns the moment from which on a transaction must not commit; zero for none.
func beforeOf(txn store.Txn) time.Time {
	if txn.Before == nil {
		return time.Time{}
	}
	return txn.Before()
}

// tooLate returns the error of a transaction whose time is over, nil while it is not: for writes that found their condition
// false.
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
