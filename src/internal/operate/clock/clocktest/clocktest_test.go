package clocktest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
)

// TestSleep sleeps by both clocks: until the time has come, and until the context ends.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := clocktest.NewFake(time.Second)
		for _, test := range []struct {
			name    string
			clock   clock.Clock
			advance func(time.Duration)
		}{
			{"system", clock.System, clocktest.Advance},
			{"fake", fake, fake.Advance},
		} {
			answers := make(chan error)
			start := func(ctx context.Context) { go func() { answers <- clock.Sleep(ctx, test.clock, time.Minute) }() }
			began := test.clock.Now()
			start(t.Context())
			if test.name == "fake" {
				fake.AwaitWaits(1)
			}
			test.advance(time.Minute)
			if err := <-answers; err != nil || test.clock.Now().Sub(began) != time.Minute {
				t.Errorf("%s: slept for %v, %v", test.name, test.clock.Now().Sub(began), err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			start(ctx)
			synctest.Wait()
			cancel()
			if err := <-answers; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: a canceled sleep returns %v", test.name, err)
			}
		}
		began := fake.Now()
		if err := clock.Sleep(t.Context(), fake, time.Second); err != nil || fake.Now().Sub(began) != time.Second {
			t.Errorf("an instant wait moves the clock by %v, %v", fake.Now().Sub(began), err)
		}
	})
}
