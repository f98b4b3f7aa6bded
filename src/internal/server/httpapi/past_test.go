package httpapi_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

const project = "/v2/projects/p1"

// body decodes an answer.
func body[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var into T
	if err := json.Unmarshal(w.Body.Bytes(), &into); err != nil || w.Code != 200 {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return into
}

type history struct {
	Items []struct {
		Op, Version, Position, Principal, Message string
		Paths                                     []string
		Status                                    bool
	}
	Continue string
}

type transactions struct {
	Items []struct {
		Position, Message string
		Changes           []struct{ Op, ID, Kind, Version string }
	}
	Before string
}

// latest is the position of the last transaction.
func (s *server) latest(t *testing.T) string {
	t.Helper()
	return body[transactions](t, s.get("/v2/transactions?limit=1")).Items[0].Position
}

func (s *server) get(path string) *httptest.ResponseRecorder {
	return s.do(call{method: "GET", path: path})
}

func TestAt(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	before := map[string]string{}
	paths := []string{project, project + "?view=document", project + "?view=tree", project + "?view=children", app + "?view=references", app, app + "/status", app + "?view=graph",
		"/v2/projects", "/v2/projects?limit=1", "/v2/documents", "/v2/documents?kind=app", "/v2/documents?view=tree", "/v2/controllers/c1?view=referrers"}
	for _, path := range paths {
		before[path] = s.get(path).Body.String()
	}
	position := s.latest(t)
	version := strings.Trim(s.get(project).Header().Get("ETag"), `"`)
	check(t, s.do(call{method: "PATCH", path: project, body: `{"metadata":{"description":"new"}}`}), 200, nil, "")
	check(t, s.do(call{method: "DELETE", path: app}), 204, nil, "")
	check(t, s.do(call{method: "POST", path: "/v2/projects", body: `{"metadata":{"name":"p0"}}`}), 201, nil, "")
	for _, path := range paths {
		join := "?"
		if strings.Contains(path, "?") {
			join = "&"
		}
		w := s.get(path + join + "at=" + position)
		if got := w.Body.String(); got != before[path] || w.Header().Get("Dovetail-Position") != position {
			t.Errorf("GET %s was\n%s, at %s it is\n%d %s", path, before[path], w.Header().Get("Dovetail-Position"), w.Code, got)
		}
	}
	if w := s.get(project + "?at=" + url.QueryEscape(version)); w.Body.String() != before[project] {
		t.Errorf("at its version: %d %s", w.Code, w.Body)
	}
	if w := s.get(project + "?at=2999-01-01T00:00:00Z"); !strings.Contains(w.Body.String(), "new") {
		t.Errorf("at a time to come: %d %s", w.Code, w.Body)
	}
	check(t, s.get("/v2/projects/p0?at="+position), 404, nil, "")
	refused := []struct {
		name, method, path string
		status             int
	}{
		{"no position", "GET", project + "?at=yesterday", 400},
		{"empty", "GET", project + "?at=", 400},
		{"of another store", "GET", project + "?at=0123456789abcdef-1", 400},
		{"to come", "GET", project + "?at=" + position + "0000", 400},
		{"before there was anything", "GET", project + "?at=1999-12-31", 404},
		{"a watch", "GET", project + "?watch=true&at=" + position, 400},
		{"a write", "PUT", project + "?at=" + position, 400},
		{"what has no past", "GET", "/v2/schema/versions?at=" + position, 400},
	}
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			body := "{}"
			if tt.method == "GET" {
				body = ""
			}
			check(t, s.do(call{method: tt.method, path: tt.path, body: body}), tt.status, nil, "")
		})
	}
}

