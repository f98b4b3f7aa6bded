package gateway

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestRate(t *testing.T) {
	e := newEcho(t, nil)
	registry := prometheus.NewRegistry()
	front := newFront(t, Options{Metrics: registry, Limits: Limits{PerSecond: .001, Burst: 2}}, e)
	for n, want := range []int{200, 200, 429, 429} {
		response, text := send(t, "GET", front.URL+"/v2/clusters", "", http.Header{"Authorization": {fmt.Sprint("Bearer ", n)}})
		if response.StatusCode != want {
			t.Fatalf("request %d: %d %s", n, response.StatusCode, text)
		}
		if want == 429 && (!strings.Contains(text, `"code":"rate-limited"`) || response.Header.Get("Retry-After") == "") {
			t.Errorf("%s, Retry-After %q", text, response.Header.Get("Retry-After"))
		}
	}
	for range 5 {
		if response, text := send(t, "GET", front.URL+"/livez", "", nil); response.StatusCode != http.StatusOK {
			t.Errorf("a health check is counted: %d %s", response.StatusCode, text)
		}
	}
	if n := len(e.requests()); n != 2 {
		t.Errorf("a server got %d requests", n)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == "dovetail_gateway_refused_total" {
				got += fmt.Sprint(m.GetLabel()[0].GetValue(), " ", m.GetCounter().GetValue(), ", ")
			}
		}
	}
	if want := "body 0, connection 0, method 0, rate 2, "; got != want {
		t.Errorf("refused: %s, want %s", got, want)
	}
}

// A token has one rate, however many addresses use it.
func TestRateOfToken(t *testing.T) {
	e := newEcho(t, nil)
	g, err := New(Options{Servers: []string{e.URL}, Limits: Limits{PerSecond: .001, Burst: 2}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, from, token string // the token with its scheme
		let               bool
	}{
		{"first", "192.0.2.1:1", "Bearer a", true},
		{"from elsewhere", "192.0.2.2:1", "bEARER a", true},
		{"from a third place", "192.0.2.3:1", "bearer a", false},
		{"as clients of OpenStack send it", "192.0.2.4:1", "X-Auth-Token a", false},
		{"another one of these", "192.0.2.4:1", "X-Auth-Token c", true},
		{"that one again", "192.0.2.5:1", "X-Auth-Token c", true},
		{"that one as all others send it", "192.0.2.6:1", "Bearer c", false},
		{"another token there", "192.0.2.3:1", "Bearer b", true},
		{"without a token", "192.0.2.3:1", "", false},
		{"from another network", "[2001:db8::1]:1", "", true},
		{"and again", "[2001:db8::2]:1", "", true},
		{"by another address of it", "[2001:db8::3]:1", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: tt.from, Header: http.Header{}}
			if token, is := strings.CutPrefix(tt.token, "X-Auth-Token "); is {
				r.Header.Set("X-Auth-Token", token)
			} else if tt.token != "" {
				r.Header.Set("Authorization", tt.token)
			}
			if _, refused := g.enter(r); (refused == nil) != tt.let {
				t.Errorf("refused: %v", refused)
			}
		})
	}
}

// A watch counts as long as it is open.
func TestRequestsAtOnce(t *testing.T) {
	b := newEcho(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2/watch" {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	})
	front := newFront(t, Options{Limits: Limits{AtOnce: 1}}, b)
	watch, err := http.Get(front.URL + "/v2/watch")
	if err != nil {
		t.Fatal(err)
	}
	if response, text := send(t, "GET", front.URL+"/v2/clusters", "", nil); response.StatusCode != http.StatusTooManyRequests || !strings.Contains(text, "under way") {
		t.Errorf("%d %s", response.StatusCode, text)
	}
	watch.Body.Close()
	for {
		response, _ := send(t, "GET", front.URL+"/v2/clusters", "", nil)
		if response.StatusCode == http.StatusOK {
			break
		}
	}
}

func TestBodyLimit(t *testing.T) {
	e := newEcho(t, nil)
	front := newFront(t, Options{Limits: Limits{Body: 10}}, e)
	tests := []struct {
		name   string
		body   io.Reader
		status int
	}{
		{"within", strings.NewReader("0123456789"), 200},
		{"over it", strings.NewReader("0123456789x"), 413},
		{"within, of unknown length", io.MultiReader(strings.NewReader("0123456789")), 200},
		{"over it, of unknown length", io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20))), 413},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			response, err := http.Post(front.URL+"/v2/clusters", "application/json", tt.body)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			text, _ := io.ReadAll(response.Body)
			if response.StatusCode != tt.status || tt.status == 413 && !strings.Contains(string(text), `"code":"too-large"`) {
				t.Errorf("%d %s", response.StatusCode, text)
			}
		})
	}
}

func TestHeaderLimit(t *testing.T) {
	e := newEcho(t, nil)
	front := newFront(t, Options{Limits: Limits{Header: 1 << 10}}, e)
	if got := raw(t, front, "GET /v2/clusters HTTP/1.1\r\nHost: x\r\nX-Long: "+strings.Repeat("x", 64<<10)+"\r\n\r\n"); len(got) != 1 || got[0] != 431 {
		t.Errorf("answers %v", got)
	}
	if n := len(e.requests()); n != 0 {
		t.Errorf("a server got %d requests", n)
	}
}

