package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/gateway"
)

// asks sends a request with headers, and returns the answer without its body.
func (r *running) asks(t *testing.T, method, path string, header map[string]string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.URL()+path, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range header {
		request.Header.Set(name, text)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response
}

// Every answer has the headers that keep browsers from being talked into something, also errors, redirects, the
// page and what is nowhere.
func TestSecurityHeaders(t *testing.T) {
	file, _ := accessFile(t, accessRoles, "root")
	server := start(t, map[string]string{"access": file})
	for path, status := range map[string]int{"/": 200, "/livez": 200, "/v2/clusters": 401, "/nowhere": 401, "/ui/": 200, "/ui": 302, "/ui/assets/none": 404} {
		response := server.asks(t, "GET", path, nil)
		if response.StatusCode != status {
			t.Errorf("%s: status %d, want %d", path, response.StatusCode, status)
		}
		for _, safe := range safeHeaders {
			if got := response.Header.Values(safe.name); len(got) != 1 || got[0] != safe.text[0] && safe.name != "Content-Security-Policy" {
				t.Errorf("%s: %s is %q", path, safe.name, got)
			}
		}
		if policy := response.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %s", path, policy)
		}
		for name := range response.Header {
			if strings.HasPrefix(name, "Access-Control-") || name == "Strict-Transport-Security" {
				t.Errorf("%s has %s", path, name)
			}
		}
	}
}

func TestStrictTransport(t *testing.T) {
	server := httptest.NewTLSServer(guarded(http.NotFoundHandler(), nil))
	defer server.Close()
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if got := response.Header.Get("Strict-Transport-Security"); got != strictTransport {
		t.Errorf("got %q", got)
	}
}

// What the gateway says itself has the headers, and what servers say has them once.
func TestSecurityHeadersOfGateway(t *testing.T) {
	behind := start(t, nil)
	g, err := gateway.New(gateway.Options{Servers: []string{behind.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	go g.Run(t.Context())
	front := httptest.NewServer(guardedGateway(g))
	defer front.Close()
	for _, path := range []string{"/readyz", "/v2/clusters", "/metrics"} {
		var response *http.Response
		eventually(t, "the gateway knows the server", func() bool {
			if response, err = http.Get(front.URL + path); err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			return response.StatusCode != http.StatusServiceUnavailable
		})
		for _, safe := range safeHeaders {
			if got := response.Header.Values(safe.name); len(got) != 1 {
				t.Errorf("%s: %s is %q", path, safe.name, got)
			}
		}
	}
}

// Pages of other origins may do nothing unless they are named.
func TestOrigins(t *testing.T) {
	const friend, foe = "https://portal.example.org", "https://evil.example.org"
	closed, opened := start(t, nil), start(t, map[string]string{"cors-origins": friend})
	preflight := func(origin string) map[string]string {
		return map[string]string{"Origin": origin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization,if-match"}
	}
	tests := []struct {
		name, method, path string
		server             *running
		header             map[string]string
		status             int
		allowed            string // origin
	}{
		{name: "a program", server: closed, method: "DELETE", path: "/v2/clusters/c", status: 404},
		{name: "our own page", server: closed, method: "DELETE", path: "/v2/clusters/c", header: map[string]string{"Sec-Fetch-Site": "same-origin"}, status: 404},
		{name: "another page", server: closed, method: "DELETE", path: "/v2/clusters/c", header: map[string]string{"Origin": foe, "Sec-Fetch-Site": "cross-site"}, status: 403},
		{name: "another page in an old browser", server: closed, method: "POST", path: "/v2/clusters", header: map[string]string{"Origin": foe}, status: 403},
		{name: "another page asks first", server: closed, method: "OPTIONS", path: "/v2/clusters/c", header: preflight(foe), status: 204},
		{name: "another page reads, without learning it", server: closed, method: "GET", path: "/v2/clusters", header: map[string]string{"Origin": foe}, status: 200},
		{name: "a page that is named asks first", server: opened, method: "OPTIONS", path: "/v2/clusters/c", header: preflight(friend), status: 204, allowed: friend},
		{name: "a page that is named writes", server: opened, method: "DELETE", path: "/v2/clusters/c", header: map[string]string{"Origin": friend, "Sec-Fetch-Site": "cross-site"}, status: 404, allowed: friend},
		{name: "a page that is named reads", server: opened, method: "GET", path: "/v2/clusters", header: map[string]string{"Origin": friend}, status: 200, allowed: friend},
		{name: "another page still not", server: opened, method: "DELETE", path: "/v2/clusters/c", header: map[string]string{"Origin": foe, "Sec-Fetch-Site": "cross-site"}, status: 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			response := tt.server.asks(t, tt.method, tt.path, tt.header)
			h := response.Header
			if response.StatusCode != tt.status || h.Get("Access-Control-Allow-Origin") != tt.allowed {
				t.Errorf("status %d, want %d; allowed is %q, want %q", response.StatusCode, tt.status, h.Get("Access-Control-Allow-Origin"), tt.allowed)
			}
			if varies := strings.Contains(strings.Join(h.Values("Vary"), ","), "Origin"); varies != (tt.allowed != "") {
				t.Errorf("Vary is %q", h.Values("Vary"))
			}
			if tt.status == 403 && h.Get("Content-Type") != "application/problem+json" {
				t.Errorf("the refusal is %s", h.Get("Content-Type"))
			}
			if tt.method == "OPTIONS" && tt.allowed != "" && h.Get("Access-Control-Allow-Headers") != "authorization,if-match" {
				t.Errorf("the headers %q", h)
			}
		})
	}
}
