package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The server's events beside `changes` and `bookmark`.
const (
	eventReady   = "ready"
	eventChanges = "changes"
	eventExpired = "expired"
	eventError   = "error"
)

// eventStream is the media type of a watch.
const eventStream = "text/event-stream"

// errEnded says that a stream ended without telling why: the server or the network went away.
var errEnded = errors.New("the stream ended")

// Head returns the current cursor. Watch from this cursor yields all transactions that are committed later.
func (c *Client) Head(ctx context.Context) (store.Cursor, error) {
	s, err := c.openStream(ctx, api.Watch, "")
	if errors.Is(err, errEnded) {
		err = c.readError(ctx, false, err)
	}
	if err != nil {
		return "", err
	}
	defer s.close()
	return s.cursor, nil
}

// Watch yields the transactions committed after a cursor ("" means now) and then waits for more, until the
// context ends, which ends the sequence without an error. If the connection is lost, or a token of Options.TokenSource expires, Watch
// reconnects and resumes from the last cursor. Delivery is at least once, and the changes of one transaction are in one event.
// If the history after the cursor is no longer kept, the sequence
// ends with CodeExpired: relist. An event without changes only advances the cursor.
func (c *Client) Watch(ctx context.Context, after store.Cursor, q store.WatchQuery) iter.Seq2[store.Event, error] {
	return func(yield func(store.Event, error) bool) {
		path, err := c.watchPath(ctx, q)
		if err != nil {
			yield(store.Event{}, err)
			return
		}
		w := watch{client: c, path: path, query: q, cursor: after}
		w.run(ctx, yield)
	}
}

// watchPath is the narrowest place whose changes include those that the query selects.
func (c *Client) watchPath(ctx context.Context, q store.WatchQuery) (string, error) {
	if q.ID != "" {
		return c.itemPath(ctx, q.ID)
	}
	model, err := c.known(ctx)
	if err != nil {
		return "", err
	}
	if kind, ok := model.Kind(q.Kind); ok {
		if path, ok := collectionPath(kind, q.Under); ok {
			return path, nil
		}
	}
	return api.Watch, nil
}

// watch is a sequence of streams that continue each other.
type watch struct {
	client *Client
	path   string
	query  store.WatchQuery
	cursor store.Cursor
	lost   int // attempts since the last event
}

func (w *watch) run(ctx context.Context, yield func(store.Event, error) bool) {
	for {
		goOn, err := w.once(ctx, yield)
		switch {
		case !goOn || ctx.Err() != nil:
			return
		case !passes(err):
			yield(store.Event{}, err)
			return
		}
		w.lost++
		if sleep(ctx, w.client.backoff(w.lost, 0)) != nil {
			return
		}
	}
}

// passes reports whether trying again may help: a watch outlives restarts of its server, but not the
// first contact with one that is not there.
func passes(err error) bool { return errors.Is(err, errEnded) }

// once follows one stream. It reports whether the reader wants more, and why the stream ended.
func (w *watch) once(ctx context.Context, yield func(store.Event, error) bool) (bool, error) {
	s, err := w.client.openStream(ctx, w.path, w.cursor)
	if err != nil {
		if w.cursor != "" && w.lost > 0 && dovetail.CodeOf(err) == dovetail.CodeUnavailable {
			err = errEnded
		}
		return true, err
	}
	defer s.close()
	w.cursor = s.cursor
	for {
		e, err := s.next()
		if dovetail.CodeOf(err) == dovetail.CodeUnauthenticated && w.client.options.TokenSource != nil {
			err = errors.Join(errEnded, err) // the token ended: the next stream has another one, or is refused at once
		}
		if err != nil {
			return true, err
		}
		w.cursor, w.lost = e.Cursor, 0
		changed := len(e.Changes) > 0
		e.Changes = selected(e.Changes, w.query)
		if changed && len(e.Changes) == 0 {
			continue
		}
		if !yield(e, nil) {
			return false, nil
		}
	}
}

// selected drops what the query does not select: the stream may be of a wider place.
func selected(changes []store.EventChange, q store.WatchQuery) []store.EventChange {
	var fit []store.EventChange
	for _, c := range changes {
		if (q.ID == "" || c.ID == q.ID) && (q.Kind == "" || c.Kind == q.Kind) && (q.Under == "" || c.ID.IsDescendantOf(q.Under)) {
			fit = append(fit, c)
		}
	}
	return fit
}

// stream is one connection that receives events.
type stream struct {
	events *eventReader
	close  func()
	cursor store.Cursor // where it began
}

// openStream connects and waits for the server to be ready.
func (c *Client) openStream(ctx context.Context, path string, after store.Cursor) (*stream, error) {
	header := http.Header{"Accept": {eventStream}}
	if after != "" {
		header.Set("Last-Event-ID", string(after))
	}
	answer, err := c.do(ctx, request{method: http.MethodGet, path: path, header: header}) //nolint:bodyclose // stream.close does it
	if err != nil {
		return nil, err
	}
	s := &stream{events: newEventReader(answer.Body), close: func() { answer.Body.Close() }}
	e, err := s.read()
	if err == nil && e.name != eventReady {
		err = errEnded
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.cursor = store.Cursor(e.id)
	return s, nil
}

// next returns the next changes or place to resume from.
func (s *stream) next() (store.Event, error) {
	e, err := s.read()
	if err != nil {
		return store.Event{}, err
	}
	event := store.Event{Cursor: store.Cursor(e.id), Time: time.Time{}}
	if e.name == eventChanges {
		err = json.Unmarshal(e.data, &event)
	}
	if err != nil {
		return store.Event{}, &dovetail.Error{Code: dovetail.CodeInternal, Message: "the server sent a change that cannot be read", Err: err}
	}
	return event, nil
}

// read returns the next event that is not the server's last word, which becomes the error.
func (s *stream) read() (serverEvent, error) {
	e, err := s.events.next()
	switch {
	case errors.Is(err, errTooLong):
		return e, &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "the server sent an event that is too large", Err: err}
	case err != nil:
		return e, errors.Join(errEnded, err)
	case e.name == eventExpired || e.name == eventError:
		var problem api.Problem
		if err := json.Unmarshal(e.data, &problem); err != nil || problem.Code == "" {
			return e, errors.Join(errEnded, io.ErrUnexpectedEOF)
		}
		return e, problem.AsError()
	}
	return e, nil
}
