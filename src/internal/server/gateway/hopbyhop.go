package gateway

import (
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
)

// A proxy removes the headers that the header Connection names (RFC 9110, section 7.6.1). Those that say what a request
// means are for the server, and no client has a reason to name them there: without If-Match a write that must be
// refused would be done.
var (
	endToEnd = []string{"Authorization", "Cache-Control", "Cookie", "Date", "Expect", "Forwarded", "From", "Host", "Idempotency-Key",
		"Last-Event-Id", "Last-Modified", "Etag", "Origin", "Pragma", "Prefer", "Range", "Referer", "Traceparent", "Tracestate",
		"Transfer-Encoding", "User-Agent", "Via", "X-Auth-Token", "X-Real-Ip", "X-Request-Id"}
	endToEndPrefixes = []string{"Accept", "Access-Control-", "Content-", "Dovetail-", "If-", "Sec-", "X-Forwarded-"}
)

// dropsMeaning returns a header that the request tells proxies to remove although it says what the request means.
func dropsMeaning(h http.Header) (name string, drops bool) {
	for _, line := range h["Connection"] {
		for option := range strings.SplitSeq(line, ",") {
			name := http.CanonicalHeaderKey(strings.TrimSpace(option))
			begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
			if slices.Contains(endToEnd, name) || slices.ContainsFunc(endToEndPrefixes, begins) {
				return name, true
			}
		}
	}
	return "", false
}

// check refuses requests that must not be sent on as they are.
func (g *Gateway) check(r *http.Request) *refusal {
	if name, drops := dropsMeaning(r.Header); drops {
		return &refusal{code: dovetail.CodeInvalid, reason: "connection",
			message: "the header Connection names " + name + ", so that the server would not get it",
			remedy:  "name only headers there that are for the next hop"}
	}
	if r.Method == http.MethodConnect {
		return &refusal{code: dovetail.CodeMethod, reason: "method",
			message: "the gateway makes no tunnels", remedy: "send requests with the path of the API"}
	}
	if r.ContentLength > g.limits.Body {
		return g.tooLarge()
	}
	return nil
}

// rewrite makes the request that a server gets. The reverse proxy has removed what is for this hop only.
func (g *Gateway) rewrite(r *httputil.ProxyRequest) {
	r.Out.Host = r.In.Host
	r.Out.URL.RawQuery = r.In.URL.RawQuery // whole: without a parameter that cannot be read, a request means something else
	h := r.Out.Header
	for _, name := range []string{"Connection", "Upgrade", "Forwarded", "X-Real-Ip"} { // servers know no other protocol
		h.Del(name)
	}
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "X-Remote-") { // a gateway speaks for no user
			delete(h, name)
		}
	}
	scheme, host := "http", r.In.Host
	if r.In.TLS != nil {
		scheme = "https"
	}
	if g.options.Proxies.Trusts(r.In) {
		if said := r.In.Header.Get("X-Forwarded-Proto"); said == "http" || said == "https" {
			scheme = said
		}
		if said := r.In.Header.Get("X-Forwarded-Host"); said != "" {
			host = said
		}
	}
	g.forwardedFor(r.In, h)
	h.Set("X-Forwarded-Host", host)
	h.Set("X-Forwarded-Proto", scheme)
}

// forwardedFor sets the header with the client address for a server: the address that the gateway counts the request for.
func (g *Gateway) forwardedFor(in *http.Request, out http.Header) {
	out.Del(forwarded.Header)
	if client, ok := g.options.Proxies.Client(in); ok {
		out.Set(forwarded.Header, client.String())
	}
}
