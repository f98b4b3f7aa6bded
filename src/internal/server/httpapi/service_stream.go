package httpapi

import (
	"context"
	"fmt"
	"iter"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Stream is an answer that lasts as long as its reader likes: a service's own watch.
type Stream struct {
	MediaType string
	// Parts yields what is sent, one by one, until the context ends.
	Parts func(ctx context.Context) iter.Seq[[]byte]
}

// streams reports whether the request is answered by a service's watch.
func (x *requestContext) streams() bool {
	e := x.method.endpoint
	return e != nil && e.Watches != nil && e.Watches(x.r.URL.Query())
}

// enterWatch counts the watches of a principal, of which there may be a number at the same time.
func (x *requestContext) enterWatch() (leave func(), err error) {
	if x.principal == nil {
		return func() {}, nil
	}
	leave, refused := x.api.watches.Enter(x.principal.Name)
	if refused != nil {
		x.w.Header().Set("Retry-After", "1")
		return nil, &dovetail.Error{Code: dovetail.CodeRateLimited, Message: fmt.Sprintf("%s has %d watches open, which is the limit", x.principal.Name, x.api.limits.Watches),
			Remedy: "end some, or watch /v2/watch once instead of many documents"}
	}
	return leave, nil
}

// answerStream sends the parts of a stream until it, the client, the server, or the identity of the caller ends.
func (x *requestContext) answerStream(stream *Stream) error {
	leave, err := x.enterWatch()
	if err != nil {
		return err
	}
	defer leave()
	defer x.stream()()
	ctx, cancel := context.WithCancel(x.ctx)
	defer cancel()
	x.api.metrics.watches.Inc()
	defer x.api.metrics.watches.Dec()
	h := x.w.Header()
	h.Set("Content-Type", stream.MediaType)
	h.Set("Cache-Control", "no-cache")
	x.w.WriteHeader(http.StatusOK)
	if err := x.send(nil); err != nil {
		return err
	}
	parts := make(chan []byte)
	go func() {
		defer close(parts)
		for part := range stream.Parts(ctx) {
			select {
			case parts <- part:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-x.api.done:
			return nil
		case part, open := <-parts:
			if !open {
				return nil
			}
			if err := x.send(part); err != nil {
				return err
			}
			x.reading.free()
		}
	}
}
