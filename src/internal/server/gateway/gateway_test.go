package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
)

func TestTable(t *testing.T) {
	documents := &index{Collections: []string{"/v2/clusters"}, Endpoints: []string{"/", "/livez", "/v2/batch", "/openapi.json"}}
	descriptors := &index{Endpoints: []string{"/", "/api/sd", "/api/sd/{kind}", "/readyz"}}
	overrides := &index{Endpoints: []string{"/api/ui-override", "/api/paramset/{id}/associations", "/api/sdx"}}
	table := newTable([]*index{documents, descriptors, nil, overrides, descriptors})
	tests := []struct {
		path string
		want []int
	}{
		{path: "/v2/clusters/c1", want: []int{0}},
		{path: "/v2", want: []int{0}},
		{path: "/v2/batch", want: []int{0}},
		{path: "/v20"},
		{path: "/api/sd", want: []int{1, 4}},
		{path: "/api/sd/", want: []int{1, 4}},
		{path: "/api/sd/full/x%2Fy", want: []int{1, 4}},
		{path: "/api/sdx", want: []int{3}},
		{path: "/api/sdy"},
		{path: "/api/paramset/1/associations/2", want: []int{3}},
		{path: "/api"},
		{path: "/"},
		{path: ""},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			if got := table.find(tt.path); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// backend is a server of a test that says its name.
type backend struct {
	*httptest.Server
	ready     atomic.Bool
	endpoints atomic.Pointer[[]string]
}

func newBackend(t *testing.T, name string, endpoints ...string) *backend {
	b := &backend{}
	b.ready.Store(true)
	b.endpoints.Store(&endpoints)
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			_ = json.NewEncoder(w).Encode(index{Version: "v", Endpoints: *b.endpoints.Load(), Collections: []string{}})
		case "/readyz":
			if !b.ready.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			fmt.Fprint(w, "{}")
		case "/openapi.json":
			if r.Header.Get("Authorization") == "" {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			fmt.Fprintf(w, `{"info":{"title":"x"},"paths":{"/livez":{},"/of/%s":{}},"components":{"schemas":{"S":{},"Of%s":{}}}}`, name, name)
		case "/api/break":
			panic(http.ErrAbortHandler)
		case "/api/stream":
			for n := range 2 {
				fmt.Fprintf(w, "event %d\n", n)
				_ = http.NewResponseController(w).Flush()
				if n == 0 {
					<-r.Context().Done()
				}
			}
		default:
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("X-Served-By", name)
			fmt.Fprintf(w, "%s %s %s %s", r.Method, r.URL.EscapedPath(), r.Header.Get("X-Forwarded-For"), body)
		}
	}))
	t.Cleanup(b.Close)
	return b
}

func newGateway(t *testing.T, backends ...*backend) (*Gateway, *httptest.Server) {
	t.Helper()
	var urls []string
	for _, b := range backends {
		urls = append(urls, b.URL)
	}
	g, err := New(Options{Servers: urls, Timeout: patience, Limits: Limits{Request: patience}})
	if err != nil {
		t.Fatal(err)
	}
	g.ask(t.Context())
	front := httptest.NewServer(g)
	t.Cleanup(front.Close)
	return g, front
}

func call(t *testing.T, method, url, body string) (status int, by, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("X-Served-By"), string(data)
}

