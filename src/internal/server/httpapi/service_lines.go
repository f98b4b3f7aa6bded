package httpapi

import (
	"context"
	"iter"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// mediaLines is a text of which each line is a JSON value.
const mediaLines = "application/x-ndjson"

// Lines are an answer that is worked out for long: how far the work is, and at last the result, each encoded as a line of JSON. They end with the context.
// An error is the last of them, and is sent as a member problem.
type Lines func(ctx context.Context) iter.Seq2[any, error]

// answerLines sends lines until they, the client, the server, or the identity of the caller end. What is worked out for each takes a seat of those for hard work, and none is held
// while one is sent.
func (x *requestContext) answerLines(lines Lines) error {
	leave, err := x.enterWatch()
	if err != nil {
		return err
	}
	defer leave()
	defer x.stream()()
	ctx, cancel := context.WithCancel(x.ctx)
	defer cancel()
	go func() {
		select {
		case <-x.api.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	h := x.w.Header()
	h.Set("Content-Type", mediaLines)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // proxies that gather answers would keep lines back
	x.w.WriteHeader(http.StatusOK)
	if err := x.send(nil); err != nil {
		return err
	}
	x.level = x.api.hard
	if err := x.resume(); err != nil {
		return err
	}
	for line, err := range lines(ctx) {
		switch {
		case ctx.Err() != nil:
			return nil // the client has gone, or the server ends: a reader sees that there is no result
		case err != nil:
			x.err = dovetail.AsError(err)
			return x.send(append(encodeJSON(map[string]any{"problem": x.problem(x.err)}), '\n'))
		}
		if err := x.send(append(encodeJSON(line), '\n')); err != nil {
			return err
		}
		x.reading.free()
		if err := x.resume(); err != nil {
			return err
		}
	}
	return nil
}
