package httpapi_test

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestChangeSetRefused sends what cannot be served in a change set.
func TestChangeSetRefused(t *testing.T) {
	plain := newServer(t, httpapi.Options{})
	s := newServer(t, httpapi.Options{ChangeSet: func(context.Context, string, bool) (*httpapi.View, error) {
		return nil, dovetail.Errorf(dovetail.CodeNotFound, "the change set does not exist")
	}})
	for _, server := range []*server{plain, s} {
		server.seed()
	}
	tests := []struct {
		name, method, path string
		status             int
		says               string
	}{
		{"one that does not exist", "GET", project + "?changeSet=c", 404, "does not exist"},
		{"a write to one that does not exist", "DELETE", project + "?changeSet=c", 404, "does not exist"},
		{"no name", "GET", project + "?changeSet=", 400, "is empty"},
		{"with a position", "GET", project + "?changeSet=c&at=2030-01-01", 400, "at its base"},
		{"a write with a position", "PUT", project + "?changeSet=c&at=2030-01-01", 400, "at its base"},
		{"a watch", "GET", project + "?changeSet=c&watch=true", 400, "watched"},
		{"the watch of everything", "GET", "/v2/watch?changeSet=c", 400, "leave out changeSet"},
		{"a wait", "PUT", project + "?changeSet=c&wait=1s", 400, "leave out wait"},
		{"a history", "GET", project + "?view=history&changeSet=c", 400, "leave out changeSet"},
		{"an export", "GET", "/v2/documents?sealed=true&changeSet=c", 400, "leave out changeSet"},
		{"an import", "POST", "/v2/documents?changeSet=c", 400, "leave out changeSet"},
		{"a backup", "GET", "/v2/backup?changeSet=c", 400, "leave out changeSet"},
		{"the ref-schema", "GET", "/v2/schema?changeSet=c", 400, "leave out changeSet"},
		{"the transactions", "GET", "/v2/transactions?changeSet=c", 400, "leave out changeSet"},
		{"the rights", "GET", "/v2/access?changeSet=c", 400, "leave out changeSet"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := named("p1")
			if tt.method == "DELETE" || tt.method == "GET" {
				body = ""
			}
			w := s.do(call{method: tt.method, path: tt.path, body: body})
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w := plain.do(call{method: tt.method, path: tt.path, body: body}); w.Code != 400 {
				t.Errorf("where there are no change sets: %d %s", w.Code, w.Body)
			}
		})
	}
}

// changeSets keep what is staged in memory, as the service of change sets keeps it in the store.
type changeSets struct {
	mu      sync.Mutex
	store   *store.Store
	base    store.Cursor
	version int
	staged  map[dovetail.ID]store.Staged
	edited  int // how many writes come too late, because of edits in between
	views   int
}

func (c *changeSets) view(ctx context.Context, name string, write bool) (*httpapi.View, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name != "my set" {
		return nil, dovetail.Errorf(dovetail.CodeNotFound, "the change set %s does not exist", name)
	}
	c.views++
	version := c.version
	var stage func(context.Context, []store.Staged) error
	if write {
		stage = func(_ context.Context, changes []store.Staged) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.edited > 0 {
				c.edited--
				c.version++
			}
			if c.version != version {
				return &dovetail.Error{Code: dovetail.CodeConflict, Reason: httpapi.ReasonEdited, Message: "the change set was edited meanwhile"}
			}
			c.version++
			version = c.version
			for _, change := range changes {
				c.staged[change.ID] = change
			}
			return nil
		}
	}
	view, err := c.store.Overlay(ctx, c.base, slices.Collect(maps.Values(c.staged)), stage)
	if err != nil {
		return nil, err
	}
	return &httpapi.View{Store: view, Version: fmt.Sprint(version)}, nil
}

// in adds the parameter of the change set to a path.
func in(path string) string {
	if strings.Contains(path, "?") {
		return path + "&changeSet=my+set"
	}
	return path + "?changeSet=my+set"
}

// withChangeSet is a server with documents and a change set over them.
func withChangeSet(t *testing.T) (*server, *changeSets) {
	t.Helper()
	c := &changeSets{staged: make(map[dovetail.ID]store.Staged)}
	s := newServer(t, httpapi.Options{ChangeSet: c.view})
	s.seed()
	c.store, c.base = s.store, store.Cursor(s.latest(t))
	return s, c
}

