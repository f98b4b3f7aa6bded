package store

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Pause waits a little before the next attempt, numbered from 0, at what other writers came between: not at all at
// first, then longer and at random, so that writers that compete for a document do not keep step. It ends early with
// the context, whose end is the error.
func Pause(ctx context.Context, attempt int) error {
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
