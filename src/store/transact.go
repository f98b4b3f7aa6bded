package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxAttempts bounds how often Transact tries. Each time one of the competing writers succeeds.
const maxAttempts = 100

// Transact makes a change that is computed from what is stored. attempt reads, computes and writes; when it returns an error
// of Retry, Transact calls it again after a pause, until it succeeds, fails otherwise, or was called often enough. Then the
// error is CodeConflict, with the last error as its cause; a last one of CodeUnknown is returned as it is.
func Transact(ctx context.Context, attempt func() error) error {
	var last *retriable
	for n := range maxAttempts {
		if err := attempt(); !errors.As(err, &last) {
			return err
		}
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
	if dovetail.CodeOf(last.error) == dovetail.CodeUnknown {
		return last.error
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Message: "other writers kept changing the same documents", Remedy: "try again", Err: last.error}
}

// retriable is an error after which a change is computed again.
type retriable struct{ error }

func (r *retriable) Unwrap() error { return r.error }

// Retry marks an error of a write for Transact: computing the change again may help. Nil stays nil.
func Retry(err error) error {
	if err == nil {
		return nil
	}
	return &retriable{err}
}

// IsConflict reports whether a write failed because another one came first: a document that it depends on was changed,
// created or deleted since it was read, or competing writers did not let it through. What else is wrong with the write may
// no longer be so when it is computed again.
func IsConflict(err error) bool {
	if err == nil {
		return false
	}
	e := dovetail.AsError(err)
	if len(e.Errors) > 0 {
		return slices.ContainsFunc(e.Errors, func(part *dovetail.Error) bool { return IsConflict(part) })
	}
	switch e.Code {
	case dovetail.CodeStale, dovetail.CodeExists, dovetail.CodeNotFound:
		return true
	case dovetail.CodeConflict:
		return e.Reason == ""
	}
	return false
}

// pause waits before the next attempt, numbered from 0: not at first, then longer and at random, so that writers that compete
// for a document do not keep step. It ends early with the context, whose end is the error.
func pause(ctx context.Context, attempt int) error {
	const eager, longest = 3, 20 * time.Millisecond
	if attempt < eager {
		return nil
	}
	wait := min(longest, time.Millisecond<<min(attempt-eager, 10))
	select {
	case <-ctx.Done():
		return dovetail.AsError(ctx.Err())
	case <-time.After(rand.N(wait)):
		return nil
	}
}
