package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/store"
)

// When an event is given up, and becomes a dead letter.
const (
	refusedAttempts = 5              // that a receiver answered with 4xx: it does not take this event
	longestTry      = 24 * time.Hour // of a receiver that does not answer, or answers with 5xx
)

// Result is what became of an attempt.
type Result string

// The results, as metrics have them.
const (
	Delivered Result = "delivered"
	Failed    Result = "failed" // and is tried again
	Dead      Result = "dead"
	Lost      Result = "lost" // not an attempt: the history no longer had the events of a range of positions
)

// Results are all of them.
func Results() []Result { return []Result{Delivered, Failed, Dead, Lost} }

// deliver sends an event until the receiver takes it, or it is given up, and records that.
func (f *feed) deliver(ctx context.Context, p *progress, event *Event) error {
	body, err := json.Marshal(event)
	if err != nil {
		return dovetail.AsError(err)
	}
	for {
		outcome := f.post(ctx, f.sub, event.id, body)
		if ctx.Err() != nil {
			return dovetail.AsError(ctx.Err())
		}
		if outcome.err == nil {
			f.options.Observe(f.sub.Name, Delivered)
			p.Failure = nil
			p.Delivered++
			p.Sent = append(p.Sent, event.id)
			return f.save(ctx, f.sub.Name, p, f.fence, store.Txn{})
		}
		if p.Failure == nil || p.Failure.Event != event.id {
			p.Failure = &dovetail.Failure{Event: event.id, Type: event.Type, Since: f.options.Clock.Now().UTC()}
		}
		p.Failure.Attempts++
		p.Failure.Error = outcome.err.Error()
		if outcome.refused && p.Failure.Attempts >= refusedAttempts || f.options.Clock.Now().Sub(p.Failure.Since) >= longestTry {
			return f.giveUp(ctx, p, event, body)
		}
		wait := max(f.options.Backoff(p.Failure.Attempts), outcome.after)
		p.Failure.Next = f.options.Clock.Now().UTC().Add(wait)
		f.options.Observe(f.sub.Name, Failed)
		if p.Failure.Attempts == 1 {
			f.options.Log.Warn("a webhook event was not delivered and is tried again", "webhook", f.sub.Name, "event", event.id, "error", outcome.err)
		}
		if err := f.save(ctx, f.sub.Name, p, f.fence, store.Txn{}); err != nil {
			return err
		}
		if err := clock.Sleep(ctx, f.options.Clock, wait); err != nil {
			return err
		}
	}
}

// outcome is that of one attempt.
type outcome struct {
	err     error         // nil for success
	refused bool          // the receiver does not want this event, now or later
	after   time.Duration // that the receiver asks to wait
}

// post sends an event once.
func (w *Webhooks) post(ctx context.Context, sub Subscription, id string, body []byte) outcome {
	ctx, cancel := context.WithTimeout(ctx, w.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, sub.URL, bytes.NewReader(body))
	if err != nil {
		return outcome{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "dovetail")
	sign(request.Header, sub.Secrets, id, w.options.Clock.Now(), body)
	origin := outbound.OriginOf(request.URL)
	if err := w.options.Policy.Check(request.URL, true, origin); err != nil { // what it says is confidential, as credentials are
		return outcome{err: err}
	}
	client := w.options.Policy.Client(origin)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(request)
	if err != nil {
		if refused := outbound.Refused(err); refused != nil {
			return outcome{err: refused}
		}
		if u, ok := err.(*url.Error); ok { //nolint:errorlint // client.Do returns this type, unwrapped
			err = u.Err // without the URL, which may hold a token
		}
		return outcome{err: fmt.Errorf("the receiver cannot be reached: %w", err)}
	}
	defer func() { _ = response.Body.Close() }()                          // nothing of it is used
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxIgnored)) // so that the connection is used again
	return judged(response)
}

// maxIgnored is how much of a response is read.
const maxIgnored = 64 << 10

// judged is the outcome that the status of a response means.
func judged(response *http.Response) outcome {
	status := response.StatusCode
	if status/100 == 2 {
		return outcome{}
	}
	o := outcome{err: fmt.Errorf("the receiver answered %d %s", status, http.StatusText(status)), refused: status/100 == 4}
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		o.refused = false
	}
	const longest = 3600
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		o.after = time.Duration(min(seconds, longest)) * time.Second
	}
	return o
}
