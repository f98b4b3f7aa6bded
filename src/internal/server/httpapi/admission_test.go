package httpapi_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// blocking is a service whose requests last until they are released, and a server of it where the header User names the
// principal of a request. It is for tests in a bubble of testing/synctest.
type blocking struct {
	network *apitest.Network
	client  *http.Client
	t       *testing.T
	entered chan string
	release chan struct{}
}

func newBlocking(t *testing.T, limits httpapi.Limits) *blocking {
	limits.QueueWait, limits.Request = cmp.Or(limits.QueueWait, apitest.Patience), apitest.Patience
	b := &blocking{t: t, entered: make(chan string, 100), release: make(chan struct{})}
	wait := func(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
		b.entered <- call.Header.Get("User")
		select {
		case <-b.release:
			return &httpapi.Response{}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	endpoints := []httpapi.Endpoint{
		{Method: http.MethodPost, Path: "/api/work", Handle: wait},
		{Method: http.MethodPost, Path: "/api/read", Needs: anyone, Body: httpapi.Schema{"type": "object"}, Handle: wait},
		{Method: http.MethodPost, Path: "/api/hard", Needs: anyone, Body: httpapi.Schema{"type": "object"}, Hard: true, Handle: wait},
	}
	s := newServer(t, httpapi.Options{Limits: limits, Services: []httpapi.Service{{Name: "blocking", Endpoints: endpoints}},
		Authenticate: func(_ context.Context, r *http.Request) (httpapi.Caller, error) {
			return httpapi.Known(&dovetail.Principal{Name: r.Header.Get("User")}), nil
		}})
	t.Cleanup(s.api.Close)
	b.network = apitest.ServeInMemory(t, &http.Server{Handler: s.api})
	b.client = b.network.Client(t, nil)
	return b
}

// send sends a request, and gives the status of its answer, and its code if it is a problem.
func (b *blocking) send(user, method, path, body string) <-chan string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, "http://dovetail"+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("User", user)
	answer := make(chan string, 1)
	go func() {
		got, err := b.client.Do(r)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer got.Body.Close()
		var problem struct {
			Code string `json:"code"`
		}
		text, _ := io.ReadAll(got.Body)
		_ = json.Unmarshal(text, &problem) // a good answer is none
		answer <- strings.TrimSpace(fmt.Sprint(got.StatusCode, " ", problem.Code, " ", got.Header.Get("Retry-After")))
	}()
	return answer
}

// metric returns the value of a gauge or counter, once nothing goes on but waits.
func (b *blocking) metric(name string) string {
	b.t.Helper()
	synctest.Wait()
	got, err := b.client.Get("http://dovetail/metrics")
	if err != nil {
		b.t.Fatal(err)
	}
	defer got.Body.Close()
	for lines := bufio.NewScanner(got.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return text
		}
	}
	b.t.Fatal("there is no metric " + name)
	return ""
}

func expect(t *testing.T, what string, answer <-chan string, want string) {
	t.Helper()
	if got := <-answer; got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// TestQueues: a principal that sends more than it may have worked on waits in a queue of its own, which is bounded, while
// others are served.
func TestQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBlocking(t, httpapi.Limits{Concurrency: 4, QueueLength: 2})
		var answers []<-chan string
		for range 3 { // a quarter of the seats is for those who have none
			answers = append(answers, b.send("hog", "POST", "/api/work", ""))
			<-b.entered
		}
		for i := range 2 {
			answers = append(answers, b.send("hog", "POST", "/api/work", ""))
			if got := b.metric(`dovetail_flowcontrol_waiting{level="requests"}`); got != fmt.Sprint(i+1) {
				t.Errorf("%s requests wait, want %d", got, i+1)
			}
		}
		expect(t, "one more than may wait", b.send("hog", "GET", "/v2/projects", ""), "429 rate-limited 1")
		expect(t, "the same with a body, which is not read", b.send("hog", "POST", "/api/read", "{}"), "429 rate-limited 1")
		expect(t, "another principal", b.send("alice", "GET", "/v2/projects", ""), "200")
		expect(t, "health", b.send("hog", "GET", "/livez", ""), "200")
		if got := b.metric(`dovetail_flowcontrol_rejected_total{level="requests",reason="queue-full"}`); got != "2" {
			t.Errorf("%s were refused", got)
		}
		close(b.release)
		for _, answer := range answers {
			expect(t, "after a while", answer, "204")
		}
		if got := b.metric(`dovetail_flowcontrol_seats_used{level="requests"}`); got != "1" { // that of the question itself
			t.Errorf("%s seats are used", got)
		}
	})
}

func TestQueueWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBlocking(t, httpapi.Limits{Concurrency: 1, QueueWait: time.Millisecond})
		answer := b.send("hog", "POST", "/api/work", "")
		<-b.entered
		expect(t, "waiting too long", b.send("alice", "GET", "/v2/projects", ""), "503 unavailable 1")
		close(b.release)
		expect(t, "the first", answer, "204")
	})
}

