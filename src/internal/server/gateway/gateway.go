package gateway

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
	"github.com/dovetail-store/dovetail/src/internal/server/ratelimit"
)

// Options configure a Gateway.
type Options struct {
	Servers []string      // URLs; several with the same services share the requests
	Every   time.Duration // how often each is asked what it serves; default 5 s
	Timeout time.Duration // of that question; default 5 s
	Clock   clock.Clock   // of the pauses between these questions; default clock.System
	Log     *slog.Logger  // default none
	Limits  Limits
	Proxies forwarded.Proxies    // in front of the gateway, believed about the address that a request comes from
	Metrics *prometheus.Registry // default a new one
	// TLS is the configuration of the next connection to a server; nil for that of the machine.
	TLS func() *tls.Config
}

// memory is for how many rounds of questions, all answered, the gateway remembers a path that no server serves any
// more: ten minutes at the default pace. Until then it answers 503 there, as while the path's servers are away.
const memory = 120

// Gateway is an HTTP handler that sends requests to servers. It is safe for concurrent use. For a path whose
// servers are away, and until Run has asked the servers, it answers 503; for one that no server serves, 404.
type Gateway struct {
	options Options
	limits  Limits
	limiter *ratelimit.Limiter
	metrics *metrics
	servers []*server
	proxy   *httputil.ReverseProxy
	table   atomic.Pointer[table]
	next    atomic.Uint64 // counts requests, to balance them round-robin
	whole   int           // rounds in a row in which all servers answered; of ask alone

	transport *http.Transport // of requests
	probes    *http.Transport // of probes, each by a connection of its own, so that a server's name is looked up again
}

// server is one that requests go to.
type server struct {
	url *url.URL

	mu    sync.Mutex
	asked bool
	known bool   // what it serves: it answered once
	said  *index // nil while it does not answer
}

// New returns a Gateway. The error, for an invalid URL, has CodeInvalid.
func New(options Options) (*Gateway, error) {
	if options.Every == 0 {
		options.Every = 5 * time.Second
	}
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	if options.Clock == nil {
		options.Clock = clock.System
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Metrics == nil {
		options.Metrics = prometheus.NewRegistry()
	}
	limits := options.Limits.withDefaults()
	transport := newTransport(options.TLS)
	transport.ResponseHeaderTimeout = limits.answerIn()
	probes := transport.Clone()
	probes.DisableKeepAlives = true
	probes.ResponseHeaderTimeout = 0 // Options.Timeout bounds a probe
	g := &Gateway{options: options, limits: limits, metrics: newMetrics(options.Metrics), transport: transport, probes: probes}
	g.table.Store(&table{})
	g.limiter = ratelimit.New(ratelimit.Options{PerSecond: limits.PerSecond, Burst: limits.Burst, AtOnce: limits.AtOnce})
	g.proxy = g.newProxy()
	var errs dovetail.Errors
	for _, text := range options.Servers {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "invalid server " + text, Remedy: "give its URL: http://127.0.0.1:8081", Err: err})
			continue
		}
		g.servers = append(g.servers, &server{url: u})
	}
	if len(options.Servers) == 0 {
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "a gateway needs servers", Remedy: "name their URLs"})
	}
	return g, errs.Err("the gateway cannot start")
}

// Run asks the servers what they serve, now and then, until the context ends.
func (g *Gateway) Run(ctx context.Context) {
	for {
		g.ask(ctx)
		if clock.Sleep(ctx, g.options.Clock, g.options.Every) != nil {
			return
		}
	}
}

// ask asks all servers at once and makes the table again.
func (g *Gateway) ask(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range g.servers {
		all.Go(func() {
			said, err := g.question(ctx, s)
			s.mu.Lock()
			defer s.mu.Unlock()
			switch {
			case ctx.Err() != nil:
				return
			case err != nil && (s.said != nil || !s.asked):
				g.options.Log.Warn("a server does not answer and gets no requests", "server", s.url.String(), "error", err)
			case err == nil && s.said == nil:
				g.options.Log.Info("a server gets requests", "server", s.url.String(), "version", said.Version)
			}
			s.asked, s.said, s.known = true, said, s.known || said != nil
		})
	}
	all.Wait()
	said := make([]*index, len(g.servers))
	g.whole++
	for n, s := range g.servers {
		s.mu.Lock()
		said[n] = s.said
		s.mu.Unlock()
		ready := g.metrics.ready.WithLabelValues(s.url.Redacted())
		ready.Set(1)
		if said[n] == nil {
			g.whole = 0
			ready.Set(0)
		}
	}
	made := newTable(said)
	if g.whole < memory {
		made.remember(*g.table.Load())
	}
	g.table.Store(&made)
}

// question asks one server whether it is ready, and what it serves.
func (g *Gateway) question(ctx context.Context, s *server) (*index, error) {
	ctx, cancel := context.WithTimeout(ctx, g.options.Timeout)
	defer cancel()
	get := func(path string, into any) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.JoinPath(path).String(), http.NoBody)
		if err != nil {
			return err
		}
		request.Header.Set("Accept", "application/json")
		answer, err := g.probes.RoundTrip(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", path, answer.Status)
		}
		return limit.Limit{Bytes: 4 << 20, Of: "the answer of " + s.url.Redacted() + " to " + path}.DecodeJSON(answer.Body, into)
	}
	var ready struct{}
	if err := get(api.Ready, &ready); err != nil {
		return nil, err
	}
	said := new(index)
	if err := get(api.Index, said); err != nil {
		return nil, err
	}
	return said, nil
}

// ServeHTTP sends a request to a server that serves its path.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.metrics.inFlight.Inc()
	defer g.metrics.inFlight.Dec()
	out := newAnswer(w, g.limits.Write)
	defer func() { g.metrics.count(r.Method, cmp.Or(out.status, http.StatusOK)) }()
	defer out.extend() // for the end of the answer
	if r.Body == nil || r.Body == http.NoBody {
		liftRead(out.control)
	}
	switch r.URL.Path {
	case api.Live, api.Ready, api.Metrics:
		g.health(out, r)
		return
	}
	leave, refused := g.enter(r)
	if refused == nil {
		defer leave()
		refused = g.check(r)
	}
	if refused != nil {
		g.refuse(out, r, refused)
		return
	}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &received{ReadCloser: http.MaxBytesReader(w, r.Body, g.limits.Body), control: out.control}
	}
	if r.URL.Path == api.OpenAPI {
		g.description(out, r)
		return
	}
	g.proxy.ServeHTTP(out, r)
	out.extend() // for its end, which may come long after its last part
}

// health answers for the gateway itself: it is ready when some server is.
func (g *Gateway) health(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == api.Metrics:
		g.refuse(w, r, &refusal{code: dovetail.CodeNotFound, message: "the metrics of a gateway are not served here",
			remedy: "give them an address of their own with --metrics-listen; those of the servers are at the servers"})
		return
	case r.URL.Path == api.Ready && !g.table.Load().serves():
		g.refuse(w, r, unavailable("no server is ready"))
		return
	}
	type state struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	}
	answer := struct {
		Status string  `json:"status"`
		Checks []state `json:"checks,omitempty"`
	}{Status: "ok"}
	if r.URL.Path == api.Ready {
		for _, s := range g.servers {
			s.mu.Lock()
			status := "ok"
			if s.said == nil {
				status = "failed"
			}
			s.mu.Unlock()
			answer.Checks = append(answer.Checks, state{s.url.String(), status})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // who asked went away
}
