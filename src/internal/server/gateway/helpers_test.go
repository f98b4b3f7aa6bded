package gateway

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what must happen. Only a defect makes it so long, however slow the machine is.
const patience = 5 * time.Minute

// echo is a server of everything below /v2 that keeps what it got whole.
type echo struct {
	*httptest.Server
	mu  sync.Mutex
	got []*http.Request // without bodies
}

func newEcho(t *testing.T, handle http.HandlerFunc) *echo {
	t.Helper()
	e := newUnstartedEcho(t, handle)
	e.Start()
	return e
}

func newUnstartedEcho(t *testing.T, handle http.HandlerFunc) *echo {
	t.Helper()
	e := &echo{}
	e.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `{"collections":["/v2/clusters"],"endpoints":["/v2/batch"],"services":[{"name":"resources"}]}`)
			return
		case "/readyz":
			fmt.Fprint(w, "{}")
			return
		}
		if handle != nil {
			e.keep(r)
			handle(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "half of it", http.StatusBadRequest)
			return
		}
		e.keep(r)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.RequestURI, body)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *echo) keep(r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.got = append(e.got, r.Clone(r.Context()))
}

// requests are those that arrived so far.
func (e *echo) requests() []*http.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.got)
}

// lines are those of the requests.
func (e *echo) lines() string {
	var all []string
	for _, r := range e.requests() {
		all = append(all, r.Method+" "+r.RequestURI)
	}
	return strings.Join(all, ", ")
}

// newFront serves a gateway with the limits as a process does.
func newFront(t *testing.T, options Options, servers ...*echo) *httptest.Server {
	t.Helper()
	for _, e := range servers {
		options.Servers = append(options.Servers, e.URL)
	}
	options.Timeout = cmp.Or(options.Timeout, patience)
	options.Limits.Request = cmp.Or(options.Limits.Request, patience)
	g, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	g.ask(t.Context())
	front := httptest.NewUnstartedServer(g)
	front.Config = g.Server(g)
	front.Start()
	t.Cleanup(front.Close)
	return front
}

// raw sends bytes on a connection of their own, and returns the statuses of the answers until the connection ends:
// the last request must say that it is the last.
func raw(t *testing.T, front *httptest.Server, text string) (statuses []int) {
	t.Helper()
	conn, err := net.Dial("tcp", front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	for {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, response.Body) // the next one comes after it
		response.Body.Close()
		statuses = append(statuses, response.StatusCode)
	}
}

// send sends a request with headers, and returns the answer and its body.
func send(t *testing.T, method, url, body string, header http.Header) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}