// TestHardLevel: what is hard waits for others of its kind, and keeps no seats from the rest.
func TestHardLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBlocking(t, httpapi.Limits{Concurrency: 1})
		var answers []<-chan string
		for range 64 {
			answers = append(answers, b.send("hog", "POST", "/api/hard", "{}"))
		}
		<-b.entered
		expect(t, "an ordinary request", b.send("hog", "GET", "/v2/projects", ""), "200")
		close(b.release)
		for _, answer := range answers {
			expect(t, "a hard one", answer, "204")
		}
	})
}

// TestLongRequestsAreHard: a request to a service that was found to take long is worked on at the level of hard work.
func TestLongRequestsAreHard(t *testing.T) {
	for _, test := range []struct {
		name, method, body string
		long               bool
		want               []int // seats of the hard level that each of two requests took
	}{
		{name: "read", method: http.MethodGet, long: true, want: []int{0, 1}},
		{name: "write", method: http.MethodPut, body: "{}", long: true, want: []int{0, 1}},
		{name: "write that waits", method: http.MethodPut, body: "{}", want: []int{0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var hard []int
				level := flowcontrol.NewLevel(flowcontrol.Options{Seats: 1})
				endpoint := httpapi.Endpoint{Method: test.method, Path: "/api/long", Long: test.long, Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
					hard = append(hard, level.Stats().Taken)
					clocktest.Advance(time.Second)
					return &httpapi.Response{}, nil
				}}
				if test.body != "" {
					endpoint.Needs, endpoint.Body = anyone, httpapi.Schema{"type": "object"}
				}
				api := httpapi.New(nowhere{}, httpapi.Options{Hard: level, OnlyServices: true, Services: []httpapi.Service{{Name: "long", Endpoints: []httpapi.Endpoint{endpoint}}}})
				for range 2 {
					w := httptest.NewRecorder()
					r := httptest.NewRequest(test.method, "/api/long", strings.NewReader(test.body))
					r.Header.Set("Content-Type", "application/json")
					if api.ServeHTTP(w, r); w.Code != 204 {
						t.Fatal(w.Code, w.Body)
					}
				}
				if !slices.Equal(hard, test.want) {
					t.Errorf("the requests took %v seats of the hard level", hard)
				}
				if level.Stats().Taken != 0 {
					t.Error("a seat is still held")
				}
			})
		})
	}
}

// nowhere is a store without documents that knows its model only.
type nowhere struct{ httpapi.Store }

func (nowhere) Model() *schema.Model { return emptyModel }

func (nowhere) Backend() store.Backend { return nil }

func (nowhere) Admit(context.Context, ...store.Scope) error { return nil }

var emptyModel = new(schema.Model)

// TestSlowPeersHoldNoSeat: with one seat, clients that send or read slowly, or watch, do not block other requests.
func TestSlowPeersHoldNoSeat(t *testing.T) {
	for _, test := range []struct{ name, request, until string }{
		{"a body that does not come", "POST /v2/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", ""},
		{"a body of parts that does not come", "POST /v2/projects HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100\r\n\r\n--b\r\n", ""},
		{"a watch", "GET /v2/watch HTTP/1.1\r\nHost: x\r\n\r\n", "event: ready"},
		{"a watch of a collection", "GET /v2/projects?watch=true HTTP/1.1\r\nHost: x\r\n\r\n", "event: ready"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBlocking(t, httpapi.Limits{Concurrency: 1})
				peer, err := b.network.Dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				defer peer.Close()
				if _, err := io.WriteString(peer, test.request); err != nil {
					t.Fatal(err)
				}
				for lines := bufio.NewReader(peer); test.until != ""; {
					line, err := lines.ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					if strings.HasPrefix(line, test.until) {
						break
					}
				}
				inFlight := func(want string) {
					t.Helper()
					if got := b.metric("dovetail_http_requests_in_flight"); got != want {
						t.Errorf("%s requests are in flight, want %s", got, want)
					}
				}
				inFlight("2") // that and the question
				expect(t, "another request", b.send("alice", "GET", "/v2/projects", ""), "200")
				peer.Close()
				inFlight("1")
			})
		})
	}
}

// TestPanicLeavesNoSeat: a handler that panics gives its seats back.
func TestPanicLeavesNoSeat(t *testing.T) {
	fail := httpapi.Endpoint{Method: http.MethodPost, Path: "/api/panic", Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
		panic(errors.New("a defect"))
	}}
	s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Concurrency: 1, QueueWait: time.Millisecond}, Services: []httpapi.Service{{Name: "p", Endpoints: []httpapi.Endpoint{fail}}}})
	s.must(500, "POST", "/api/panic", "")
	s.must(200, "GET", "/v2/projects", "")
}
