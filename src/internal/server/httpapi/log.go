package httpapi

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// requestIDs gives requests ids that are unique over the runs of the server.
type requestIDs struct {
	run  string
	next *atomic.Uint64
}

func newRequestIDs() requestIDs {
	var run [4]byte
	_, _ = rand.Read(run[:]) // never fails
	return requestIDs{hex.EncodeToString(run[:]) + "-", &atomic.Uint64{}}
}

// of returns the id that the client or a proxy gave the request, or a new one.
func (ids requestIDs) of(r *http.Request) string {
	if given := r.Header.Get("X-Request-Id"); given != "" && len(given) <= 128 && isUnreserved(given) {
		return given
	}
	return ids.run + strconv.FormatUint(ids.next.Add(1), 36)
}

// finish is what happens after every request: a panic becomes an answer, metrics and log are written.
func (x *requestContext) finish(start time.Time) {
	panicked := recover()
	x.leave()
	cause, _ := panicked.(error)
	if panicked != nil && !errors.Is(cause, http.ErrAbortHandler) {
		x.api.log.ErrorContext(x.ctx, "panic", "id", x.id, "panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
		if x.w.status == 0 {
			x.fail(&dovetail.Error{Code: dovetail.CodeInternal, Message: "an internal error occurred in Dovetail", Remedy: "see the server's log for the request " + x.id})
			panicked = nil
		}
	}
	if x.w.status == 0 {
		x.w.status = http.StatusOK
	}
	x.api.held.Add(-x.held)
	_ = x.hold(-x.memory) // never refused
	x.reading.end()
	took := time.Since(start)
	x.observe(took)
	x.log(took)
	if x.traced != nil {
		x.trace()
	}
	if panicked != nil {
		panic(http.ErrAbortHandler) // the answer is broken: so shall be the connection
	}
}

// trace records the outcome of the request in its trace.
func (x *requestContext) trace() {
	var err error
	if x.err != nil {
		err = x.err
	}
	x.traced(x.template(), x.w.status, err)
}

// template is that of the route.
func (x *requestContext) template() string {
	if x.route == nil {
		return noRoute
	}
	return x.route.template
}

// log writes the request's record.
func (x *requestContext) log(took time.Duration) {
	level := slog.LevelInfo
	if x.w.status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	if !x.api.log.Enabled(x.ctx, level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 13),
		slog.String("method", x.r.Method), slog.String("path", x.r.URL.EscapedPath()), slog.String("route", x.template()),
		slog.Int("status", x.w.status), slog.Int64("bytes", x.w.bytes), slog.Duration("duration", took),
		slog.String("id", x.id), slog.String("remote", x.r.RemoteAddr))
	if proxies := x.api.options.Proxies; proxies.Trusts(x.r) {
		if client, ok := proxies.Client(x.r); ok {
			attrs = append(attrs, slog.String("client", client.String()))
		}
	}
	if x.principal != nil {
		attrs = append(attrs, slog.String("principal", x.principal.Name))
	}
	if x.err != nil {
		attrs = append(attrs, logCause(x.err)...)
	}
	x.api.log.LogAttrs(x.ctx, level, "request", attrs...)
}