// Who sends too slowly is cut off, and no server waits for the rest.
func TestSlowSenders(t *testing.T) {
	tests := []struct{ name, text string }{
		{"of a header", "GET /v2/clusters HTTP/1.1\r\nHost: x\r\n"},
		{"of a body", "PUT /v2/clusters/c HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const soon = 50 * time.Millisecond
			e := newEcho(t, nil)
			front := newFront(t, Options{Limits: Limits{ReadHeader: soon, Read: 2 * soon}}, e)
			conn, err := net.Dial("tcp", front.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, tt.text); err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(conn) // ends when the gateway closes the connection, with a reset where it had read nothing
			if err != nil && !errors.Is(err, syscall.ECONNRESET) || strings.Contains(string(text), " 200 ") {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// Who reads nothing is cut off, and so is the server that sends to it.
func TestSlowReader(t *testing.T) {
	ended := make(chan struct{})
	e := newEcho(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		part := make([]byte, 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	})
	front := newFront(t, Options{Limits: Limits{Write: 50 * time.Millisecond}}, e)
	conn, err := net.Dial("tcp", front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /v2/documents HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// whenInTime calls check with a short limit, and with a higher one while check says that the machine was too slow for it.
func whenInTime(t *testing.T, limit time.Duration, check func(limit time.Duration) (inTime bool)) {
	t.Helper()
	for ; !check(limit); limit *= 4 {
		if limit > time.Minute {
			t.Fatalf("not in time within %s", limit)
		}
	}
}

// A stream outlives the limits of requests, and each of its parts comes at once.
func TestStreamOutlivesLimits(t *testing.T) {
	t.Parallel()
	whenInTime(t, 200*time.Millisecond, func(limit time.Duration) bool { return streamOutlives(t, limit) })
}

// streamOutlives says whether a stream began within the limit.
func streamOutlives(t *testing.T, soon time.Duration) (began bool) {
	t.Helper()
	limits := Limits{ReadHeader: soon, Read: soon, Request: soon, Write: soon}
	e := newEcho(t, func(w http.ResponseWriter, _ *http.Request) {
		for n := range 2 {
			fmt.Fprintf(w, "event %d\n", n)
			_ = http.NewResponseController(w).Flush()
			// Longer than all limits of a request that ends. They are deadlines of a connection, which know no other clock.
			time.Sleep(limits.Read + limits.answerIn() + soon)
		}
	})
	front := newFront(t, Options{Limits: limits}, e)
	response, err := http.Get(front.URL + "/v2/watch")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false
	}
	lines := bufio.NewScanner(response.Body)
	n := 0
	for ; lines.Scan(); n++ {
		if want := fmt.Sprint("event ", n); lines.Text() != want {
			t.Errorf("%q, want %q", lines.Text(), want)
		}
	}
	if n != 2 || lines.Err() != nil {
		t.Errorf("%d events, %v", n, lines.Err())
	}
	return true
}

// A server that takes a request and does not answer.
func TestRequestTimeout(t *testing.T) {
	e := newEcho(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	tests := []struct {
		method string
		code   string
	}{{"GET", "timeout"}, {"PUT", "unknown"}}
	for _, tt := range tests {
		t.Run(tt.method, func(t *testing.T) {
			whenInTime(t, 10*time.Millisecond, func(limit time.Duration) (arrived bool) {
				front := newFront(t, Options{Limits: Limits{Request: limit}}, e)
				path := "/v2/clusters/" + limit.String()
				response, text := send(t, tt.method, front.URL+path, "", nil)
				if arrived = strings.Contains(e.lines(), tt.method+" "+path); arrived && (response.StatusCode != http.StatusGatewayTimeout || !strings.Contains(text, `"code":"`+tt.code+`"`)) {
					t.Errorf("%d %s", response.StatusCode, text)
				}
				return arrived
			})
		})
	}
}

// A request whose time ends before there is a connection was not sent, whatever its method.
func TestConnectTimeout(t *testing.T) {
	var silent atomic.Bool
	end := make(chan struct{})
	e := newUnstartedEcho(t, nil)
	e.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	e.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		if silent.Load() {
			<-end
		}
		return nil, nil
	}}
	e.StartTLS()
	t.Cleanup(func() { close(end) })
	roots := x509.NewCertPool()
	roots.AddCert(e.Certificate())
	for _, method := range []string{"GET", "PUT"} {
		t.Run(method, func(t *testing.T) {
			whenInTime(t, 50*time.Millisecond, func(limit time.Duration) (read bool) {
				silent.Store(false)
				front := newFront(t, Options{
					TLS:    func() *tls.Config { return &tls.Config{RootCAs: roots} },
					Limits: Limits{Read: limit, Request: limit},
				}, e)
				silent.Store(true)
				request, err := http.NewRequestWithContext(t.Context(), method, front.URL+"/v2/clusters/c", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					return false // the gateway had no time to read the request
				}
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				if err != nil || response.StatusCode != http.StatusGatewayTimeout || !strings.Contains(string(text), `"code":"timeout"`) {
					t.Errorf("%d %s, %v", response.StatusCode, text, err)
				}
				return true
			})
		})
	}
	if n := len(e.requests()); n != 0 {
		t.Errorf("a server got %d requests", n)
	}
}
