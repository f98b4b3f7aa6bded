package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// newProxy sends requests on. Answers are passed on as they come, so that watches work.
func (g *Gateway) newProxy() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport:     balancer{g},
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(g.options.Log.Handler(), slog.LevelDebug),
		Rewrite:       g.rewrite,
		ErrorHandler:  g.explain,
	}
}

// servicesHeader is in an answer 404 to a path that the server does not serve, and names what it runs.
const servicesHeader = "Dovetail-Services"

// Why no server answered.
var (
	errNoServer = errors.New("no server")
	errMisled   = errors.New("another server is at the address of the one that serves it")
	errNotKnown = errors.New("not all servers have said what they serve")
	errOverdue  = errors.New("the server did not answer in time")
	errNoDial   = errors.New("no connection to a server in time")
)

// balancer sends a request to one of the servers that serve its path, in turn. When that one did nothing with
// it, since no connection came about or since it turned out to be another server, the next one gets it.
type balancer struct{ *Gateway }

// RoundTrip implements http.RoundTripper. An answer must begin in time; how long it lasts then is for its server and its
// reader.
func (b balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	overdue := time.AfterFunc(b.limits.Read+b.limits.answerIn(), func() { cancel(errOverdue) })
	answer, err := b.route(r.WithContext(ctx))
	overdue.Stop()
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errOverdue) {
			err = cause
			if !connected.Load() {
				err = errNoDial
			}
		}
		cancel(nil)
	}
	return answer, err
}

// route finds a server for a request.
func (b balancer) route(r *http.Request) (*http.Response, error) {
	table := *b.table.Load()
	candidates := table.find(r.URL.EscapedPath())
	deliver := b.deliver
	if candidates == nil {
		candidates, deliver = table[api.Root], b.inquire // has the page, and knows what is near to what is nowhere
	}
	err := errNoServer
	first := b.next.Add(1)
	for n := range uint64(len(candidates)) {
		var answer *http.Response
		answer, err = deliver(r, candidates[(first+n)%uint64(len(candidates))])
		if err == nil || !retriable(r, err) {
			return answer, err
		}
	}
	return nil, err
}

// deliver sends a request to a server that said that it serves its path. An address that went from one server to
// another, as those of containers do, is found out: the connections to it are ended, and one made again.
func (b balancer) deliver(r *http.Request, n int) (*http.Response, error) {
	for again := false; ; again = true {
		answer, err := b.send(r, n)
		if err != nil {
			return nil, err
		}
		if runs := answer.Header.Get(servicesHeader); runs == "" || b.servers[n].runs(runs) {
			return answer, nil // and if it is 404: there is nothing at this path
		}
		_ = answer.Body.Close()
		b.transport.CloseIdleConnections()
		if again || !retriable(r, errMisled) {
			return nil, errMisled
		}
	}
}

// inquire sends a server a request with a path that none is known to serve. That it does not serve it either is
// an answer only when all servers have said what they serve.
func (b balancer) inquire(r *http.Request, n int) (*http.Response, error) {
	answer, err := b.send(r, n)
	if err == nil && answer.Header.Get(servicesHeader) != "" && !b.allKnown() {
		_ = answer.Body.Close()
		return nil, errNotKnown
	}
	return answer, err
}

// send sends a request to a server. The request's body stays open.
func (b balancer) send(r *http.Request, n int) (*http.Response, error) {
	to := b.servers[n].url
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host = to.Scheme, to.Host
	if r.Body != nil {
		out.Body = io.NopCloser(r.Body) // the next one may need it
	}
	return b.transport.RoundTrip(out)
}

// allKnown reports whether every server has said what it serves since the gateway started.
func (g *Gateway) allKnown() bool {
	for _, s := range g.servers {
		s.mu.Lock()
		known := s.known
		s.mu.Unlock()
		if !known {
			return false
		}
	}
	return true
}

// runs reports whether the server said last that it runs these services.
func (s *server) runs(services string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said != nil && s.said.services() == services
}

// retriable reports whether a request that no server did anything with can be sent once more: a server that is not
// the right one may have read its body.
func retriable(r *http.Request, err error) bool {
	return neverSent(err) || errors.Is(err, errMisled) && (r.Body == nil || r.Body == http.NoBody)
}

// neverSent reports whether an error came before the first byte of the request was sent.
func neverSent(err error) bool {
	var dial *net.OpError
	return errors.Is(err, errNoServer) || errors.As(err, &dial) && dial.Op == "dial"
}

// explain answers a request that no server answered.
func (g *Gateway) explain(w http.ResponseWriter, r *http.Request, err error) {
	var large *http.MaxBytesError
	var broken *brokenBody
	switch {
	case errors.As(err, &large):
		g.refuse(w, r, g.tooLarge())
		return
	case errors.As(err, &broken):
		g.refuse(w, r, &refusal{code: dovetail.CodeInvalid, reason: "body",
			message: "the body cannot be read: " + broken.Error(), remedy: "send all of it, in time"})
		return
	case r.Context().Err() != nil:
		panic(http.ErrAbortHandler) // its client is away, and nothing may look like an answer
	}
	g.options.Log.Warn("a request was not answered", "method", r.Method, "path", r.URL.EscapedPath(), "error", err)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
	var slow net.Error
	late := errors.Is(err, errOverdue) || errors.As(err, &slow) && slow.Timeout()
	switch {
	case errors.Is(err, errNoDial):
		g.refuse(w, r, &refusal{code: dovetail.CodeTimeout, message: "no server for " + r.URL.EscapedPath() + " was reached in time", remedy: "try again"})
	case neverSent(err) || errors.Is(err, errMisled) || errors.Is(err, errNotKnown):
		g.refuse(w, r, unavailable("no server for "+r.URL.EscapedPath()+" can be reached"))
	case reads && late:
		g.refuse(w, r, &refusal{code: dovetail.CodeTimeout, message: "the server did not answer in time",
			remedy: "ask for less, or raise --request-timeout"})
	case reads:
		g.refuse(w, r, unavailable("the server broke off"))
	default:
		message := "the server broke off"
		if late {
			message = "the server did not answer in time"
		}
		g.refuse(w, r, &refusal{code: dovetail.CodeUnknown, message: message + ", so that it is not known whether the request was done",
			remedy: "repeat it with the same idempotency key, or look what is stored"})
	}
}