// TestWritesInChangeSet does every kind of write of documents in a change set, and the same in the store: the answers have the same
// status, before the change set is read as the store is afterwards.
func TestWritesInChangeSet(t *testing.T) {
	s, c := withChangeSet(t)
	plain := newServer(t, httpapi.Options{})
	plain.seed()
	const apps = "/v2/projects/p1/composite-apps/CA/v3/apps"
	tests := []struct {
		name, method, path, body, media string
		status                          int
	}{
		{name: "create in a collection", method: "POST", path: "/v2/projects", body: named("p2"), status: 201},
		{name: "create what is there", method: "POST", path: "/v2/projects", body: named("p2"), status: 409},
		{name: "create by its path", method: "PUT", path: "/v2/projects/p3", body: named("p3"), status: 200},
		{name: "replace", method: "PUT", path: "/v2/projects/p3", body: `{"metadata":{"name":"p3"},"spec":{"a":1}}`, status: 200},
		{name: "patch", method: "PATCH", path: project, body: `{"metadata":{"description":"new"}}`, status: 200},
		{name: "patch what is staged", method: "PATCH", path: "/v2/projects/p2", body: `{"spec":{"b":[1]}}`, status: 200},
		{name: "status", method: "PUT", path: app + "/status", body: `{"phase":"ready"}`, status: 200},
		{name: "with files", method: "POST", path: apps, media: "multipart/form-data; boundary=x", status: 201,
			body: "--x\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n{\"metadata\":{\"name\":\"redis\"},\"spec\":{\"controller\":\"c1\"}}\r\n" +
				"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.tgz\"\r\n\r\nabc\r\n--x--\r\n"},
		{name: "a target that is missing", method: "POST", path: apps, body: `{"metadata":{"name":"x"},"spec":{"controller":"none"}}`, status: 409},
		{name: "a document in use", method: "DELETE", path: "/v2/controllers/c1", status: 409},
		{name: "batch", method: "POST", path: "/v2/batch", status: 200, media: "application/yaml",
			body: "- {kind: project, metadata: {name: p4}}\n- {op: delete, kind: project, key: {project: p3}}\n"},
		{name: "the plan of a cascade", method: "DELETE", path: "/v2/controllers/c1?cascade=plan", status: 200},
		{name: "a dry run", method: "DELETE", path: "/v2/projects/p4?dryRun=true", status: 204},
		{name: "cascade", method: "DELETE", path: "/v2/projects/p1/composite-apps/CA/v3?cascade=true", status: 204},
		{name: "delete", method: "DELETE", path: "/v2/controllers/c1", status: 204},
		{name: "delete what is gone", method: "DELETE", path: "/v2/controllers/c1", status: 404},
		{name: "a version of the store", method: "PATCH", path: project, body: `{}`, media: "stale", status: 412},
	}
	before := s.get("/v2/documents?content=true").Body.String()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c.edited = 2 // the first two tries come too late
			header := map[string]string{}
			switch tt.media {
			case "":
			case "stale":
				header["If-Match"] = s.get(project).Header().Get("ETag")
			default:
				header["Content-Type"] = tt.media
			}
			w := s.do(call{method: tt.method, path: in(tt.path), body: tt.body, header: header})
			if tt.media == "stale" {
				check(t, w, tt.status, nil, "")
				return
			}
			same := plain.do(call{method: tt.method, path: tt.path, body: tt.body, header: header})
			if w.Code != tt.status || same.Code != tt.status || w.Header().Get("Dovetail-Change-Set") != "my%20set" || w.Header().Get("Dovetail-Position") != string(c.base) {
				t.Errorf("%d %v %s, in the store %d %s", w.Code, w.Header(), w.Body, same.Code, same.Body)
			}
			if location := same.Header().Get("Location"); location != "" && w.Header().Get("Location") != in(location) {
				t.Errorf("it is at %q, in the store at %q", w.Header().Get("Location"), location)
			}
			if writes := tt.status/100 == 2 && !strings.Contains(tt.path, "?"); writes != (c.edited == 0) && !strings.Contains(tt.path, "cascade=true") {
				t.Errorf("of 2 edits in between, %d are left", c.edited)
			}
		})
	}
	if after := s.get("/v2/documents?content=true").Body.String(); after != before {
		t.Errorf("the store has changed to\n%s", after)
	}
	versions := regexp.MustCompile(`uid\d+(-\d+)?|"(revision|created|updated)":("[^"]*"|\d+)`)
	for _, path := range []string{"/v2/documents?content=true", "/v2/documents?view=tree", "/v2/projects", "/v2/projects?limit=2", project, project + "?view=document", project + "?view=children",
		project + "?view=graph", "/v2/projects/p3", "/v2/controllers"} {
		got, want := s.get(in(path)), plain.get(path)
		if g, w := versions.ReplaceAllString(withoutToken(got.Body.String()), ""), versions.ReplaceAllString(withoutToken(want.Body.String()), ""); g != w || got.Code != want.Code {
			t.Errorf("%s in the change set is %d\n%s\nwant %d\n%s", path, got.Code, g, want.Code, w)
		}
	}
}

