package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apitest"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
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
	resp, err := http.DefaultClient.Do(r)
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

// A reader that stops reading is cut off; others go on. Where the machine is so slow that another reader seems to have stopped,
// the limit is higher in the next attempt.
func TestWatchCutsOffStuckReaders(t *testing.T) {
	t.Parallel()
	for limit := 2 * time.Second; !cutsOffStuckReaders(t, limit); limit *= 3 {
		if limit > time.Minute {
			t.Fatal("a reader that reads is cut off")
		}
	}
}

// cutsOffStuckReaders says whether only the reader that stopped is cut off.
func cutsOffStuckReaders(t *testing.T, limit time.Duration) (others bool) {
	t.Helper()
	s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Write: limit}})
	server := s.listen()
	s.seed()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET /v2/watch HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	good := subscribe(t, server.URL+"/v2/projects/p1?watch=true", nil)
	good.next()
	watches := func() string { return metric(t, server.URL, "dovetail_http_watches") }
	for watches() != "2" {
		time.Sleep(time.Millisecond)
	}
	big := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	for i := 0; watches() != "1"; i++ {
		s.must(200, "PUT", "/v2/projects/p1", strings.Replace(big, "x", fmt.Sprint(i), 1))
		for e := (sse{}); e.event != "changes"; {
			var more bool
			if e, more = good.next(); !more {
				return false
			}
			if e.event == "changes" && (!strings.Contains(e.data, `"op":"updated"`) || !strings.Contains(e.data, `"id":"project/p1"`)) {
				t.Fatalf("got %.300s", e.data)
			}
		}
	}
	return true
}

// TestWatchesOfOnePrincipal: a principal with as many open watches as allowed gets no further one until one ends; others
// are not affected.
func TestWatchesOfOnePrincipal(t *testing.T) {
	s := newServer(t, httpapi.Options{Authenticate: byName, Limits: httpapi.Limits{Watches: 2}})
	server := httptest.NewServer(s.api)
	t.Cleanup(server.Close)
	watch := func(who string) (status int, end func()) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), apitest.Patience)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/v2/watch", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", who)
		response, err := http.DefaultClient.Do(r)
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
	for { // the server learns that a client is gone some time later; the limit of the test bounds how long
		if got, _ := watch("ann"); got == http.StatusOK {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
