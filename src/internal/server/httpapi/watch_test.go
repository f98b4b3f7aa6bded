package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// sse is one server-sent event; a comment has only the comment.
type sse struct {
	event, id, data, comment string
}

// subscription reads the events of a watch.
type subscription struct {
	t     *testing.T
	lines *bufio.Scanner
}

func subscribe(t *testing.T, url string, header map[string]string) *subscription {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), apitest.Patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	return subscribeBy(t, http.DefaultClient, r)
}

// subscribeBy opens a watch with a client.
func subscribeBy(t *testing.T, client *http.Client, r *http.Request) *subscription {
	t.Helper()
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("got %d, %s", resp.StatusCode, got)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 16<<20)
	return &subscription{t: t, lines: lines}
}

// next returns the next event, and false at the end of the stream.
func (s *subscription) next() (sse, bool) {
	s.t.Helper()
	var e sse
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			e.event = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if s.lines.Text() == "" {
				return e, true
			}
			e.comment = value
		}
	}
	return e, false
}

// changes returns what the next event says, as op and id of every change.
func (s *subscription) changes() (string, sse) {
	s.t.Helper()
	for {
		e, ok := s.next()
		if !ok {
			s.t.Fatal("the stream ended")
		}
		if e.event != "changes" {
			continue
		}
		var data struct {
			Time    time.Time
			Changes []struct {
				Op, ID, Kind, UID string
				Revision          int
				Document          *struct{ ID, ETag string }
			}
		}
		if err := json.Unmarshal([]byte(e.data), &data); err != nil {
			s.t.Fatal(err)
		}
		var all []string
		for _, c := range data.Changes {
			all = append(all, c.Op+" "+c.ID)
			if c.Op != "deleted" && (c.Document == nil || c.Document.ID != c.ID || c.Document.ETag != fmt.Sprintf(`"%s-%d"`, c.UID, c.Revision)) {
				s.t.Errorf("%s: document %v", c.ID, c.Document)
			}
		}
		return strings.Join(all, ", "), e
	}
}

func TestWatch(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	server := s.listen()
	s.seed()
	everything := subscribe(t, server.URL+"/v2/watch", nil)
	collection := subscribe(t, server.URL+"/v2/projects/p1/logical-clouds?watch=true", nil)
	item := subscribe(t, server.URL+"/v2/projects/p1", map[string]string{"Accept": "text/event-stream"})
	for _, w := range []*subscription{everything, collection, item} {
		if e, _ := w.next(); e.event != "ready" || e.id == "" || !strings.Contains(e.data, "cursor") {
			t.Fatalf("first event: %v", e)
		}
	}
	// Each event is read before the next write: the document that comes with a change may be ahead of it.
	var cursor string
	for _, step := range []struct {
		name                   string
		status                 int
		method, path, body     string
		everything, below, one string
	}{
		{"elsewhere", 201, "POST", "/v2/projects", named("p2"), "created project/p2", "", ""},
		{"below another", 201, "POST", "/v2/projects/p2/logical-clouds", named("other"), "created project/p2/logicalCloud/other", "", ""},
		{"two at once", 200, "POST", "/v2/batch", `[{"kind":"logicalCloud","key":{"project":"p1"},"metadata":{"name":"a"}},{"kind":"logicalCloud","key":{"project":"p1"},"metadata":{"name":"b"}}]`,
			"created project/p1/logicalCloud/a, created project/p1/logicalCloud/b", "created project/p1/logicalCloud/a, created project/p1/logicalCloud/b", ""},
		{"the item", 200, "PUT", "/v2/projects/p1", `{"n":1}`, "updated project/p1", "", "updated project/p1"},
		{"a deletion", 204, "DELETE", "/v2/projects/p1/logical-clouds/a", "", "deleted project/p1/logicalCloud/a", "deleted project/p1/logicalCloud/a", ""},
	} {
		s.must(step.status, step.method, step.path, step.body)
		for _, w := range []struct {
			name string
			of   *subscription
			want string
		}{{"everything", everything, step.everything}, {"collection", collection, step.below}, {"item", item, step.one}} {
			if w.want == "" {
				continue
			}
			got, e := w.of.changes()
			if got != w.want {
				t.Errorf("%s, %s: got %s, want %s", step.name, w.name, got, w.want)
			}
			if step.name == "two at once" && w.of == everything {
				cursor = e.id
			}
		}
	}
	for _, header := range []map[string]string{{"Last-Event-ID": cursor}, nil} {
		url := server.URL + "/v2/watch"
		if header == nil {
			url += "?after=" + cursor
		}
		resumed := subscribe(t, url, header)
		if got, _ := resumed.changes(); got != "updated project/p1" {
			t.Errorf("resumed: got %s", got)
		}
	}
}