func TestGateway(t *testing.T) {
	a, b := newBackend(t, "a", "/api/a", "/api/break", "/api/stream"), newBackend(t, "b", "/v2/documents")
	b2 := newBackend(t, "b", "/v2/documents")
	g, front := newGateway(t, a, b, b2)
	t.Run("by path, untouched", func(t *testing.T) {
		if status, by, text := call(t, "PUT", front.URL+"/api/a/x%2Fy?q=1", "body"); status != 200 || by != "a" || text != "PUT /api/a/x%2Fy 127.0.0.1 body" {
			t.Errorf("%d by %s: %s", status, by, text)
		}
		if status, by, _ := call(t, "GET", front.URL+"/v2/documents", ""); status != 200 || by != "b" {
			t.Errorf("%d by %s", status, by)
		}
	})
	t.Run("no server serves it", func(t *testing.T) {
		if status, _, text := call(t, "GET", front.URL+"/elsewhere", ""); status != 503 || !strings.Contains(text, `"code":"unavailable"`) {
			t.Errorf("%d %s", status, text)
		}
	})
	t.Run("a read breaks off", func(t *testing.T) {
		if status, _, text := call(t, "GET", front.URL+"/api/break", ""); status != 503 || !strings.Contains(text, `"code":"unavailable"`) {
			t.Errorf("%d %s", status, text)
		}
	})
	t.Run("a write breaks off", func(t *testing.T) {
		if status, _, text := call(t, "POST", front.URL+"/api/break", "x"); status != 504 || !strings.Contains(text, `"code":"unknown"`) {
			t.Errorf("%d %s", status, text)
		}
	})
	t.Run("a stream comes as it is sent", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, front.URL+"/api/stream", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if line, err := bufio.NewReader(answer.Body).ReadString('\n'); err != nil || line != "event 0\n" {
			t.Errorf("%q %v", line, err)
		}
	})
	t.Run("one of two goes away", func(t *testing.T) {
		b2.Close()
		for n := range 4 {
			if status, _, text := call(t, "POST", front.URL+"/v2/documents", fmt.Sprint("body ", n)); status != 200 || !strings.HasSuffix(text, fmt.Sprint("body ", n)) {
				t.Errorf("%d %s", status, text)
			}
		}
	})
	t.Run("a server that is not ready gets nothing", func(t *testing.T) {
		a.ready.Store(false)
		g.ask(t.Context())
		if status, _, _ := call(t, "GET", front.URL+"/api/a", ""); status != 503 {
			t.Errorf("status %d", status)
		}
		if status, _, text := call(t, "GET", front.URL+"/readyz", ""); status != 200 || strings.Count(text, `"failed"`) != 2 {
			t.Errorf("%d %s", status, text)
		}
		a.ready.Store(true)
		g.ask(t.Context())
		if status, _, _ := call(t, "GET", front.URL+"/api/a", ""); status != 200 {
			t.Errorf("status %d when it is ready again", status)
		}
	})
	t.Run("all are gone", func(t *testing.T) {
		a.Close()
		status, _, text := call(t, "POST", front.URL+"/api/a", "x")
		for range 10 {
			if status != 504 { // as long as it sends into connections that it kept
				break
			}
			status, _, text = call(t, "POST", front.URL+"/api/a", "x")
		}
		if status != 503 || !strings.Contains(text, "can be reached") {
			t.Errorf("%d %s", status, text)
		}
		b.Close()
		g.ask(t.Context())
		if status, _, _ := call(t, "GET", front.URL+"/readyz", ""); status != 503 {
			t.Errorf("ready with status %d", status)
		}
		if status, _, _ := call(t, "GET", front.URL+"/livez", ""); status != 200 {
			t.Errorf("alive with status %d", status)
		}
	})
}

// place is a server whose address is at times that of another one: connections that are made then reach that one,
// and stay with it.
type place struct {
	*httptest.Server
	taken    atomic.Bool
	accepted atomic.Int32 // connections
}

func newPlace(t *testing.T, owner, other string) *place {
	type occupant struct{}
	p := &place{}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Context().Value(occupant{}).(string)
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/":
			fmt.Fprintf(w, `{"endpoints":["/api/%s"],"services":[{"name":"%s"},{"name":"common"}]}`, name, name)
		case r.URL.Path == "/readyz":
			fmt.Fprint(w, "{}")
		case r.URL.Path == "/api/a/login": // either wants it
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/api/"+name:
			fmt.Fprint(w, name, " ", string(body))
		default:
			w.Header().Set(servicesHeader, name+",common")
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	p.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		p.accepted.Add(1)
		if p.taken.Load() {
			return context.WithValue(ctx, occupant{}, other)
		}
		return context.WithValue(ctx, occupant{}, owner)
	}
	p.Start()
	t.Cleanup(p.Close)
	return p
}

func TestAddressTaken(t *testing.T) {
	tests := []struct {
		name, method, body string
		stays              bool // the other server, at the address
		status             int
		text               string
	}{
		{name: "a read gets through", method: "GET", status: 200, text: "a "},
		{name: "a write without a body gets through", method: "DELETE", status: 200, text: "a "},
		{name: "a write whose body was sent is to be repeated", method: "POST", body: "x", status: 503, text: "can be reached"},
		{name: "a read while it stays so", method: "GET", stays: true, status: 503, text: "can be reached"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "a", "b")
			_, front := newGateway(t, &backend{Server: p.Server})
			p.taken.Store(true)
			if status, _, text := call(t, "GET", front.URL+"/api/a/login", ""); status != 401 {
				t.Fatalf("%d %s", status, text) // and the connection to the other one is kept
			}
			p.taken.Store(tt.stays)
			if status, _, text := call(t, tt.method, front.URL+"/api/a", tt.body); status != tt.status || !strings.Contains(text, tt.text) {
				t.Errorf("%d %s", status, text)
			}
			p.taken.Store(false)
			if status, _, text := call(t, "POST", front.URL+"/api/a", "again"); !tt.stays && (status != 200 || text != "a again") {
				t.Errorf("then %d %s", status, text)
			}
		})
	}
}

