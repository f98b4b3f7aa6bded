package protocol

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// writeResult is the server's response to changes that decide a transaction.
type writeResult struct {
	all     bool  // the last try was acknowledged, and executed every change
	refused error // no change was executed, or ever will be
	lost    error // a response was lost: changes may have been executed, or may still be
}

// retryUntilKnown applies changes that decide a transaction, and tries again, up to retries times in all, while the server cannot be
// reached or the response is lost. It continues after the request has ended, since a known outcome is worth the time.
func (e *Engine) retryUntilKnown(ctx context.Context, changes []Change) writeResult {
	return e.untilKnown(ctx, func(ctx context.Context) (bool, error) {
		n, err := e.server.Apply(ctx, changes)
		return n == len(changes), err
	})
}

// untilKnown is retryUntilKnown for any write that reports whether it was executed completely.
func (e *Engine) untilKnown(ctx context.Context, write func(context.Context) (bool, error)) writeResult {
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	var a writeResult
	for attempt := 1; attempt <= retries; attempt++ {
		all, err := write(detached)
		code := dovetail.CodeOf(err)
		switch {
		case err == nil:
			a.all = all
			a.refused = nil
			return a
		case code == dovetail.CodeUnknown:
			a.lost = err
		case a.lost == nil:
			a.refused = err
		}
		if code != dovetail.CodeUnknown && code != dovetail.CodeUnavailable {
			break
		}
		if again, err := e.env.Pause(detached, attempt); err != nil || !again {
			break
		}
	}
	if a.lost != nil {
		a.refused = nil
	}
	return a
}

// rollback removes intents, best effort: the remaining ones are resolved by the next transaction that encounters them.
func (e *Engine) rollback(ctx context.Context, changes []Change) {
	if len(changes) == 0 {
		return
	}
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	_, _ = e.server.Apply(detached, changes)
}

// outcomeLookback is how far back the log is searched for the outcome after a lost response.
const outcomeLookback = 10 * time.Minute

// deletions returns the transaction records that have deleted the document with the uid, as far back as outcomeLookback.
func (e *Engine) deletions(ctx context.Context, id dovetail.ID, uid string) ([]LogEntry, error) {
	now, err := e.server.Now(ctx)
	if err != nil {
		return nil, err
	}
	var found []LogEntry
	for entry, err := range e.server.Deletions(ctx, []dovetail.ID{id}, now.Back(outcomeLookback)) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(entry.Changes, func(c store.Change) bool { return c.UID == uid }) {
			found = append(found, entry)
		}
	}
	return found, nil
}

// nothingDone converts the error of a preparatory write to what it means for the transaction.
func nothingDone(err error) error {
	if dovetail.CodeOf(err) != dovetail.CodeUnknown {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the database did not answer; nothing was changed",
		Remedy: "try again", Err: err}
}

// worthRetrying reports whether the transaction failed, without a change, because a response was lost. If the server cannot be
// reached, previous retries have already waited for it.
func worthRetrying(err error) bool {
	return dovetail.CodeOf(err) == dovetail.CodeUnavailable && dovetail.CodeOf(dovetail.AsError(err).Err) == dovetail.CodeUnknown
}

func unknown(err error) error {
	return &dovetail.Error{Code: dovetail.CodeUnknown, Err: err,
		Message: "the database did not answer, so that it is not known whether the write was done",
		Remedy:  "read the document, or repeat the write with the same idempotency key"}
}
