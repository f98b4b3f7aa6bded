package client

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// keyHeader names a request to the server, so that it is done once however often it is made.
const keyHeader = "Idempotency-Key"

// mayRepeat reports whether the request may be made again: the server said 503, and either the request
// is idempotent, or the server itself said that nothing was changed, which no proxy can know; or it said 429, so
// the request was never processed. One with a key may also be repeated when its outcome is not known.
func (r *refusal) mayRepeat(of request) bool {
	if r.status == http.StatusTooManyRequests {
		return true
	}
	if r.status != http.StatusServiceUnavailable {
		return of.isKeyed() && r.problem.Code == dovetail.CodeUnknown
	}
	switch of.method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	}
	return of.isKeyed() || r.isProblem && r.problem.Code == dovetail.CodeUnavailable
}

// backoff is how long to wait after an attempt: what the server asks for, otherwise a random time
// that may double with each attempt, so that clients that were turned away together do not come
// back together.
func (c *Client) backoff(attempt int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 {
		return min(retryAfter, MaxBackoff)
	}
	longest := min(c.options.Backoff<<min(attempt-1, 16), MaxBackoff)
	return longest/2 + rand.N(longest/2+1)
}

// retryAfter reads the header in both of its forms, seconds and a date; 0 when there is none.
func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return dovetail.AsError(ctx.Err())
	case <-timer.C:
		return nil
	}
}
