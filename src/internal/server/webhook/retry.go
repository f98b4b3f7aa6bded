package webhook

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// backoff is between a half and all of a time that doubles.
func backoff(attempts int) time.Duration {
	const first, longest = time.Second, 5 * time.Minute
	wait := min(longest, first<<min(attempts-1, 16))
	return wait/2 + rand.N(wait/2)
}

// repeat does work again and again until the context ends, with pauses after errors.
func (f *feed) repeat(ctx context.Context, failed string, work func(context.Context) error) {
	for attempts := 1; ctx.Err() == nil; attempts++ {
		err := work(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			attempts = 0
			continue
		}
		f.options.Log.Warn(failed, "webhook", f.sub.Name, "error", err)
		if clock.Sleep(ctx, f.options.Clock, f.options.Backoff(attempts)) != nil {
			return
		}
	}
}
