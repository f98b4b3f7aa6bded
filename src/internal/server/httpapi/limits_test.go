package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// byName authenticates every name in the header Authorization, except "thief".
func byName(_ context.Context, r *http.Request) (httpapi.Caller, error) {
	name := r.Header.Get("Authorization")
	if name == "thief" {
		return nil, &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "who is that?"}
	}
	return httpapi.Known(&dovetail.Principal{Name: name}), nil
}

func TestRateOfPrincipals(t *testing.T) {
	s := newServer(t, httpapi.Options{Authenticate: byName, Limits: httpapi.Limits{PerSecond: .001, Burst: 2}})
	get := func(path, who, from string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", who)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		s.api.ServeHTTP(w, r)
		return w
	}
	steps := []struct {
		name, path, who, from string
		status                int
	}{
		{"the first", "/v2/projects", "ann", "192.0.2.1:1", 200},
		{"the burst", "/v2/nothing", "ann", "192.0.2.1:2", 404},
		{"too often", "/v2/projects", "ann", "192.0.2.1:3", 429},
		{"from elsewhere", "/v2/projects", "ann", "192.0.2.2:1", 429},
		{"another one from there", "/v2/projects", "bob", "192.0.2.1:1", 200},
		{"for machines that look", "/readyz", "ann", "192.0.2.1:3", 200},
		{"a guess", "/v2/projects", "thief", "192.0.2.1:1", 401},
		{"a second guess", "/v2/projects", "thief", "192.0.2.1:9", 401},
		{"no more guesses", "/v2/projects", "thief", "192.0.2.1:1", 429},
		{"nor from the same network", "/v2/projects", "thief", "[2001:db8::1]:1", 401},
		{"whatever address", "/v2/projects", "thief", "[2001:db8::2]:1", 401},
		{"of it", "/v2/projects", "thief", "[2001:db8::3]:1", 429},
		{"though others may", "/v2/projects", "bob", "192.0.2.1:1", 200},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			w := get(step.path, step.who, step.from)
			if w.Code != step.status {
				t.Fatalf("got %d %s, want %d", w.Code, w.Body, step.status)
			}
			if step.status != http.StatusTooManyRequests {
				return
			}
			if after := w.Header().Get("Retry-After"); len(after) < 3 || w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("Retry-After %q, %s", after, w.Header().Get("Content-Type"))
			}
			for _, want := range []string{`"code":"rate-limited"`, `"status":429`, "too often"} {
				if !strings.Contains(w.Body.String(), want) {
					t.Errorf("the problem lacks %s: %s", want, w.Body)
				}
			}
		})
	}
}

func TestRateOfAddresses(t *testing.T) {
	s := newServer(t, httpapi.Options{Limits: httpapi.Limits{PerSecond: .001, Burst: 1}})
	s.must(200, "GET", "/v2/projects", "")
	w := s.must(429, "GET", "/v2/projects", "")
	if !strings.Contains(w.Body.String(), "192.0.2.1 sends requests too often") {
		t.Error(w.Body)
	}
}

// Behind a proxy that is trusted each client has its own rate, and no client can take that of another or escape its own.
func TestRateBehindProxies(t *testing.T) {
	proxies, err := forwarded.Parse("10.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, httpapi.Options{Proxies: proxies, Limits: httpapi.Limits{PerSecond: .001, Burst: 1}})
	steps := []struct {
		name, from, forwarded string
		status                int
	}{
		{"a client", "10.0.0.1:1", "192.0.2.1", 200},
		{"again", "10.0.0.1:1", "192.0.2.1", 429},
		{"by another proxy", "10.0.0.2:1", "192.0.2.1", 429},
		{"with an address before its own", "10.0.0.1:1", "203.0.113.7, 192.0.2.1", 429},
		{"another client", "10.0.0.1:1", "192.0.2.2", 200},
		{"directly", "192.0.2.3:1", "", 200},
		{"directly, as if it were a proxy", "192.0.2.3:1", "203.0.113.8", 429},
		{"whom that did not harm", "10.0.0.1:1", "203.0.113.8", 200},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/v2/projects", nil)
			r.RemoteAddr = step.from
			if step.forwarded != "" {
				r.Header.Set("X-Forwarded-For", step.forwarded)
			}
			w := httptest.NewRecorder()
			if s.api.ServeHTTP(w, r); w.Code != step.status {
				t.Errorf("got %d %s, want %d", w.Code, w.Body, step.status)
			}
		})
	}
}