func TestWatchEnds(t *testing.T) {
	s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Heartbeat: 10 * time.Millisecond}})
	server := s.listen()
	w := subscribe(t, server.URL+"/v2/watch", nil)
	for {
		e, ok := w.next()
		if !ok {
			t.Fatal("no heartbeat")
		}
		if e.comment != "" {
			break
		}
	}
	if err := server.Config.Shutdown(t.Context()); err != nil { // waits for the answers that are under way
		t.Fatal(err)
	}
	for ok := true; ok; {
		_, ok = w.next()
	}
}

func TestWatchTellsErrors(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	other := newServer(t, httpapi.Options{})
	foreign, err := other.store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, cursor := range []string{"nonsense", string(foreign)} {
		for name, w := range map[string]*httptest.ResponseRecorder{
			"after":         s.do(call{method: "GET", path: "/v2/watch?after=" + cursor}),
			"Last-Event-ID": s.do(call{method: "GET", path: "/v2/projects?watch=true", header: map[string]string{"Last-Event-ID": cursor}}),
		} {
			if w.Code != 400 || !strings.Contains(w.Body.String(), `"detail":"the cursor is not one of this store"`) {
				t.Errorf("%s %s: got %d %s", name, cursor, w.Code, w.Body)
			}
		}
	}
	s.must(400, "GET", "/v2/projects?watch=perhaps", "")
	for _, cursor := range []string{"1%0Adata:%20forged%0A%0Aevent:%20changes", "1%0Ddata:%20forged", "1%20", "%22", "%5C", "%C2%85", "%00"} {
		if got := s.must(400, "GET", "/v2/watch?after="+cursor, "").Header().Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("the cursor %s is answered as %s", cursor, got)
		}
	}
	s.must(404, "GET", "/v2/nothing?watch=true", "")
}

// A reader that stops reading is cut off; others go on.
func TestWatchCutsOffStuckReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Write: time.Second}})
		t.Cleanup(s.api.Close)
		network := apitest.ServeInMemory(t, s.api.Server())
		client := network.Client(t, nil)
		s.seed()
		conn, err := network.Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /v2/watch HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		watches := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := metricBy(t, client, "http://dovetail", "dovetail_http_watches"); got != want {
				t.Errorf("%s watches are open, want %s", got, want)
			}
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://dovetail/v2/projects/p1?watch=true", nil)
		if err != nil {
			t.Fatal(err)
		}
		good := subscribeBy(t, client, r)
		good.next()
		watches("2")
		for i := range 3 {
			s.must(200, "PUT", "/v2/projects/p1", fmt.Sprintf(`{"text":"%d"}`, i))
			for e := (sse{}); e.event != "changes"; {
				var open bool
				if e, open = good.next(); !open {
					t.Fatal("a reader that reads is cut off")
				}
				if e.event == "changes" && (!strings.Contains(e.data, `"op":"updated"`) || !strings.Contains(e.data, `"id":"project/p1"`)) {
					t.Fatalf("got %.300s", e.data)
				}
			}
			clocktest.Advance(time.Second)
		}
		watches("1")
	})
}

// TestWatchesOfOnePrincipal: a principal with as many open watches as allowed gets no further one until one ends; others
// are not affected.
func TestWatchesOfOnePrincipal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, httpapi.Options{Authenticate: byName, Limits: httpapi.Limits{Watches: 2}})
		t.Cleanup(s.api.Close)
		client := apitest.ServeInMemory(t, &http.Server{Handler: s.api}).Client(t, nil)
		watch := func(who string) (status int, end func()) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), apitest.Patience)
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://dovetail/v2/watch", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", who)
			response, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			end = func() {
				cancel()
				_ = response.Body.Close()
			}
			t.Cleanup(end)
			return response.StatusCode, end
		}
		_, end := watch("ann")
		for _, step := range []struct {
			name, who string
			status    int
		}{
			{"the second", "ann", http.StatusOK},
			{"one too many", "ann", http.StatusTooManyRequests},
			{"of another principal", "bob", http.StatusOK},
		} {
			if got, _ := watch(step.who); got != step.status {
				t.Errorf("%s: got %d, want %d", step.name, got, step.status)
			}
		}
		end()
		synctest.Wait() // until the server has learned that the client is gone
		if got, _ := watch("ann"); got != http.StatusOK {
			t.Errorf("after the end of a watch: got %d", got)
		}
	})
}
