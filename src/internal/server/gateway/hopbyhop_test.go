package gateway

import (
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
)

// What a client tells the gateway to remove is removed, unless the request would then mean something else.
func TestConnection(t *testing.T) {
	e := newEcho(t, nil)
	front := newFront(t, Options{}, e)
	tests := []struct {
		name    string
		options []string // values of the header Connection
		header  string
		refused bool
	}{
		{name: "a condition", options: []string{"If-Match"}, header: "If-Match", refused: true},
		{name: "a condition, in lower case", options: []string{"if-none-match"}, header: "If-None-Match", refused: true},
		{name: "a condition after others", options: []string{"X-Private, close ,\tIf-Match"}, header: "If-Match", refused: true},
		{name: "a condition in another line", options: []string{"X-Private", "If-Unmodified-Since"}, header: "If-Unmodified-Since", refused: true},
		{name: "the token", options: []string{"Authorization"}, header: "Authorization", refused: true},
		{name: "the idempotency key", options: []string{"Idempotency-Key"}, header: "Idempotency-Key", refused: true},
		{name: "the type", options: []string{"Content-Type"}, header: "Content-Type", refused: true},
		{name: "the length", options: []string{"Content-Length"}, header: "X-Any", refused: true},
		{name: "the framing", options: []string{"Transfer-Encoding"}, header: "X-Any", refused: true},
		{name: "the host", options: []string{"Host"}, header: "X-Any", refused: true},
		{name: "the origin", options: []string{"Origin"}, header: "Origin", refused: true},
		{name: "what browsers say", options: []string{"Sec-Fetch-Site"}, header: "Sec-Fetch-Site", refused: true},
		{name: "the address", options: []string{"X-Forwarded-For"}, header: "X-Any", refused: true},
		{name: "where a watch goes on", options: []string{"Last-Event-ID"}, header: "Last-Event-Id", refused: true},
		{name: "what is private", options: []string{"X-Private"}, header: "X-Private"},
		{name: "keep-alive", options: []string{"keep-alive, Keep-Alive"}, header: "Keep-Alive"},
		{name: "another protocol", options: []string{"Upgrade"}, header: "Upgrade"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := len(e.requests())
			response, text := send(t, "PUT", front.URL+"/v2/clusters/c", "x", http.Header{"Connection": tt.options, tt.header: {"value"}})
			after := e.requests()[before:]
			switch {
			case tt.refused && (response.StatusCode != http.StatusBadRequest || len(after) > 0 || !strings.Contains(text, "header Connection names")):
				t.Errorf("got %d %s, and a server got %d requests", response.StatusCode, text, len(after))
			case !tt.refused && (response.StatusCode != http.StatusOK || len(after) != 1):
				t.Errorf("got %d %s, and a server got %d requests", response.StatusCode, text, len(after))
			case !tt.refused && len(after[0].Header[tt.header]) > 0:
				t.Errorf("the server got %s: %s", tt.header, after[0].Header[tt.header])
			}
		})
	}
}

// TestConnectionAlone makes sure of why the check is there: the proxy drops what Connection names.
func TestConnectionAlone(t *testing.T) {
	e := newEcho(t, nil)
	var got http.Header
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		got = r.Out.Header
		r.Out.URL.Scheme, r.Out.URL.Host = "http", strings.TrimPrefix(e.URL, "http://")
	}}
	front := newEcho(t, proxy.ServeHTTP)
	send(t, "PUT", front.URL+"/v2/clusters/c", "x", http.Header{"Connection": {"If-Match"}, "If-Match": {`"1"`}})
	if got.Get("If-Match") != "" {
		t.Error("the reverse proxy keeps what Connection names: the check is not needed any more")
	}
}

// The query comes as it was sent, parts that cannot be read among it: without dryRun a request would be done.
func TestQueryIsWhole(t *testing.T) {
	e := newEcho(t, nil)
	front := newFront(t, Options{}, e)
	for _, query := range []string{"dryRun=true", "dryRun=true;x", "a=%zz&dryRun=true", "dryRun=%74rue;", "a=1;b=2&c"} {
		if got := raw(t, front, "PUT /v2/clusters/c?"+query+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"); !slices.Equal(got, []int{200}) {
			t.Errorf("%s: %v", query, got)
		}
		all := e.requests()
		if got := all[len(all)-1].URL.RawQuery; got != query {
			t.Errorf("%s comes as %s", query, got)
		}
	}
}

