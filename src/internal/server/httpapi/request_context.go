package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/store"
)

// requestContext is one request and its answer on their way through the API.
type requestContext struct {
	api      *API
	store    Store // that of the API, the past of it, or the view of a change set
	proposed *View // the view of a change set that the request reads or writes; nil if there is none
	routing  *routing
	ctx      context.Context // of the request, with its time limit
	w        recorder
	r        *http.Request
	id       string // of the request

	caller    Caller              // whose it is; nil without authentication
	principal *dovetail.Principal // of the caller
	undecided func() error        // see Caller; nil for never
	flow      flowcontrol.Flow    // the same, or the address that it comes from
	exempt    bool                // it needs no seats
	class     string              // of requests that cost the same; see classify
	long      bool
	seat      flowcontrol.Seat
	level     *flowcontrol.Level // that the seat is of

	route    *route
	method   *method
	values   []string    // the variable segments of the path, as written
	resource dovetail.ID // the item, or what the collection is under
	format   format

	held    int64                                     // bytes of the body
	kept    []byte                                    // the body, where it may be read more than once
	memory  int64                                     // bytes that it and what is made of it are counted with
	reading reading                                   // what the request reads
	traced  func(route string, status int, err error) // nil if there is no trace

	changeSet string        // whose view is asked for; "" if there is none
	message   string        // why the client writes
	dryRun    bool          // only show what a write would do
	key       string        // the client's idempotency key for the write
	managed   bool          // the write may change documents of managed kinds
	paced     bool          // it was delayed before any work
	warned    int           // how many warnings the answer has, shown or only counted
	streamed  bool          // the answer lasts as long as its reader likes
	wait      time.Duration // how long the write waits for the status of what it wrote

	err *dovetail.Error // what was answered as a problem, for the log
}

// handler serves one verb of a route. Its error becomes the answer.
type handler func(x *requestContext) error

// ServeHTTP serves one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	x := &requestContext{api: a, store: a.store, r: r, ctx: r.Context(), w: recorder{ResponseWriter: w}}
	x.w.x = x
	x.id = a.ids.of(r)
	if a.options.Trace != nil {
		x.ctx, x.traced = a.options.Trace(x.ctx, r)
	}
	w.Header()["X-Request-Id"] = []string{x.id}
	a.metrics.inFlight.Inc()
	defer a.metrics.inFlight.Dec()
	defer x.finish(start)
	x.routing = a.current()
	if err := x.serve(); err != nil {
		x.pace(err)
		x.fail(err)
	} else if x.w.status != 0 && !x.w.replaced && x.doubt() != nil {
		panic(http.ErrAbortHandler) // so that no client takes the part for the whole
	}
}

func (x *requestContext) serve() error {
	found := x.find()
	leave, err := x.admit()
	if err != nil {
		return err
	}
	defer leave()
	x.paceUnprivileged()
	if found != nil {
		return found
	}
	if x.method == nil {
		return x.otherMethod()
	}
	if off := x.routing.off[x.method.service]; off != nil {
		return off
	}
	if x.format, err = negotiate(x.r.Header["Accept"], x.method.offers); err != nil && !x.watching() {
		return err
	}
	if x.route.elements != nil {
		if x.resource, err = x.route.id(x.values); err != nil {
			return err
		}
	}
	handle, watching := x.method.handle, x.watching()
	if watching {
		handle = (*requestContext).watch
	}
	streams := x.streams()
	if !watching && !streams && !x.method.unlimited {
		ctx, cancel := context.WithTimeout(x.ctx, x.api.limits.Request)
		defer cancel()
		x.ctx = ctx
	}
	x.boundReading(watching || streams)
	if err := x.checkQuery(); err != nil {
		return err
	}
	if x.changeSet, err = x.readChangeSet(); err != nil {
		return err
	}
	if e := x.method.endpoint; e != nil && e.Enter != nil {
		x.ctx = e.Enter(x.ctx, x.r.URL.Query())
	}
	if err := x.permit(); err != nil {
		return err
	}
	if err := cmp.Or(x.checkSingle(), x.checkConditions(), x.checkNoBody()); err != nil {
		return err
	}
	x.warnUnused()
	if err := x.queue(); err != nil {
		return err
	}
	if x.changeSet != "" {
		return x.handleIn(handle)
	}
	then, err := x.goBack()
	if err != nil {
		return err
	}
	return x.handlerAt(then, handle)(x)
}

// handlerAt returns the handler for a store other than that of the API, nil for that one.
func (x *requestContext) handlerAt(then *store.Store, now handler) handler {
	if then != nil && x.method.handleAt != nil {
		return x.method.handleAt(then)
	}
	return now
}

// otherMethod answers a verb that the route does not have.
func (x *requestContext) otherMethod() error {
	x.w.Header().Set("Allow", x.route.allow)
	if x.r.Method == http.MethodOptions {
		x.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeMethod,
		Message: x.r.Method + " is not allowed on " + x.route.template, Remedy: "use one of " + x.route.allow}
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	x      *requestContext
	status int
	bytes  int64
	// replaced says that a problem was sent in place of an answer, of which the rest is dropped.
	replaced bool
}

// WriteHeader sends the status.
func (w *recorder) WriteHeader(status int) {
	if w.replace() {
		return
	}
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *recorder) Write(p []byte) (int, error) {
	if w.replace() {
		return len(p), nil
	}
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// replace sends a problem in place of an answer that has not begun, where it cannot be decided what the caller may do.
func (w *recorder) replace() bool {
	if w.status != 0 || w.replaced {
		return w.replaced
	}
	why := w.x.doubt()
	if why == nil {
		return false
	}
	w.x.undecided = nil // for the problem itself
	for _, name := range []string{"Content-Length", "Content-Type", "Etag", "Last-Modified", "Location"} {
		w.Header().Del(name)
	}
	w.x.fail(why)
	w.replaced = true
	return true
}

// begin records the status, and frees the seats: a client that reads the answer slowly holds none.
func (w *recorder) begin(status int) {
	if w.status == 0 {
		w.status = status
		w.x.leave()
	}
}

// Unwrap lets http.ResponseController through.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// write sends a part of the body. An error means that the client has gone, and needs no handling.
func (x *requestContext) write(p []byte) { _, _ = x.w.Write(p) }