func withoutToken(text string) string {
	if i := strings.Index(text, `,"continue":`); i >= 0 {
		return text[:i]
	}
	return text
}

// TestActionsInChangeSet records two actions, the second one while the change set is edited.
func TestActionsInChangeSet(t *testing.T) {
	s, c := withChangeSet(t)
	const clouds = "/v2/projects/p1/logical-clouds"
	s.must(201, "POST", in(clouds), named("lc"))
	c.edited = 1
	for range 2 {
		s.must(202, "POST", in(clouds+"/lc/instantiate"), "")
	}
	if text := s.get(in(clouds + "/lc/status")).Body.String(); strings.Count(text, `"action":"instantiate"`) != 2 {
		t.Errorf("the actions are %s", text)
	}
	s.must(404, "GET", clouds+"/lc", "")
}

func TestUndoInChangeSet(t *testing.T) {
	s, c := withChangeSet(t)
	created := strings.Trim(s.get(project).Header().Get("ETag"), `"`)
	s.must(200, "PATCH", project, `{"spec":{"a":1}}`)
	s.must(200, "PATCH", project, `{"spec":{"b":1}}`)
	c.base = store.Cursor(s.latest(t))
	s.must(200, "POST", in("/v2/transactions/"+string(c.base)+"/revert"), "")
	check(t, s.get(in(project)), 200, nil, `{"metadata":{"name":"p1"},"spec":{"a":1}}`)
	s.must(200, "POST", in("/v2/rollback"), `{"id":"project/p1","version":"`+created+`"}`)
	check(t, s.get(in(project)), 200, nil, `{"metadata":{"name":"p1"},"spec":{}}`)
	check(t, s.get(project), 200, nil, `{"metadata":{"name":"p1"},"spec":{"a":1,"b":1}}`)
}

// TestPagesOfChangeSet reads on in a list after the change set was edited.
func TestPagesOfChangeSet(t *testing.T) {
	s, _ := withChangeSet(t)
	s.must(201, "POST", in("/v2/projects"), named("p0"))
	first := s.must(200, "GET", in("/v2/projects?limit=1"), "")
	next := strings.TrimSuffix(strings.TrimPrefix(first.Header().Get("Link"), "<"), `>; rel="next"`)
	if !strings.Contains(next, "changeSet=my+set") || !strings.Contains(first.Body.String(), `"p0"`) {
		t.Fatalf("the next page is at %s after %s", next, first.Body)
	}
	s.must(201, "POST", "/v2/projects", named("p00")) // which changes nothing in the view
	if text := s.must(200, "GET", next, "").Body.String(); !strings.Contains(text, `"p1"`) {
		t.Errorf("the next page is %s", text)
	}
	s.must(400, "GET", strings.Replace(next, "changeSet=my+set", "", 1), "")
	s.must(201, "POST", in("/v2/projects"), named("p01"))
	if w := s.get(next); w.Code != 410 || !strings.Contains(w.Body.String(), "first page") {
		t.Errorf("after an edit: %d %s", w.Code, w.Body)
	}
}

// TestKeysOfChangeSet sends a request with the same idempotency key to the change set, twice, and to the store.
func TestKeysOfChangeSet(t *testing.T) {
	s, c := withChangeSet(t)
	post := func(path string) *httptest.ResponseRecorder {
		return s.do(call{method: "POST", path: path, body: named("p9"), header: map[string]string{"Idempotency-Key": "k"}})
	}
	check(t, post(in("/v2/projects")), 201, nil, "")
	version := c.version
	check(t, post(in("/v2/projects")), 201, map[string]string{"Idempotency-Replayed": "true"}, "")
	if c.version != version {
		t.Error("the repeated request was staged again")
	}
	s.must(404, "GET", "/v2/idempotency-keys/k", "")
	if w := s.must(200, "GET", in("/v2/idempotency-keys/k"), ""); !strings.Contains(w.Body.String(), `"state":"committed"`) {
		t.Errorf("the outcome is %s", w.Body)
	}
	check(t, post("/v2/projects"), 201, map[string]string{"Idempotency-Replayed": ""}, "")
	s.must(200, "GET", "/v2/projects/p9", "")
}
