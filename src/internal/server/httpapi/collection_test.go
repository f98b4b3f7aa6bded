package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

func TestCreate(t *testing.T) {
	tests := []struct {
		name   string
		path   string
		header map[string]string
		body   string
		status int
		want   map[string]string
	}{
		{name: "by metadata.name", path: "/v2/projects", body: named("p2"), status: 201,
			want: map[string]string{"Location": "/v2/projects/p2", "ETag": `"uid5-1"`, "Content-Type": "application/json"}},
		{name: "trailing slash", path: "/v2/projects/", body: named("p2"), status: 201},
		{name: "by two names", path: "/v2/projects/p1/composite-apps", body: `{"metadata":{"name":"CA"},"spec":{"compositeAppVersion":"v4"}}`, status: 201,
			want: map[string]string{"Location": "/v2/projects/p1/composite-apps/CA/v4"}},
		{name: "by a member called as the element", path: "/v2/projects/p1/labels", body: `{"clusterLabel":"east"}`, status: 201,
			want: map[string]string{"Location": "/v2/projects/p1/labels/east"}},
		{name: "beside an empty name", path: "/v2/projects/p1/labels", body: `{"metadata":{"name":""},"clusterLabel":"east"}`, status: 201,
			want: map[string]string{"Location": "/v2/projects/p1/labels/east"}},
		{name: "with a fixed element", path: "/v2/clm-controllers", body: named("c2"), status: 201, want: map[string]string{"Location": "/v2/clm-controllers/c2"}},
		{name: "at the root with a fixed parent", path: "/v2/policy/agents", body: named("a"), status: 201, want: map[string]string{"Location": "/v2/policy/agents/a"}},
		{name: "as yaml", path: "/v2/projects", header: map[string]string{"Content-Type": "application/x-yaml"}, body: "metadata: {name: p3}", status: 201},
		{name: "as json of a kind of its own", path: "/v2/projects", header: map[string]string{"Content-Type": "application/vnd.dovetail+json"}, body: named("p3"), status: 201},
		{name: "answered as yaml", path: "/v2/projects", header: map[string]string{"Accept": "text/yaml"}, body: named("p3"), status: 201,
			want: map[string]string{"Content-Type": "application/yaml"}},
		{name: "there already", path: "/v2/projects", body: named("p1"), status: 409},
		{name: "without its parent", path: "/v2/projects/p9/logical-clouds", body: named("l"), status: 409},
		{name: "without what it refers to", path: "/v2/projects/p1/composite-apps/CA/v3/apps", body: `{"metadata":{"name":"a"},"spec":{"controller":"c9"}}`, status: 409},
		{name: "without a name", path: "/v2/projects", body: `{}`, status: 400},
		{name: "without the second name", path: "/v2/projects/p1/composite-apps", body: named("CA"), status: 400},
		{name: "with a number as name", path: "/v2/projects", body: `{"metadata":{"name":5}}`, status: 400},
		{name: "with an impossible name", path: "/v2/projects", body: `{"metadata":{"name":".."}}`, status: 400},
		{name: "of broken json", path: "/v2/projects", body: `{"metadata":{"name":"x"}`, status: 400},
		{name: "with a member twice", path: "/v2/projects", body: `{"metadata":{"name":"x"},"a":1,"a":2}`, status: 400},
		{name: "without a required file", path: "/v2/projects/p1/bundles", body: named("b"), status: 400},
		{name: "on a path that is not there", path: "/v2/projekts", body: named("x"), status: 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			w := s.do(call{method: "POST", path: tt.path, header: tt.header, body: tt.body})
			check(t, w, tt.status, tt.want, "")
			if w.Code == http.StatusCreated {
				s.must(200, "GET", w.Header().Get("Location"), "")
			}
		})
	}
}

