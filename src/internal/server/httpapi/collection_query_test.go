package httpapi_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
)

const queriedSchema = `
resources:
- name: provider
- name: cluster
  parent: provider
  methods: {DELETE-COLLECTION: 204}
  queries:
    label: {child: clusterLabel}
    zone: {selector: spec.zone}
    cluster: {element: cluster}
- name: clusterLabel
  parent: cluster
  path: labels
`

// queried is a server with clusters: c0 to c5 of the zones a and b, of which the odd ones have the label "odd", those from c3 on
// "a/b".
func queried(t *testing.T) *server {
	t.Helper()
	model, err := schema.Compile([]schema.Source{{Name: "queried.yaml", Data: []byte(queriedSchema)}})
	if err != nil {
		t.Fatal(err)
	}
	st := newStore(t, model)
	s := &server{t: t, store: st, api: httpapi.New(st, httpapi.Options{Now: noon})}
	for _, provider := range []string{"p1", "p2"} {
		s.must(201, "POST", "/v2/providers", named(provider))
		for i, name := range []string{"c0", "c1", "c2", "c3", "c4", "c5"} {
			s.must(201, "POST", "/v2/providers/"+provider+"/clusters", `{"metadata":{"name":"`+name+`"},"spec":{"zone":"`+string("aab"[i/2])+`"}}`)
			if i%2 == 1 {
				s.must(201, "POST", "/v2/providers/"+provider+"/clusters/"+name+"/labels", `{"clusterLabel":"odd"}`)
			}
			if i >= 3 {
				s.must(201, "POST", "/v2/providers/"+provider+"/clusters/"+name+"/labels", `{"clusterLabel":"a/b"}`)
			}
		}
	}
	return s
}

func namesOf(t *testing.T, list []byte) string {
	t.Helper()
	var items []struct{ Metadata struct{ Name string } }
	if err := json.Unmarshal(list, &items); err != nil {
		t.Fatalf("%v: %s", err, list)
	}
	var names []string
	for _, item := range items {
		names = append(names, item.Metadata.Name)
	}
	return strings.Join(names, " ")
}

func TestQueriesSelect(t *testing.T) {
	s := queried(t)
	tests := []struct{ name, query, want string }{
		{"none", "", "c0 c1 c2 c3 c4 c5"},
		{"a value of the data", "zone=b", "c4 c5"},
		{"the name", "cluster=c2", "c2"},
		{"a child", "label=odd", "c1 c3 c5"},
		{"a child whose name is escaped in ids", "label=" + url.QueryEscape("a/b"), "c3 c4 c5"},
		{"two children", "label=odd&label=" + url.QueryEscape("a/b"), "c3 c5"},
		{"several", "label=odd&zone=a", "c1 c3"},
		{"with a selector", "label=odd&fieldSelector=metadata.name!%3Dc1", "c3 c5"},
		{"nothing", "label=even", ""},
		{"a pattern is a text", "cluster=*", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := namesOf(t, s.must(200, "GET", "/v2/providers/p1/clusters?"+test.query, "").Body.Bytes()); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			var got []string
			for path := "/v2/providers/p1/clusters?limit=1&" + test.query; path != ""; {
				w := s.must(200, "GET", path, "")
				var page struct{ Items json.RawMessage }
				if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
					t.Fatal(err)
				}
				if name := namesOf(t, page.Items); name != "" {
					got = append(got, name)
				}
				path, _, _ = strings.Cut(strings.TrimPrefix(w.Header().Get("Link"), "<"), ">")
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("page by page: got %s, want %s", got, test.want)
			}
		})
	}
}

// The pages of a list are those of its first moment, labels included.
func TestPagesOfQueries(t *testing.T) {
	s := queried(t)
	w := s.must(200, "GET", "/v2/providers/p1/clusters?limit=1&label=odd", "")
	s.must(204, "DELETE", "/v2/providers/p1/clusters/c5/labels/odd", "")
	next, _, _ := strings.Cut(strings.TrimPrefix(w.Header().Get("Link"), "<"), ">")
	if body := s.must(200, "GET", strings.Replace(next, "limit=1", "limit=9", 1), "").Body.String(); !strings.Contains(body, `"c5"`) {
		t.Errorf("the label that was deleted since counts: %s", body)
	}
	s.must(400, "GET", strings.Replace(next, "label=odd", "label=even", 1), "") // a token of another list
}

