package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
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

// inMemory returns a client of a gateway in front of a server, all in one bubble of testing/synctest, whose clock all limits follow.
func inMemory(t *testing.T, limits Limits, server string, handle http.HandlerFunc, transport func(*http.Transport)) (*http.Client, *echo) {
	t.Helper()
	e := newUnstartedEcho(t, handle)
	behind := apitest.ServeInMemory(t, e.Config)
	g, err := New(Options{Servers: []string{server}, Timeout: patience, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	g.probes.DialContext, g.probes.DialTLSContext, g.transport.DialContext = behind.Dial, behind.Dial, behind.Dial
	if transport != nil {
		transport(g.transport)
	}
	t.Cleanup(g.transport.CloseIdleConnections)
	g.ask(t.Context())
	return apitest.ServeInMemory(t, g.Server(g)).Client(t, nil), e
}

// A stream outlives the limits of requests, and each of its parts comes at once.
func TestStreamOutlivesLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const soon = 10 * time.Second
		limits := Limits{ReadHeader: soon, Read: soon, Request: soon, Write: soon}
		client, _ := inMemory(t, limits, "http://server", func(w http.ResponseWriter, _ *http.Request) {
			for n := range 2 {
				fmt.Fprintf(w, "event %d\n", n)
				_ = http.NewResponseController(w).Flush()
				clocktest.Advance(limits.Read + limits.answerIn() + soon) // longer than all limits of a request that ends
			}
		}, nil)
		response, err := client.Get("http://gateway/v2/watch")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response, err)
		}
		defer response.Body.Close()
		lines, began := bufio.NewScanner(response.Body), time.Now()
		n := 0
		for ; lines.Scan(); n++ {
			if want := fmt.Sprint("event ", n); lines.Text() != want || n == 0 && time.Since(began) != 0 {
				t.Errorf("%q after %s, want %q", lines.Text(), time.Since(began), want)
			}
		}
		if n != 2 || lines.Err() != nil {
			t.Errorf("%d events, %v", n, lines.Err())
		}
	})
}

// TestRequestTimeout has servers that take a request and do not answer, and servers to which no connection comes about: what was sent
// may have been done, and what was not sent was not, whatever its method.
func TestRequestTimeout(t *testing.T) {
	mute := func(transport *http.Transport) { // no handshake of TLS ends
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			client, _ := net.Pipe()
			return client, nil
		}
	}
	for _, test := range []struct {
		name, method, server string
		transport            func(*http.Transport)
		code                 string
		arrived              int
	}{
		{"no answer to a read", "GET", "http://server", nil, "timeout", 1},
		{"no answer to a write", "PUT", "http://server", nil, "unknown", 1},
		{"no connection for a read", "GET", "https://server", mute, "timeout", 0},
		{"no connection for a write", "PUT", "https://server", mute, "timeout", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limits := Limits{Read: time.Second, Request: time.Second}
				client, e := inMemory(t, limits, test.server, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, test.transport)
				request, err := http.NewRequestWithContext(t.Context(), test.method, "http://gateway/v2/clusters/c", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				response, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				if err != nil || response.StatusCode != http.StatusGatewayTimeout || !strings.Contains(string(text), `"code":"`+test.code+`"`) {
					t.Errorf("%d %s, %v", response.StatusCode, text, err)
				}
				if n := len(e.requests()); n != test.arrived {
					t.Errorf("the server got %d requests, want %d", n, test.arrived)
				}
			})
		})
	}
}
