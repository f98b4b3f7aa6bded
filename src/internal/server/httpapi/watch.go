package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
	"github.com/dovetail-store/dovetail/src/store"
)

// The events of a watch, beside comments as heartbeats.
const (
	eventReady    = "ready"    // the first one: its id is the place from which changes follow
	eventChanges  = "changes"  // what one commit changed
	eventBookmark = "bookmark" // only an id: a later place to resume from
	eventExpired  = "expired"  // the last one: the place to resume from is older than the history kept
	eventError    = "error"    // the last one: a problem
)

// watching reports whether the request asks for changes instead of what is there.
func (x *requestContext) watching() bool {
	if x.r.Method != http.MethodGet || x.route.what != itemRoute && x.route.what != collectionRoute {
		return false
	}
	if x.format == formatEvents {
		return true
	}
	if !strings.Contains(x.r.URL.RawQuery, "watch") {
		return false
	}
	watch, err := parameters(x.r.URL.Query()).flag("watch")
	return watch || err != nil // watch tells what is wrong with it
}

// watch streams the changes of the item, of the collection, or of everything, as server-sent events.
// It begins at the cursor that Last-Event-ID or after gives, or else now, and ends with the client,
// the server, or an error.
func (x *requestContext) watch() error {
	p, err := x.parameters("watch", "after")
	if err != nil {
		return err
	}
	if _, err := p.flag("watch"); err != nil {
		return err
	}
	after := store.Cursor(x.r.Header.Get("Last-Event-ID"))
	if after == "" {
		after = store.Cursor(p.text("after"))
	}
	switch {
	case after == "":
		after, err = x.api.store.Head(x.ctx)
	case !isCursor(after):
		err = &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the cursor is not one of this store", Remedy: "give the id of an event of a watch as it was sent"}
	default: // one of another store is refused before the stream begins
		err = x.api.store.CheckCursor(x.ctx, after)
	}
	if err != nil {
		return err
	}
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
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // proxies that gather answers would keep events back
	x.w.WriteHeader(http.StatusOK)
	if err := x.send(event(eventReady, after, []byte(`{"cursor":`+strconv.Quote(string(after))+`}`))); err != nil {
		return err
	}
	return x.pump(ctx, x.changes(ctx, after))
}

// isCursor reports whether a text may be the cursor of a backend, which consists of visible ASCII characters. Any other, which a
// client gives, could end its line and begin events that the store never sent.
func isCursor(cursor store.Cursor) bool {
	return !strings.ContainsFunc(string(cursor), func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// watched is one event on its way from the store to the client.
type watched struct {
	event store.Event
	err   error
}

// changes reads events from the store until the context ends, and closes the channel then.
func (x *requestContext) changes(ctx context.Context, after store.Cursor) <-chan watched {
	var q store.WatchQuery
	switch x.route.what {
	case itemRoute:
		q.ID = x.resource
	case collectionRoute:
		q.Under, q.Kind = x.resource, x.route.kind.Name
	}
	events := make(chan watched)
	go func() {
		defer close(events)
		for e, err := range x.api.store.Watch(ctx, after, q) {
			select {
			case events <- watched{e, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}

// pump sends events, and heartbeats while there are none.
func (x *requestContext) pump(ctx context.Context, events <-chan watched) error {
	heartbeat := time.NewTicker(x.api.limits.Heartbeat)
	defer heartbeat.Stop()
	for {
		var text []byte
		var last bool
		select {
		case <-ctx.Done():
			return x.sayRevoked()
		case <-x.api.done:
			return nil
		case <-heartbeat.C:
			text = []byte(": still here\n\n")
		case w, open := <-events:
			if !open {
				return x.sayRevoked()
			}
			text, last = x.describe(w)
			heartbeat.Reset(x.api.limits.Heartbeat)
		}
		err := x.send(text)
		x.reading.free()
		if x.revoked() != nil {
			return x.sayRevoked()
		}
		if err != nil || last {
			return err
		}
	}
}

// sayRevoked ends a watch whose caller's identity holds no longer with an event that says so. Where the same token
// authenticates again the stream just ends, and the client connects again.
func (x *requestContext) sayRevoked() error {
	err := x.revoked()
	if dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		return nil
	}
	x.err = dovetail.AsError(err)
	return x.transmit(event(eventError, "", problem.JSON(x.problem(x.err))))
}

// describe writes what the store said as an event, and reports whether it is the last one.
func (x *requestContext) describe(w watched) (text []byte, last bool) {
	switch {
	case dovetail.CodeOf(w.err) == dovetail.CodeExpired:
		return event(eventExpired, "", problem.JSON(x.problem(dovetail.AsError(w.err)))), true
	case w.err != nil:
		x.err = dovetail.AsError(w.err)
		x.delay()
		return event(eventError, "", problem.JSON(x.problem(x.err))), true
	case len(w.event.Changes) == 0:
		return event(eventBookmark, w.event.Cursor, []byte("{}")), false
	}
	text = event(eventChanges, w.event.Cursor, changesJSON(w.event))
	if err := x.holdEvent(int64(len(text))); err != nil {
		return x.describe(watched{err: err})
	}
	return text, false
}

// event writes one server-sent event. The data has no line breaks: JSON escapes them.
func event(name string, cursor store.Cursor, data []byte) []byte {
	text := append([]byte("event: "), name...)
	if cursor != "" {
		text = append(append(text, "\nid: "...), cursor...)
	}
	text = append(append(text, "\ndata: "...), data...)
	return append(text, "\n\n"...)
}

// changesJSON writes {"time", "changes": [{op, id, kind, uid, revision, document}]}.
func changesJSON(e store.Event) []byte {
	text := appendText([]byte(`{"time":`), e.Time.UTC().Format(time.RFC3339Nano))
	for i, c := range e.Changes {
		before := `,`
		if i == 0 {
			before = `,"changes":[`
		}
		change := encodeJSON(c.Change)
		text = append(append(text, before...), change[:len(change)-1]...)
		if c.Document != nil {
			text = appendEnvelope(append(text, `,"document":`...), c.Document, false)
		}
		text = append(text, '}')
	}
	return append(text, "]}"...)
}
