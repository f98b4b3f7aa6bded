// Package clock defines the clock by which a component reads the time and waits. Components that wait for a server on a
// network take a [Clock] from their caller, so that tests decide when time passes. Components whose goroutines wait only
// for each other use package time; their tests run in a bubble of testing/synctest.
package clock

import (
	"context"
	"time"
)

// Clock is a source of time. It is safe for concurrent use.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// After returns a channel that receives the time once the duration has passed. The caller must call stop when it no
	// longer waits.
	After(d time.Duration) (reached <-chan time.Time, stop func())
}

// System is the clock of the operating system.
var System Clock = system{}

type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) After(d time.Duration) (reached <-chan time.Time, stop func()) {
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}

// Sleep returns nil once the duration has passed, or the error of the context if that ends first.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	reached, stop := c.After(d)
	defer stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-reached:
		return nil
	}
}