func TestHistory(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	write := func(method, path, body, message string, status int) {
		t.Helper()
		check(t, s.do(call{method: method, path: path, body: body, header: map[string]string{"Dovetail-Message": message}}), status, nil, "")
	}
	write("POST", "/v2/projects", `{"metadata":{"name":"p1"},"spec":{"a":1,"b":[1,2]}}`, "begin", 201)
	write("PUT", project, `{"metadata":{"name":"p1"},"spec":{"a":2,"b":[1,3],"c":{"d":1}}}`, "", 200)
	write("PUT", project+"/status", `{"phase":"ready"}`, "es läuft", 200)
	write("DELETE", project, "", "clean up", 204)

	got := body[history](t, s.get(project+"?view=history"))
	if len(got.Items) != 4 || got.Continue != "" {
		t.Fatalf("there is %+v", got)
	}
	want := []struct{ op, message, paths string }{{"deleted", "clean up", ""}, {"updated", "es läuft", ""}, {"updated", "", "/spec/a /spec/b/1 /spec/c"}, {"created", "begin", ""}}
	for i, w := range want {
		if item := got.Items[i]; item.Op != w.op || item.Message != w.message || strings.Join(item.Paths, " ") != w.paths || item.Status != (i == 1) {
			t.Errorf("version %d is %+v, want %+v", i, item, w)
		}
	}
	var paged []string
	for next := ""; ; {
		p := body[history](t, s.get(project+"?view=history&limit=3"+next))
		for _, item := range p.Items {
			paged = append(paged, item.Version+strings.Join(item.Paths, ","))
		}
		if p.Continue == "" {
			break
		}
		next = "&continue=" + p.Continue
	}
	if len(paged) != 4 || !strings.HasSuffix(paged[2], "/spec/a,/spec/b/1,/spec/c") {
		t.Errorf("in pages it is %q", paged)
	}
	check(t, s.get("/v2/projects/none?view=history"), 404, nil, "")
	check(t, s.do(call{method: "POST", path: "/v2/projects", body: `{"metadata":{"name":"p2"}}`, header: map[string]string{"Dovetail-Message": "a\x01b"}}), 400, nil, "")

	all := body[transactions](t, s.get("/v2/transactions?limit=3"))
	if len(all.Items) != 3 || all.Before == "" || all.Items[0].Message != "clean up" || all.Items[0].Changes[0].ID != "project/p1" {
		t.Errorf("the transactions are %+v", all)
	}
	rest := body[transactions](t, s.get("/v2/transactions?limit=3&id=project%2Fp1&kind=project&before="+all.Before))
	if len(rest.Items) != 1 || rest.Items[0].Message != "begin" || rest.Before != "" {
		t.Errorf("before them are %+v", rest)
	}
	check(t, s.get("/v2/transactions/"+rest.Items[0].Position), 200, nil, "")
	check(t, s.get("/v2/transactions/none"), 400, nil, "")
	check(t, s.get("/v2/transactions?kind=projcet"), 400, nil, "")
	check(t, s.get("/v2/transactions?from=yesterday"), 400, nil, "")
}

func TestRevertAndRollback(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	put := func(text string) string {
		t.Helper()
		if w := s.do(call{method: "PUT", path: project, body: `{"metadata":{"name":"p1"},"spec":` + text + `}`}); w.Code/100 != 2 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return s.latest(t)
	}
	spec := func(want string) {
		t.Helper()
		check(t, s.get(project), 200, nil, `{"metadata":{"name":"p1"},"spec":`+want+`}`)
	}
	put(`{"a":1,"b":1}`)
	second := put(`{"a":2,"b":1}`)
	put(`{"a":2,"b":2}`)
	revert := "/v2/transactions/" + second + "/revert"
	check(t, s.do(call{method: "POST", path: revert + "?dryRun=true"}), 200, map[string]string{"Dovetail-Dry-Run": "true"}, "")
	spec(`{"a":2,"b":2}`)
	check(t, s.do(call{method: "POST", path: revert, header: map[string]string{"Dovetail-Message": "too early"}}), 200, nil, "")
	spec(`{"a":1,"b":2}`)
	if last := body[transactions](t, s.get("/v2/transactions?limit=1")).Items[0]; last.Message != "too early" {
		t.Errorf("the revert is %+v", last)
	}
	put(`{"a":7,"b":2}`)
	w := s.do(call{method: "POST", path: revert})
	check(t, w, 409, nil, "")
	for _, part := range []string{`"reason":"CHANGED_SINCE"`, `"path":"/spec/a"`, `7`} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the conflict lacks %s: %s", part, w.Body)
		}
	}
	check(t, s.do(call{method: "POST", path: "/v2/rollback", body: `{"id":"project/p1"}`}), 200, nil, "")
	spec(`{"a":1,"b":2}`)
	first := body[history](t, s.get(project+"?view=history"))
	check(t, s.do(call{method: "DELETE", path: project}), 204, nil, "")
	check(t, s.do(call{method: "POST", path: "/v2/rollback", body: `{"id":"project/p1","version":"` + first.Items[len(first.Items)-1].Version + `"}`}), 200, nil, "")
	spec(`{"a":1,"b":1}`)
	for name, text := range map[string]string{"no id": `{}`, "a member too many": `{"id":"project/p1","to":"x"}`, "no text": `{"id":7}`, "no id at all": `{"id":"x"}`} {
		t.Run(name, func(t *testing.T) {
			check(t, s.do(call{method: "POST", path: "/v2/rollback", body: text}), 400, nil, "")
		})
	}
	check(t, s.do(call{method: "POST", path: "/v2/rollback", body: `{"id":"project/p1","version":"x-1"}`}), 410, nil, "")
	check(t, s.do(call{method: "POST", path: "/v2/transactions/none/revert"}), 400, nil, "")
}