// A principal may have some requests under way, and more when one of them is done.
func TestRequestsAtOnce(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	slow := httpapi.Service{Name: "slow", Endpoints: []httpapi.Endpoint{{Method: "GET", Path: "/api/slow",
		Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
			entered <- true
			<-leave
			return &httpapi.Response{}, nil
		}}}}
	s := newServer(t, httpapi.Options{Services: []httpapi.Service{slow}, Limits: httpapi.Limits{AtOnce: 1}})
	done := make(chan int)
	go func() { done <- s.do(call{method: "GET", path: "/api/slow"}).Code }()
	<-entered
	w := s.must(429, "GET", "/v2/projects", "")
	if w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "too many requests under way") {
		t.Error(w.Header(), w.Body)
	}
	leave <- true
	if code := <-done; code != 204 {
		t.Errorf("the slow one got %d", code)
	}
	s.must(200, "GET", "/v2/projects", "")
}

// Bodies that are held at the same time have a bound together, and what was held is free when its request is
// done.
func TestBodiesTogether(t *testing.T) {
	s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Body: 1 << 20, Batch: 1 << 20, Bodies: 1 << 20}})
	held, release := io.Pipe()
	done := make(chan int, 1)
	go func() {
		w := httptest.NewRecorder()
		s.api.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v2/projects", held))
		held.Close() // the server reads no more of it: the writer must not block
		done <- w.Code
	}()
	for _, part := range []string{strings.Repeat(" ", 900<<10), " ", " ", " ", " "} { // when one is taken, those before it are counted
		if _, err := release.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	second := strings.Repeat(" ", 200<<10) + `{"metadata":{"name":"second"}}`
	w := s.must(503, "POST", "/v2/projects", second)
	if w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "memory for concurrent requests is used up") {
		t.Error(w.Header(), w.Body)
	}
	if _, err := release.Write([]byte(`{"metadata":{"name":"first"}}`)); err != nil {
		t.Fatal(err)
	}
	release.Close()
	if code := <-done; code != 201 {
		t.Errorf("the first one got %d", code)
	}
	s.must(201, "POST", "/v2/projects", second)
}

// stuck is a body that does not come.
type stuck struct{ asked, end chan bool }

func (s stuck) Read([]byte) (int, error) {
	s.asked <- true
	<-s.end
	return 0, errors.New("the client went away")
}

// A body that says how long it is costs no memory before it comes.
func TestAnnouncedBodyCostsNothing(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	body := stuck{make(chan bool), make(chan bool)}
	const requests = 100
	done := make(chan int)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for n := range requests {
		r := httptest.NewRequest(http.MethodPut, fmt.Sprintf("/v2/projects/p%d", n), body)
		r.ContentLength = 15 << 20
		go func() {
			w := httptest.NewRecorder()
			s.api.ServeHTTP(w, r)
			done <- w.Code
		}()
		<-body.asked
	}
	runtime.ReadMemStats(&after)
	close(body.end)
	for range requests {
		if code := <-done; code != 400 {
			t.Errorf("status %d", code)
		}
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > requests*100<<10 {
		t.Errorf("%d requests cost %d bytes", requests, grown)
	}
}

func TestTrace(t *testing.T) {
	type key struct{}
	var told []string
	s := newServer(t, httpapi.Options{
		Trace: func(ctx context.Context, r *http.Request) (context.Context, func(string, int, error)) {
			told = append(told, r.Method)
			return context.WithValue(ctx, key{}, true), func(route string, status int, err error) {
				told = append(told, fmt.Sprint(route, " ", status, " ", dovetail.CodeOf(err)))
			}
		},
		Authenticate: func(ctx context.Context, _ *http.Request) (httpapi.Caller, error) {
			if ctx.Value(key{}) == nil {
				t.Error("the context is not that of the trace")
			}
			return nil, nil
		},
	})
	s.must(404, "GET", "/v2/projects/none", "")
	s.must(200, "GET", "/v2/projects", "")
	s.must(404, "DELETE", "/nowhere", "")
	want := "[GET /v2/projects/{project} 404 not-found GET /v2/projects 200  DELETE none 404 not-found]"
	if fmt.Sprint(told) != want {
		t.Errorf("got %v, want %s", told, want)
	}
}