// A server that serves what is asked for a part, but not this, is not asked twice.
func TestNothingThere(t *testing.T) {
	p := newPlace(t, "a", "b")
	_, front := newGateway(t, &backend{Server: p.Server})
	for _, method := range []string{"GET", "POST"} {
		if status, _, text := call(t, method, front.URL+"/api/a/nothing", "x"); status != 404 {
			t.Errorf("%s: %d %s", method, status, text)
		}
	}
	if n := p.accepted.Load(); n != 3 {
		t.Errorf("%d connections, want two for the questions and one for the requests", n)
	}
}

// A path that no server serves is 404 once all servers have answered what they serve, and a path of a server that is
// away is 503.
func TestUnclaimed(t *testing.T) {
	documents := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `{"collections":["/v2/clusters"],"services":[{"name":"resources"}]}`)
		case "/readyz":
			fmt.Fprint(w, "{}")
		default:
			w.Header().Set(servicesHeader, "resources")
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(documents.Close)
	a := newBackend(t, "a", "/api/a")
	a.ready.Store(false)
	g, front := newGateway(t, &backend{Server: documents}, a)
	want := func(when, path string, want int) {
		t.Helper()
		if status, _, text := call(t, "POST", front.URL+path, "x"); status != want {
			t.Errorf("%s: %s is %d %s, want %d", when, path, status, text, want)
		}
	}
	want("before the server of it has answered", "/api/a", 503)
	want("before", "/v2/clusters/none", 404)
	a.ready.Store(true)
	g.ask(t.Context())
	want("with all servers", "/api/a", 200)
	want("with all servers", "/api/none", 404)
	a.ready.Store(false)
	g.ask(t.Context())
	want("while the server is away", "/api/a/x", 503)
	want("while the server is away", "/api/none", 404)

	a.ready.Store(true)
	a.endpoints.Store(&[]string{"/api/other"})
	g.ask(t.Context())
	want("when it serves that no more", "/api/a", 503)
	for range memory {
		g.ask(t.Context())
	}
	want("long after", "/api/a", 404)
	want("long after", "/api/other", 200)
}

func TestDescription(t *testing.T) {
	_, front := newGateway(t, newBackend(t, "a", "/api/a"), newBackend(t, "b", "/api/b"))
	if status, _, text := call(t, "GET", front.URL+"/openapi.json", ""); status != 401 || !strings.Contains(text, "who are you?") {
		t.Errorf("%d %s", status, text)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, front.URL+"/openapi.json", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer x")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if want := `{"components":{"schemas":{"Ofa":{},"Ofb":{},"S":{}}},"info":{"title":"x"},"paths":{"/livez":{},"/of/a":{},"/of/b":{}}}`; err != nil || strings.TrimSpace(string(text)) != want {
		t.Errorf("got %s, %v\nwant %s", text, err, want)
	}
}

func TestRunAsks(t *testing.T) {
	b := newBackend(t, "b", "/api/b")
	clock := clocktest.NewFake(0)
	g, err := New(Options{Servers: []string{b.URL}, Every: time.Minute, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { g.Run(ctx); close(ended) }()
	clock.AwaitWaits(1)
	if (*g.table.Load())["/api/b"] == nil {
		t.Error("the server was not asked at once")
	}
	b.Close()
	clock.Advance(time.Minute)
	clock.AwaitWaits(1)
	if said := g.servers[0].said; said != nil {
		t.Errorf("a minute after its end the server serves %v", said)
	}
	cancel()
	<-ended
}

// A server that never answered well is reported once, and gets nothing.
func TestAskTellsOfFailures(t *testing.T) {
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			fmt.Fprint(w, `{"endpoints": ["/api/odd"], "version": `)
			return
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(odd.Close)
	var log strings.Builder
	g, err := New(Options{Servers: []string{odd.URL}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		g.ask(t.Context())
	}
	if got := g.table.Load().find("/api/odd"); got != nil {
		t.Errorf("it gets requests: %v", got)
	}
	if strings.Count(log.String(), "does not answer") != 1 || !strings.Contains(log.String(), odd.URL) {
		t.Errorf("the log says\n%s", log.String())
	}
}

func TestNewErrors(t *testing.T) {
	for name, servers := range map[string][]string{"none": nil, "no URL": {"a"}, "a path": {"http://a/b"}, "another scheme": {"ftp://a"}} {
		if _, err := New(Options{Servers: servers}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func ExampleNew() {
	g, err := New(Options{Servers: []string{"http://127.0.0.1:8081", "http://127.0.0.1:8082"}})
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(g)
	defer server.Close()
	answer, err := http.Get(server.URL + "/readyz")
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.StatusCode)
	// Output: 503
}
