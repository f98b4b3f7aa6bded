package app

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// smuggled is the end of requests whose other end differs between servers: a request of its own, which must not be one.
func smuggled() string {
	body := named("smuggled")
	return fmt.Sprintf("POST /v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// Requests that two servers in a row could take for different ones are refused by servers and gateways, by plain TCP and
// by TLS; no server gets what is behind them.
func TestRequestSmuggling(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, "x")
	secured := map[string]string{"tls-cert": filepath.Join(dir, "cert.pem"), "tls-key": filepath.Join(dir, "key.pem")}
	var seen atomic.Int64
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `{"collections":["/v2/clusters"]}`)
		case "/readyz":
			fmt.Fprint(w, "{}")
		default:
			seen.Add(1)
			fmt.Fprint(w, "[]")
		}
	}))
	t.Cleanup(behind.Close)
	server, front, overTLS := start(t, nil), startFront(t, nil, behind.URL), start(t, secured)
	front.awaitReady(t, http.DefaultClient)
	get := "GET /v2/clusters HTTP/1.1\r\nHost: x\r\n"
	post := "POST /v2/clusters?dryRun=true HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	tests := []struct {
		name, text string
		problem    string // in the answer, where net/http does not refuse it before
	}{
		{"length and encoding", post + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "both Content-Length and Transfer-Encoding"},
		{"different lengths", post + "Content-Length: 0\r\nContent-Length: 9\r\n\r\n", ""},
		{"a folded header", get + "X-A: b\r\n c\r\n\r\n", "continues the one before it"},
		{"a line without CR", get + "X-A: b\nX-C: d\r\n\r\n", "without a carriage return"},
		{"a header that ends without CR", get + "\n", "without a carriage return"},
	}
	for _, tt := range tests {
		for _, to := range []struct {
			name string
			dial func() (net.Conn, error)
		}{
			{"server", func() (net.Conn, error) { return net.Dial("tcp", server.listener.Addr().String()) }},
			{"gateway", func() (net.Conn, error) { return net.Dial("tcp", front.listener.Addr().String()) }},
		} {
			t.Run(tt.name+", "+to.name, func(t *testing.T) {
				c, err := to.dial()
				if err != nil {
					t.Fatal(err)
				}
				text := exchange(t, c, tt.text+smuggled())
				if strings.Count(text, "HTTP/1.1 ") != 1 || !strings.HasPrefix(text, "HTTP/1.1 400 ") || !strings.Contains(text, "\r\nConnection: close\r\n") || !strings.Contains(text, tt.problem) {
					t.Errorf("got %s", text)
				}
				if tt.problem != "" && (!strings.Contains(text, "application/problem+json") || !strings.Contains(text, "nosniff") || !strings.Contains(text, `"remedy":`)) {
					t.Errorf("it is no problem: %s", text)
				}
			})
		}
	}
	t.Run("length and encoding by TLS", func(t *testing.T) {
		c, err := tls.Dial("tcp", overTLS.listener.Addr().String(), &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // the certificate is of no interest
		if err != nil {
			t.Fatal(err)
		}
		text := exchange(t, c, tests[0].text+smuggled())
		if strings.Count(text, "HTTP/1.1 ") != 1 || !strings.Contains(text, "\r\nConnection: close\r\n") {
			t.Errorf("got %s", text)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, overTLS.URL()+"/v2/clusters/smuggled", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}} //nolint:gosec // as above
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("the smuggled request was done: %s", answer.Status)
		}
	})
	server.must(t, 404, "GET", "/v2/clusters/smuggled", "")
	if n := seen.Load(); n != 0 {
		t.Errorf("the server behind the gateway got %d requests", n)
	}
}

// exchange sends bytes and returns all that is answered until the connection ends.
func exchange(t *testing.T, c net.Conn, text string) string {
	t.Helper()
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(c)
	if err != nil {
		t.Logf("the connection ended with %v", err)
	}
	return string(all)
}