func (s *server) seedMany(n int) {
	s.t.Helper()
	s.must(201, "POST", "/v2/projects", named("many"))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%c{\"kind\":\"logicalCloud\",\"key\":{\"project\":\"many\"},\"metadata\":{\"name\":\"l%04d\",\"labels\":{\"odd\":\"%d\"}},\"spec\":{\"n\":%d}}", ",["[boolInt(i == 0)], i, i%2, i)
	}
	s.must(200, "POST", "/v2/batch", b.String()+"]")
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestListWhole(t *testing.T) {
	const all = "/v2/projects/many/logical-clouds"
	for _, n := range []int{1, 500, 501, 1700} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seedMany(n)
			var items []struct{ Spec struct{ N int } }
			body := s.must(200, "GET", all, "").Body.Bytes()
			if err := json.Unmarshal(body, &items); err != nil || len(items) != n {
				t.Fatalf("got %d items, %v", len(items), err)
			}
			for i, item := range items {
				if item.Spec.N != i {
					t.Fatalf("item %d is number %d", i, item.Spec.N)
				}
			}
			w := s.do(call{method: "GET", path: all, header: map[string]string{"Accept": "application/yaml"}})
			check(t, w, 200, map[string]string{"Content-Type": "application/yaml"}, "")
			if got := strings.Count(w.Body.String(), "- metadata:"); got != n {
				t.Errorf("%d items in yaml", got)
			}
		})
	}
}

func TestListSelects(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seedMany(6)
	for query, want := range map[string]string{
		"labelSelector=odd%3D1":                           "1 3 5",
		"fieldSelector=spec.n%3D4":                        "4",
		"labelSelector=odd%3D0&fieldSelector=spec.n!%3D2": "0 4",
		"labelSelector=none":                              "",
	} {
		var items []struct{ Spec struct{ N int } }
		if err := json.Unmarshal(s.must(200, "GET", "/v2/projects/many/logical-clouds?"+query, "").Body.Bytes(), &items); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range items {
			got = append(got, fmt.Sprint(item.Spec.N))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", query, got, want)
		}
	}
	s.must(400, "GET", "/v2/projects/many/logical-clouds?labelSelector=%3D%3D", "")
	s.must(400, "GET", "/v2/projects/many/logical-clouds?view=tree", "")
}

// Whatever takes selectors refuses those with too many terms before it reads a document.
func TestSelectorsHaveFewTerms(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	many := strings.Repeat("a!=b,", 100) + "a!=b"
	for _, test := range []struct{ name, method, path string }{
		{"list", "GET", "/v2/projects?"},
		{"page", "GET", "/v2/projects?limit=1&"},
		{"envelopes", "GET", "/v2/projects?view=document&"},
		{"all documents", "GET", "/v2/documents?"},
		{"delete", "DELETE", "/v2/projects/p1/hpa-intents?"},
		{"plan of a delete", "DELETE", "/v2/projects/p1/hpa-intents?cascade=plan&"},
	} {
		for _, selector := range []string{"labelSelector", "fieldSelector"} {
			t.Run(test.name+" by "+selector, func(t *testing.T) {
				w := s.must(400, test.method, test.path+selector+"="+url.QueryEscape(many), "")
				if text := w.Body.String(); !strings.Contains(text, "more than 100 terms") || !strings.Contains(text, `"column":501`) {
					t.Error(text)
				}
			})
		}
	}
}

func TestListEmpty(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	for path, want := range map[string]int{
		"/v2/clm-controllers":                    200, // nothing at the root
		"/v2/projects/p1/logical-clouds":         200,
		"/v2/projects/p9/logical-clouds":         404, // no parent
		"/v2/projects/p9/logical-clouds?limit=3": 404,
		"/v2/policy/agents":                      200, // the parent is abstract
	} {
		w := s.must(want, "GET", path, "")
		if want == 200 && w.Body.String() != "[]" {
			t.Errorf("%s: got %s", path, w.Body)
		}
	}
	if w := s.must(200, "GET", "/v2/controllers", ""); w.Body.String() != "["+named("c1")+"]" {
		t.Errorf("controllers: got %s", w.Body)
	}
}

