package flowcontrol

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
)

var alice, bob = Flow{Name: "alice"}, Flow{Name: "bob"}

func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLevel(Options{Seats: 1, QueueLength: 1, Wait: time.Second})
		var first Seat
		if err := l.Enter(t.Context(), &first, Request{Flow: alice}); err != nil {
			t.Fatal(err)
		}
		queued := make(chan error, 1)
		go func() { queued <- l.Enter(t.Context(), new(Seat), Request{Flow: alice}) }()
		synctest.Wait()
		var refusal *Refusal
		if err := l.Enter(t.Context(), new(Seat), Request{Flow: alice}); !errors.As(err, &refusal) || refusal.Reason != QueueFull {
			t.Errorf("got %v, want a full queue", err)
		}
		if !l.Full(alice) || l.Full(bob) {
			t.Error("the queue of alice only is full")
		}
		if err := <-queued; !errors.As(err, &refusal) || refusal.Reason != TooLong || refusal.Waited != time.Second {
			t.Errorf("got %v, want that it took too long", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		go func() { queued <- l.Enter(ended, new(Seat), Request{Flow: bob, Unbounded: true}) }()
		clocktest.Advance(time.Hour)
		cancel()
		if err := <-queued; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the error of the context", err)
		}
		first.Leave()
		first.Leave() // does nothing
		stats := l.Stats()
		if stats.Taken != 0 || stats.Waiting != 0 || stats.Refused[QueueFull] != 2 || stats.Refused[TooLong] != 1 {
			t.Errorf("got %+v", stats)
		}
	})
}

// TestYield: a request that takes long lets a short one of another flow go first after a slice, and one of its own too.
func TestYield(t *testing.T) {
	for name, flow := range map[string]Flow{"of another flow": bob, "of the same flow": alice} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const slice = 10 * time.Millisecond
				l := NewLevel(Options{Seats: 1, Slice: slice})
				var done sync.WaitGroup
				var waited, hard time.Duration
				began := time.Now()
				done.Go(func() {
					var seat Seat
					if err := l.Enter(t.Context(), &seat, Request{Flow: alice}); err != nil {
						t.Error(err)
					}
					for range 100 {
						clocktest.Advance(time.Millisecond)
						pause, err := seat.Yield(t.Context())
						if err != nil {
							t.Error(err)
						}
						waited += pause
					}
					seat.Leave()
					hard = seat.Used()
				})
				clocktest.Advance(time.Millisecond)
				var seat Seat
				if err := l.Enter(t.Context(), &seat, Request{Flow: flow}); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > slice {
					t.Errorf("the short request waited for %v", took)
				}
				clocktest.Advance(3 * time.Millisecond)
				seat.Leave()
				done.Wait()
				if waited != 3*time.Millisecond || hard != 100*time.Millisecond {
					t.Errorf("the long request waited for %v and was served for %v", waited, hard)
				}
			})
		})
	}
}

func TestCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLevel(Options{Seats: 2})
		for range 20 {
			var seat Seat
			if err := l.Enter(t.Context(), &seat, Request{Flow: alice, Route: "slow"}); err != nil {
				t.Fatal(err)
			}
			clocktest.Advance(time.Second)
			seat.Leave()
		}
		if got := l.Cost(alice, "slow"); got != time.Second {
			t.Errorf("got %v", got)
		}
		if l.Cost(alice, "other") != 0 || l.Cost(bob, "slow") != 0 {
			t.Error("costs are those of a flow and a route")
		}
	})
}

func TestNilLevel(t *testing.T) {
	var l *Level
	var seat Seat
	if err := l.Enter(t.Context(), &seat, Request{}); err != nil || seat.Held() || l.Full(alice) {
		t.Error("a level that is nil lets everything through")
	}
	if _, err := seat.Yield(t.Context()); err != nil {
		t.Error(err)
	}
	seat.Leave()
}

func BenchmarkUncontended(b *testing.B) {
	l := NewLevel(Options{Seats: 128, Reserve: 32})
	var seat Seat
	for b.Loop() {
		if err := l.Enter(b.Context(), &seat, Request{Flow: alice, Route: "GET /v2/projects/{project}"}); err != nil {
			b.Fatal(err)
		}
		seat.Leave()
	}
}
