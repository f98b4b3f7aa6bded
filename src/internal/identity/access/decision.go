package access

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// decision is whether it can be decided what a request may do.
type decision struct {
	end context.CancelCauseFunc // of the request

	mu    sync.Mutex
	why   error     // that it cannot; nil while it can
	asked int       // questions to the cluster
	since time.Time // when the first of them was asked
}

type decisionKey struct{}

// Deciding returns a context for a request. When it cannot be decided what the request may do, the context ends, with the reason as its
// cause, which undecided returns then: whatever the request came to by then was made without knowing, and must not be answered.
func Deciding(ctx context.Context) (deciding context.Context, undecided func() error) {
	d := &decision{}
	deciding, d.end = context.WithCancelCause(ctx)
	return context.WithValue(deciding, decisionKey{}, d), d.reason
}

// decisionOf returns the decision of a context, nil where none is recorded.
func decisionOf(ctx context.Context) *decision {
	d, _ := ctx.Value(decisionKey{}).(*decision)
	return d
}

func (d *decision) reason() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.why
}

// fail says why nothing can be decided. That a request was given up is no reason.
func (d *decision) fail(err error) {
	if d == nil || errors.Is(err, context.Canceled) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.why == nil {
		d.why = err
		d.end(err)
	}
}

// count notes a question to the cluster. The error, of CodeForbidden, is that of one too many.
func (d *decision) count(now time.Time) error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Sub(d.since) >= delegated { // of a watch, which lasts
		d.asked, d.since = 0, now
	}
	if d.asked++; d.asked > maxQuestions {
		return &dovetail.Error{Code: dovetail.CodeForbidden, Message: fmt.Sprintf("the cluster would have to be asked about more than %d namespaces and documents, one by one", maxQuestions),
			Remedy: "ask for one namespace, or for the right in all namespaces"}
	}
	return nil
}
