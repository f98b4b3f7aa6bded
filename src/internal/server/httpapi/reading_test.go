package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// bounded is a server with a mebibyte of memory for what requests read, and ten documents of 200 KB.
func bounded(t *testing.T) *server {
	t.Helper()
	s := newServer(t, httpapi.Options{Authenticate: byName, Limits: httpapi.Limits{Body: 1 << 20, Batch: 1 << 20, Bodies: 1 << 20}})
	s.must(201, "POST", "/v2/projects", named("p"))
	for i := range 10 {
		s.must(201, "POST", "/v2/projects/p/composite-apps",
			fmt.Sprintf(`{"metadata":{"name":"a%d"},"spec":{"compositeAppVersion":"v","text":"%s"}}`, i, strings.Repeat("x", 200_000)))
	}
	s.must(201, "POST", "/v2/projects", `{"metadata":{"name":"many"},"spec":{"a":[`+strings.Repeat("0,", 4500)+`0]}}`)
	s.must(201, "POST", "/v2/projects", `{"metadata":{"name":"deep"},"spec":`+strings.Repeat(`{"a":`, 80)+`"`+strings.Repeat(`\n`, 10_000)+`"`+strings.Repeat("}", 81))
	return s
}

func operations(pattern string) string {
	var all []string
	for i := range 10 {
		all = append(all, fmt.Sprintf(pattern, i))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// What requests read, and what they make of it, is bounded, however small they are.
func TestMemoryOfReading(t *testing.T) {
	const app = `"id":"project/p/compositeApp/a%[1]d/compositeAppVersion/v"`
	s := bounded(t)
	for _, tt := range []struct {
		name   string
		call   call
		status int
	}{
		{name: "one document", call: call{method: "GET", path: "/v2/projects/p/composite-apps/a1/v"}, status: 200},
		{name: "patches of large documents", call: call{method: "POST", path: "/v2/batch", body: operations(`{"op":"patch",` + app + `,"data":{"spec":{"b":1}}}`)}, status: 413},
		{name: "updates of large documents", call: call{method: "POST", path: "/v2/batch", body: operations(`{` + app + `,"data":{}}`)}, status: 413},
		{name: "creations of documents that exist", call: call{method: "POST", path: "/v2/batch",
			body: operations(`{"op":"create",` + app + `,"data":{"metadata":{"name":"a%[1]d"},"spec":{"compositeAppVersion":"v"}}}`)}, status: 413},
		{name: "deletions of large documents", call: call{method: "POST", path: "/v2/batch?dryRun=true", body: operations(`{"op":"delete",` + app + `}`)}, status: 413},
		{name: "many values as YAML, which are parsed for it", call: call{method: "GET", path: "/v2/projects/many", header: map[string]string{"Accept": "application/yaml"}}, status: 200},
		{name: "lines that are indented far as YAML", call: call{method: "GET", path: "/v2/projects/deep", header: map[string]string{"Accept": "application/yaml"}}, status: 413},
		{name: "the same as JSON", call: call{method: "GET", path: "/v2/projects/deep"}, status: 200},
		{name: "values that a selector looks at", call: call{method: "GET", path: "/v2/projects?fieldSelector=spec.a%3Db"}, status: 200},
		{name: "a tree, which shows no data", call: call{method: "GET", path: "/v2/projects/p?view=tree"}, status: 200},
		{name: "a graph, which shows no data", call: call{method: "GET", path: "/v2/projects/p?view=graph"}, status: 200},
		{name: "the plan of a cascade", call: call{method: "DELETE", path: "/v2/projects/p?cascade=plan"}, status: 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.call.header == nil {
				tt.call.header = map[string]string{}
			}
			tt.call.header["Authorization"] = "ann"
			for range 3 { // what one request takes is free for the next
				w := s.do(tt.call)
				if w.Code != tt.status {
					t.Fatalf("got %d, want %d: %.300s", w.Code, tt.status, w.Body)
				}
				if tt.status == 413 && !strings.Contains(w.Body.String(), `"code":"too-large"`) {
					t.Errorf("%s", w.Body)
				}
			}
		})
	}
}

// Pages of large documents are short, and lists of them are whole.
func TestListOfLargeDocuments(t *testing.T) {
	s := bounded(t)
	var all []json.RawMessage
	if err := json.Unmarshal(s.must(200, "GET", "/v2/projects/p/composite-apps", "").Body.Bytes(), &all); err != nil || len(all) != 10 {
		t.Fatalf("%d documents, %v", len(all), err)
	}
	total := 0
	for more, pages := "", 0; ; pages++ {
		var page struct {
			Items    []json.RawMessage `json:"items"`
			Continue string            `json:"continue"`
		}
		w := s.must(200, "GET", "/v2/projects/p/composite-apps?limit=1000"+more, "")
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		if total += len(page.Items); len(page.Items) != 1 {
			t.Fatalf("a page of %d large documents", len(page.Items))
		}
		if more = "&continue=" + page.Continue; page.Continue == "" {
			break
		}
	}
	if total != 10 {
		t.Errorf("the pages have %d documents", total)
	}
}

// stalled is a client that does not read its answer until the channel read is closed.
type stalled struct {
	*httptest.ResponseRecorder
	begun, read chan struct{}
}

func (s *stalled) Write(p []byte) (int, error) {
	close(s.begun)
	<-s.read
	return s.ResponseRecorder.Write(p)
}

// What slow readers have not taken yet counts, for the one who reads slowly.
func TestSlowReaders(t *testing.T) {
	s := bounded(t)
	get := func(who string, w http.ResponseWriter) {
		r := httptest.NewRequest(http.MethodGet, "/v2/projects/p/composite-apps/a1/v", nil)
		r.Header.Set("Authorization", who)
		s.api.ServeHTTP(w, r)
	}
	status := func(who string) int {
		w := httptest.NewRecorder()
		get(who, w)
		return w.Code
	}
	slow := &stalled{ResponseRecorder: httptest.NewRecorder(), begun: make(chan struct{}), read: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		get("ann", slow)
	}()
	<-slow.begun
	if code := status("ann"); code != http.StatusTooManyRequests {
		t.Errorf("another answer of the slow reader: %d", code)
	}
	if code := status("bob"); code != http.StatusOK {
		t.Errorf("an answer of another principal: %d", code)
	}
	close(slow.read)
	<-done
	if code := status("ann"); code != http.StatusOK || slow.Code != http.StatusOK {
		t.Errorf("after it was read: %d, and itself %d", code, slow.Code)
	}
}

// slowWatcher takes what is short, and an event only when it may.
type slowWatcher struct {
	*httptest.ResponseRecorder
	open        func()      // called once the watch is open
	failed      chan string // events that say why it ends
	begun, take chan struct{}
}

func (s *slowWatcher) Write(p []byte) (int, error) {
	switch {
	case strings.HasPrefix(string(p), "event: ready"):
		s.open()
	case strings.HasPrefix(string(p), "event: error"):
		s.failed <- string(p)
	case len(p) > 100_000:
		s.begun <- struct{}{}
		<-s.take
	}
	return s.ResponseRecorder.Write(p)
}

// Events that watchers have not read yet count: a principal with many slow watches loses some of them, with an event that
// says why. An event that is larger than the whole limit is sent.
func TestSlowWatchers(t *testing.T) {
	s := bounded(t)
	s.must(201, "POST", "/v2/projects", named("watched"))
	var ended sync.WaitGroup
	watch := func(who string) *slowWatcher {
		open := make(chan struct{})
		w := &slowWatcher{ResponseRecorder: httptest.NewRecorder(), open: sync.OnceFunc(func() { close(open) }), failed: make(chan string, 1), begun: make(chan struct{}, 10), take: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(ended.Wait)
		t.Cleanup(cancel)
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v2/projects/watched?watch=true", nil)
		r.Header.Set("Authorization", who)
		ended.Go(func() { s.api.ServeHTTP(w, r) })
		<-open
		return w
	}
	changed := 0
	change := func(size int) {
		changed++
		s.must(200, "PUT", "/v2/projects/watched", fmt.Sprintf(`{"n":%d,"text":"%s"}`, changed, strings.Repeat("x", size)))
	}
	one := watch("ann")
	change(200_000)
	<-one.begun // and is not taken
	two := watch("ann")
	change(200_000)
	if why := <-two.failed; !strings.Contains(why, `"code":"rate-limited"`) || len(two.begun) > 0 {
		t.Errorf("the second watch of a slow reader ends with %s", why)
	}
	close(one.take)
	<-one.begun
	change(900_000)
	<-one.begun // the event of all that there is
}

// A body that a proxy would read in another way than the server is refused.
func TestContentCoding(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	for coding, status := range map[string]int{"gzip": 415, "zstd, identity": 415, "identity": 201} {
		w := s.do(call{method: "POST", path: "/v2/projects", header: map[string]string{"Content-Encoding": coding}, body: named("p")})
		if w.Code != status {
			t.Errorf("%s: got %d, want %d: %s", coding, w.Code, status, w.Body)
		}
	}
}
