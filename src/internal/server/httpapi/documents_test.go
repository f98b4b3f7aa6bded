package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
)

// everything reads all pages of a list of documents and returns their ids.
func everything(t *testing.T, s *server, query string) []string {
	t.Helper()
	var ids []string
	next := ""
	for {
		path := "/v2/documents?limit=2" + query
		if next != "" {
			path += "&continue=" + next
		}
		var page struct {
			Items    []struct{ ID, UID string }
			Continue string
		}
		if err := json.Unmarshal(s.must(200, "GET", path, "").Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			if item.UID == "" {
				t.Errorf("%s has no uid", item.ID)
			}
			ids = append(ids, item.ID)
		}
		if next = page.Continue; next == "" {
			return ids
		}
	}
}

// A text is found in names of members and in values, page by page, in any case, and not in secrets.
func TestDocumentsThatContain(t *testing.T) {
	model, err := schema.Compile([]schema.Source{{Name: "hosts.yaml", Data: []byte("resources:\n  - name: host\n    sensitive: [/spec/pin]\n  - name: vault\n    sensitive: true\n")}})
	if err != nil {
		t.Fatal(err)
	}
	st := newStore(t, model)
	s := &server{t: t, store: st, api: httpapi.New(st, httpapi.Options{})}
	for i, spec := range []string{`{"dns":"Db.example.com"}`, `{"pin":"example","dns":"other"}`, `{"EXAMPLE_URL":1}`, `{"ports":[{"note":"an EXAMPLE"}]}`} {
		s.must(201, "POST", "/v2/hosts", fmt.Sprintf(`{"metadata":{"name":"h%d"},"spec":%s}`, i, spec))
	}
	s.must(201, "POST", "/v2/hosts", `{"metadata":{"name":"h4","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"spec\":{\"pin\":\"example\"}}"}}}`)
	s.must(201, "POST", "/v2/vaults", `{"metadata":{"name":"v"},"spec":{"dns":"example"}}`)
	tests := []struct{ name, query, want string }{
		{"in any case", "example", "host/h0 host/h2 host/h3"},
		{"with a kind", "example&kind=vault", ""},
		{"with a selector", "example&fieldSelector=metadata.name%3Dh2", "host/h2"},
		{"not there", "nowhere", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(everything(t, s, "&contains="+test.query), " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	s.must(400, "GET", "/v2/documents?contains="+strings.Repeat("a", 201), "")
	s.must(400, "GET", "/v2/documents?sealed=true&contains=a", "")
	var page struct{ Continue string }
	if err := json.Unmarshal(s.must(200, "GET", "/v2/documents?limit=1&contains=example", "").Body.Bytes(), &page); err != nil || page.Continue == "" {
		t.Fatal(page, err)
	}
	s.must(400, "GET", "/v2/documents?limit=1&contains=other&continue="+page.Continue, "") // the token of another list
}

func TestListDocuments(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	const app = "project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx"
	for _, test := range []struct {
		name, query string
		want        string
	}{
		{"everything", "", "controllerGroup/orchestrator/controller/c1 project/p1 project/p1/compositeApp/CA/compositeAppVersion/v3 " + app},
		{"of a kind", "&kind=app", app},
		{"below an id", "&under=project/p1", "project/p1/compositeApp/CA/compositeAppVersion/v3 " + app},
		{"both", "&under=project/p1&kind=compositeAppVersion", "project/p1/compositeApp/CA/compositeAppVersion/v3"},
		{"below nothing", "&under=project/p9", ""},
		{"by field", "&fieldSelector=spec.controller=c1", app},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(everything(t, s, test.query), " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	s.must(400, "GET", "/v2/documents?labelSelector=((", "")
	if got := s.must(400, "GET", "/v2/documents?kind=projct", "").Body.String(); !strings.Contains(got, "did you mean project?") {
		t.Errorf("a misspelt kind is refused with %s", got)
	}
	for _, under := range []string{"project", "../x", "project/p1/"} {
		s.must(400, "GET", "/v2/documents?under="+under, "")
	}
	s.must(405, "DELETE", "/v2/documents", "")
	tree := s.must(200, "GET", "/v2/documents?view=tree&depth=1", "").Body.String()
	if !strings.Contains(tree, `"id":"project/p1"`) || strings.Contains(tree, app) {
		t.Errorf("not the forest of depth 1: %s", tree)
	}
}

// What was listed with its content can be imported into another store, and is the same there.
func TestImport(t *testing.T) {
	from := newServer(t, httpapi.Options{})
	from.seed()
	exported := func(s *server) string {
		var page struct{ Items json.RawMessage }
		if err := json.Unmarshal(s.must(200, "GET", "/v2/documents?content=true", "").Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		return string(page.Items)
	}
	items := exported(from)
	to := newServer(t, httpapi.Options{})
	if got := to.must(200, "POST", "/v2/documents", items).Body.String(); strings.Count(got, `"created"`) != 4 {
		t.Errorf("not four created: %s", got)
	}
	if got := exported(to); got != items {
		t.Errorf("got\n%s\nwant\n%s", got, items)
	}
	problem := to.must(409, "POST", "/v2/documents", items).Body.String()
	if !strings.Contains(problem, `"index":4`) {
		t.Errorf("not all of four are refused: %s", problem)
	}
	to.must(400, "POST", "/v2/documents", `[7]`)
	to.must(400, "POST", "/v2/documents", `{"id":"project/p2","kind":"project","data":{}}`)
}

// So can files and statuses, page by page.
func TestImportPages(t *testing.T) {
	from := newServer(t, httpapi.Options{})
	from.seed()
	from.must(200, "PUT", app+"/status", `{"phase":"ready"}`)
	check(t, from.sendForm("PUT", app, file{name: "metadata", data: `{"spec":{"controller":"c1"},"t":"<&>"}`}, file{name: "file", filename: "f", data: "\x00abc"}), 200, nil, "")

	var documents []json.RawMessage
	next := ""
	for more := true; more; more = next != "" {
		path := "/v2/documents?content=true&limit=3"
		if next != "" {
			path += "&continue=" + next
		}
		var page struct {
			Items    []json.RawMessage
			Continue string
		}
		if err := json.Unmarshal(from.must(200, "GET", path, "").Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		documents, next = append(documents, page.Items...), page.Continue
	}
	if len(documents) != 4 {
		t.Fatalf("%d documents", len(documents))
	}
	all, err := json.Marshal(documents)
	if err != nil {
		t.Fatal(err)
	}
	to := newServer(t, httpapi.Options{})
	if w := to.must(200, "POST", "/v2/documents", string(all)); strings.Count(w.Body.String(), `"effect":"created"`) != 4 {
		t.Errorf("got %s", w.Body)
	}
	for _, path := range []string{app, app + "?view=document&content=true", "/v2/projects/p1?view=document", app + "/content/file"} {
		want, got := from.must(200, "GET", path, ""), to.must(200, "GET", path, "")
		if got.Body.String() != want.Body.String() || got.Header().Get("ETag") != want.Header().Get("ETag") {
			t.Errorf("%s: got %s, want %s", path, got.Body, want.Body)
		}
	}
	to.must(400, "POST", "/v2/documents", `[{"id":5}]`)
	to.must(400, "POST", "/v2/documents", `[{"id":"project/none/logicalCloud/l","kind":"logicalCloud","data":{},"uid":"u","revision":1}]`)
}

func TestImpact(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	same := s.must(200, "GET", "/v2/schema", "").Body.String()
	if got := s.must(200, "POST", "/v2/schema/impact", same).Body.String(); got != `{"findings":[],"total":0}` {
		t.Errorf("the schema in force has an impact: %s", got)
	}
	const smaller = `{"sources":[{"name":"x","text":"resources: [{name: project}]"}]}`
	var answer struct {
		Findings []struct{ Problem, ID string }
		Total    int
	}
	if err := json.Unmarshal(s.must(200, "POST", "/v2/schema/impact?limit=1", smaller).Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Total != 3 || len(answer.Findings) != 1 || answer.Findings[0].Problem != "unknown-kind" {
		t.Errorf("got %+v", answer)
	}
	s.must(422, "POST", "/v2/schema/impact", `{"sources":[{"name":"x","text":"resources: [{name: a, parent: b}]"}]}`)
	s.must(422, "POST", "/v2/schema/impact", `{}`)

	// A JSON Schema of nested pairs looks at each stored document once for each of 16,384 ways through it.
	for depth, reason := range map[int]string{14: "has more than 10000 objects", 10: "more than 1000 schemas look at the same value"} {
		pairs := "{type: string}"
		for range depth {
			pairs = "{anyOf: [" + pairs + ", " + pairs + "]}"
		}
		text, err := json.Marshal("resources: [{name: project, schema: " + pairs + "}]")
		if err != nil {
			t.Fatal(err)
		}
		answer := s.must(422, "POST", "/v2/schema/impact", `{"sources":[{"name":"x","text":`+string(text)+`}]}`).Body.String()
		if !strings.Contains(answer, reason) || !strings.Contains(answer, `"file":"x","line":1,"column":`) {
			t.Errorf("got %s", answer)
		}
	}
}