func TestListPages(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seedMany(25)
	path := "/v2/projects/many/logical-clouds?limit=10&labelSelector=" + url.QueryEscape("odd in (0,1)")
	var sizes []int
	var token string
	for path != "" {
		w := s.must(200, "GET", path, "")
		var page struct {
			Items    []json.RawMessage
			Continue string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(page.Items))
		path = ""
		if link := w.Header().Get("Link"); link != "" {
			path = strings.TrimSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
			token = page.Continue
		} else if page.Continue != "" {
			t.Error("a token without a link")
		}
	}
	if fmt.Sprint(sizes) != "[10 10 5]" {
		t.Errorf("pages of %v", sizes)
	}
	const list = "/v2/projects/many/logical-clouds?limit=10&continue="
	for name, bad := range map[string]string{
		"other selectors": list + token,
		"damaged":         list + token[:len(token)-3] + "AAA&labelSelector=" + url.QueryEscape("odd in (0,1)"),
		"no token":        list + "x!",
		"other list":      "/v2/projects?continue=" + token,
		"limit 0":         "/v2/projects?limit=0",
		"limit x":         "/v2/projects?limit=x",
		"limit 10^20":     "/v2/projects?limit=99999999999999999999",
	} {
		t.Run(name, func(t *testing.T) { s.must(400, "GET", bad, "") })
	}
}

// What has no name is refused at the place of the name, or at the object that lacks it.
func TestPlaceOfMissingNames(t *testing.T) {
	tests := []struct{ name, path, body, message, place string }{
		{name: "nothing", path: "/v2/projects", body: `{"spec":{}}`, message: "the body has no project", place: `"path":"/metadata/name","line":1,"column":1`},
		{name: "an object without it", path: "/v2/projects", body: "{\"spec\":{},\n \"metadata\":{}}", message: "the body has no project", place: `"path":"/metadata/name","line":2,"column":13`},
		{name: "an empty one", path: "/v2/projects", body: "{\"metadata\":\n{\"name\":\"\"}}", message: "the body has no project: metadata.name is empty", place: `"path":"/metadata/name","line":2,"column":9`},
		{name: "none", path: "/v2/projects", body: "{\"metadata\":\n{\"name\":null}}", message: "the body has no project: metadata.name is empty", place: `"path":"/metadata/name","line":2,"column":9`},
		{name: "an empty second one", path: "/v2/projects/p1/composite-apps", body: "{\"metadata\":{\"name\":\"CA\"},\n\"spec\":{\"compositeAppVersion\":\"\"}}",
			message: "the body has no compositeAppVersion: spec.compositeAppVersion is empty", place: `"path":"/spec/compositeAppVersion","line":2,"column":31`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			w := s.do(call{method: "POST", path: tt.path, body: tt.body})
			if got := w.Body.String(); w.Code != 400 || !strings.Contains(got, `"message":"`+tt.message+`"`) || !strings.Contains(got, tt.place) {
				t.Errorf("got %d %s, want %q at %s", w.Code, got, tt.message, tt.place)
			}
		})
	}
}

func TestListOfEnvelopes(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	var items []struct{ ID, ETag string }
	if err := json.Unmarshal(s.must(200, "GET", "/v2/projects?view=document", "").Body.Bytes(), &items); err != nil {
		t.Fatal(err)
	}
	if len(items) != 1 || items[0].ID != "project/p1" || items[0].ETag != `"uid1-1"` {
		t.Errorf("got %v", items)
	}
}

func TestDeleteCollection(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	const intents = "/v2/projects/p1/hpa-intents"
	for i := range 3 {
		s.must(201, "POST", intents, fmt.Sprintf(`{"metadata":{"name":"i%d","labels":{"n":"%d"}}}`, i, i))
	}
	s.must(204, "DELETE", intents+"?dryRun=true", "")
	s.must(204, "DELETE", intents+"?labelSelector=n%3D1", "")
	if w := s.must(200, "GET", intents, ""); strings.Contains(w.Body.String(), `"i1"`) || !strings.Contains(w.Body.String(), `"i2"`) {
		t.Errorf("got %s", w.Body)
	}
	if w := s.must(200, "DELETE", intents+"?cascade=plan", ""); !strings.Contains(w.Body.String(), `"total":2`) {
		t.Errorf("got %s", w.Body)
	}
	s.must(204, "DELETE", intents, "")
	s.must(204, "DELETE", intents, "")
	if w := s.must(200, "GET", intents, ""); w.Body.String() != "[]" {
		t.Errorf("got %s", w.Body)
	}
	s.must(405, "DELETE", "/v2/projects", "")
}