func TestQueriesDelete(t *testing.T) {
	s := queried(t)
	s.must(400, "DELETE", "/v2/providers/p1/clusters?cascade=true&lable=odd", "")
	s.must(400, "DELETE", "/v2/providers/p1/clusters?cascade=true&label=", "")
	s.must(204, "DELETE", "/v2/providers/p1/clusters?cascade=true&label=odd&zone=a", "")
	if got := namesOf(t, s.must(200, "GET", "/v2/providers/p1/clusters", "").Body.Bytes()); got != "c0 c2 c4 c5" {
		t.Errorf("left are %s", got)
	}
	if got := namesOf(t, s.must(200, "GET", "/v2/providers/p2/clusters", "").Body.Bytes()); got != "c0 c1 c2 c3 c4 c5" {
		t.Errorf("of the other provider are left %s", got)
	}
}

func TestUnknownParameters(t *testing.T) {
	s := queried(t)
	tests := []struct{ name, method, path, want string }{
		{"misspelt query", "GET", "/v2/providers/p1/clusters?lable=odd", "did you mean label?"},
		{"misspelt selector", "GET", "/v2/providers/p1/clusters?labelselector=a", "did you mean labelSelector?"},
		{"of another kind", "GET", "/v2/providers?label=odd", `unknown query parameter \"label\"`},
		{"of an item", "GET", "/v2/providers/p1/clusters/c1?label=odd", `unknown query parameter \"label\"`},
		{"of a watch", "GET", "/v2/providers/p1/clusters?watch=true&label=odd", `unknown query parameter \"label\"`},
		{"two", "GET", "/v2/providers?foo=1&bar=2", `unknown query parameter \"foo\"`},
		{"empty", "GET", "/v2/providers/p1/clusters?label=", "the query parameter label is empty"},
		{"of a write", "POST", "/v2/providers?dryrun=true", "did you mean dryRun?"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := named("x")
			if test.method == "GET" {
				body = ""
			}
			if got := s.must(400, test.method, test.path, body).Body.String(); !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// What an endpoint knows and one of its answers does not use is refused, too.
func TestParametersWithoutEffect(t *testing.T) {
	s := queried(t)
	tests := []struct{ name, path, want string }{
		{"depth of a document", "/v2/providers/p1?depth=2", "depth has no effect on a document without a view"},
		{"several", "/v2/providers/p1?limit=1&content=true", "content has no effect on a document without a view"},
		{"content of references", "/v2/providers/p1?view=references&content=true", "content has no effect on view=references"},
		{"continue of a tree", "/v2/providers/p1?view=tree&continue=x", "continue has no effect on view=tree"},
		{"depth of a document's envelope", "/v2/providers/p1?view=document&depth=1", "depth has no effect on view=document"},
		{"no view", "/v2/providers/p1?view=referers", `there is no view \"referers\"`},
		{"content of a list", "/v2/providers?content=true", "content has no effect on a list without a view"},
		{"selector of a tree of all", "/v2/documents?view=tree&labelSelector=a", "labelSelector has no effect on view=tree"},
		{"text of a tree of all", "/v2/documents?view=tree&contains=a", "contains has no effect on view=tree"},
		{"depth of all", "/v2/documents?depth=1", "depth has no effect on a list"},
		{"view of all", "/v2/documents?view=graph", `the list of all documents has no view \"graph\"`},
		{"twice", "/v2/documents?kind=provider&kind=cluster", `the query parameter \"kind\" is there 2 times`},
		{"selector twice", "/v2/providers?labelSelector=a&labelSelector=b", `the query parameter \"labelSelector\" is there 2 times`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := s.must(400, "GET", test.path, "").Body.String(); !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	for _, path := range []string{"/v2/providers/p1?view=tree&depth=1&limit=5", "/v2/providers/p1?watch=false", "/v2/providers?view=document&content=true", "/v2/documents?view=document",
		"/v2/providers/p1/clusters?label=odd&label=odd"} {
		s.must(200, "GET", path, "")
	}
	if got := s.must(400, "GET", "/v2/work?kind=provider&kind=cluster", "").Body.String(); strings.Contains(got, "times") {
		t.Errorf("kinds of work may be several: %s", got)
	}
}

func TestQueriesInOpenAPI(t *testing.T) {
	paths := loadOpenAPI(t, queried(t)).Paths
	for _, verb := range []string{"GET", "DELETE"} {
		var names []string
		for _, p := range paths.Value("/v2/providers/{provider}/clusters").GetOperation(verb).Parameters {
			names = append(names, p.Value.Name)
		}
		for _, want := range []string{"label", "zone", "cluster", "labelSelector"} {
			if !slices.Contains(names, want) {
				t.Errorf("%s: no %s among %v", verb, want, names)
			}
		}
	}
}
