package gateway

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// newProxy sends requests on. Answers are passed on as they come, so that watches work.
func (g *Gateway) newProxy() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport:     balancer{g},
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(g.options.Log.Handler(), slog.LevelDebug),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetXForwarded()
			r.Out.Host = r.In.Host
		},
		ErrorHandler: g.explain,
	}
}

// errNoServer says that no server that is ready serves the path.
var errNoServer = errors.New("no server")

// balancer sends a request to one of the servers that serve its path, in turn. When none of its bytes
// reached that one, since no connection came about, the next one gets it.
type balancer struct{ *Gateway }

// RoundTrip implements http.RoundTripper.
func (b balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	table := *b.table.Load()
	candidates := table.find(r.URL.EscapedPath())
	if candidates == nil {
		candidates = table["/v2"] // has the page, and knows what is near to what is nowhere
	}
	err := errNoServer
	first := b.next.Add(1)
	for n := range uint64(len(candidates)) {
		to := b.servers[candidates[(first+n)%uint64(len(candidates))]].url
		out := r.Clone(r.Context())
		out.URL.Scheme, out.URL.Host = to.Scheme, to.Host
		if r.Body != nil {
			out.Body = io.NopCloser(r.Body) // the next one may need it
		}
		var answer *http.Response
		if answer, err = b.options.HTTP.RoundTrip(out); err == nil || !neverSent(err) {
			return answer, err
		}
	}
	return nil, err
}

// neverSent says whether an error came before the first byte of the request was sent.
func neverSent(err error) bool {
	var dial *net.OpError
	return errors.Is(err, errNoServer) || errors.As(err, &dial) && dial.Op == "dial"
}

// explain answers a request that no server answered.
func (g *Gateway) explain(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody is there to be told
	}
	g.options.Log.Warn("a request was not answered", "method", r.Method, "path", r.URL.EscapedPath(), "error", err)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
	switch {
	case neverSent(err):
		refuse(w, r, http.StatusServiceUnavailable, dovetail.CodeUnavailable, "no server for "+r.URL.EscapedPath()+" can be reached", "try again")
	case reads:
		refuse(w, r, http.StatusServiceUnavailable, dovetail.CodeUnavailable, "the server broke off", "try again")
	default:
		refuse(w, r, http.StatusGatewayTimeout, dovetail.CodeUnknown, "the server broke off, so that it is not known whether the request was done",
			"repeat it with the same idempotency key, or look what is stored")
	}
}
