package mongo

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// silence bounds how long a write waits for a server that answers nothing. A write is several commands, each with a time limit of its own, and some are
// repeated to learn the outcome, so that their limits add up. Any answer to this process ends the silence: a write of many documents, and a slow
// server, have the time that they need.
type silence struct {
	limit time.Duration // 0 means no limit
	clock clock.Clock
	last  atomic.Pointer[time.Time] // when the server last answered
}

// moreThanCommand is by how much the limit is longer than that of one command, whose own error says more.
const moreThanCommand = 500 * time.Millisecond

// newSilence returns a silence for a time limit of commands, 0 if there is none.
func newSilence(command time.Duration, c clock.Clock) *silence {
	s := &silence{clock: c}
	if command > 0 {
		s.limit = command + moreThanCommand
	}
	return s
}

// monitor returns a monitor that notes the answers to commands, and reports them to another one, which may be nil.
func (s *silence) monitor(to *event.CommandMonitor) *event.CommandMonitor {
	if to == nil {
		to = &event.CommandMonitor{}
	}
	return &event.CommandMonitor{
		Started: to.Started,
		Succeeded: func(ctx context.Context, e *event.CommandSucceededEvent) {
			s.answered()
			if to.Succeeded != nil {
				to.Succeeded(ctx, e)
			}
		},
		Failed: func(ctx context.Context, e *event.CommandFailedEvent) {
			var refused mongo.CommandError
			if errors.As(e.Failure, &refused) && !mongo.IsNetworkError(e.Failure) && !mongo.IsTimeout(e.Failure) {
				s.answered()
			}
			if to.Failed != nil {
				to.Failed(ctx, e)
			}
		},
	}
}

func (s *silence) answered() {
	now := s.clock.Now()
	s.last.Store(&now)
}

// bound calls write, and returns its error. It returns CodeUnknown before write returns if the server has answered nothing for the limit; write continues then.
func (s *silence) bound(write func() error) error {
	if s.limit == 0 {
		return write()
	}
	done := make(chan error, 1)
	go func() { done <- write() }()
	since := s.clock.Now()
	for {
		if last := s.last.Load(); last != nil && last.After(since) {
			since = *last
		}
		left := s.limit - s.clock.Now().Sub(since)
		if left <= 0 {
			return &dovetail.Error{Code: dovetail.CodeUnknown, Message: "the database does not answer, so that it is not known whether the write was done",
				Remedy: "read the document, or repeat the write with the same idempotency key"}
		}
		reached, stop := s.clock.After(left)
		select {
		case err := <-done:
			stop()
			return err
		case <-reached:
		}
	}
}