func TestForwarded(t *testing.T) {
	invented := http.Header{"X-Forwarded-For": {"203.0.113.9"}, "X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Proto": {"https"},
		"X-Forwarded-Port": {"1"}, "X-Forwarded-User": {"admin"}, "X-Real-Ip": {"203.0.113.9"}, "Forwarded": {"for=203.0.113.9"}}
	tests := []struct {
		name, trusted  string
		address, proto string
		host           string // "" for that of the request
	}{
		{name: "from a client", address: "127.0.0.1", proto: "http"},
		{name: "from a proxy that is not trusted", trusted: "10.0.0.0/8", address: "127.0.0.1", proto: "http"},
		{name: "from a trusted proxy", trusted: "127.0.0.0/8", address: "203.0.113.9", proto: "https", host: "evil.example"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			proxies, err := forwarded.Parse(tt.trusted)
			if err != nil {
				t.Fatal(err)
			}
			e := newEcho(t, nil)
			front := newFront(t, Options{Proxies: proxies}, e)
			send(t, "GET", front.URL+"/v2/clusters", "", invented)
			got := e.requests()[0].Header
			want := http.Header{"X-Forwarded-For": {tt.address}, "X-Forwarded-Proto": {tt.proto}, "X-Forwarded-Host": {tt.host}}
			if tt.host == "" {
				want.Set("X-Forwarded-Host", strings.TrimPrefix(front.URL, "http://"))
			}
			for name := range invented {
				if !slices.Equal(got[name], want[name]) {
					t.Errorf("%s is %q, want %q", name, got[name], want[name])
				}
			}
		})
	}
}

// Requests that two servers in a row could take for different ones: the servers get what the gateway understood, framed
// again, or nothing.
func TestSmuggling(t *testing.T) {
	const hidden = "GET /v2/hidden HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" // of 55 bytes
	tests := []struct {
		name, text string
		statuses   []int
		want       string // what arrives
	}{
		{name: "two lengths", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 55\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a list of lengths", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: 0, 55\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a length with a sign", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: +55\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a negative length", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a space before the colon", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Length : 55\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "another encoding", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + hidden, statuses: []int{501}},
		{name: "an encoding that looks like one", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\nContent-Length: 55\r\n\r\n" + hidden, statuses: []int{501}},
		{name: "two encodings", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden, statuses: []int{501}},
		{name: "two hosts", text: "GET /v2/clusters HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", statuses: []int{400}},
		{name: "no host", text: "GET /v2/clusters HTTP/1.1\r\n\r\n", statuses: []int{400}},
		{name: "a line end in a name", text: "GET /v2/clusters HTTP/1.1\r\nHost: x\r\nX\rY: z\r\n\r\n", statuses: []int{400}},
		{name: "a chunk whose length is none", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x37\r\n" + hidden, statuses: []int{400}},
		{name: "length and encoding", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
			statuses: []int{200, 200}, want: "POST /v2/clusters, GET /v2/hidden"}, // two requests for all: net/http takes the encoding, as RFC 9112 says
		{name: "the length is a body", text: "POST /v2/clusters HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 55\r\n\r\n" + hidden,
			statuses: []int{200}, want: "POST /v2/clusters"},
		{name: "a body of GET", text: "GET /v2/clusters HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 55\r\n\r\n" + hidden,
			statuses: []int{200}, want: "GET /v2/clusters"},
		{name: "a tunnel", text: "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + hidden, statuses: []int{405}},
		{name: "the URL of another host", text: "GET http://evil.example/v2/clusters HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", statuses: []int{200}, want: "GET /v2/clusters"},
		{name: "another protocol", text: "GET /v2/clusters HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n" + hidden,
			statuses: []int{200, 200}, want: "GET /v2/clusters, GET /v2/hidden"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEcho(t, nil)
			front := newFront(t, Options{}, e)
			if got := raw(t, front, tt.text); !slices.Equal(got, tt.statuses) {
				t.Errorf("answers %v, want %v", got, tt.statuses)
			}
			front.Close()
			if got := e.lines(); got != tt.want {
				t.Errorf("the server got %q, want %q", got, tt.want)
			}
			for _, r := range e.requests() {
				if r.ContentLength >= 0 && len(r.TransferEncoding) > 0 || r.Header.Get("Upgrade") != "" {
					t.Errorf("%s with length %d, encoding %v, upgrade %q", r.RequestURI, r.ContentLength, r.TransferEncoding, r.Header.Get("Upgrade"))
				}
			}
		})
	}
}
