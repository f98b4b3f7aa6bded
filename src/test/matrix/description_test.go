package matrix

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// An endpoint is a verb of a path of the description.
type endpoint struct {
	verb, template string
	parameters     []parameter
	body           bool // it takes one
}

// A parameter is one of the description.
type parameter struct {
	Ref                   string `json:"$ref"`
	In, Name, Description string
	Required              bool
	AllowEmptyValue       bool
}

func (o endpoint) String() string { return o.verb + " " + o.template }

// path is the template with x for each variable.
func (o endpoint) path() string { return elementOf.ReplaceAllString(o.template, "x") }

// takes reports whether the operation has a parameter.
func (o endpoint) takes(name string) bool {
	return slices.ContainsFunc(o.parameters, func(p parameter) bool { return p.Name == name })
}

// query are the parameters of the query.
func (o endpoint) query() []parameter {
	return slices.DeleteFunc(slices.Clone(o.parameters), func(p parameter) bool { return p.In != "query" })
}

// operations are those of the description, by which no test forgets a route that is new.
func (w *world) operations(t *testing.T) (all []endpoint) {
	t.Helper()
	var described struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Parameters map[string]parameter }
	}
	decode(t, w.must(t, "GET", "/openapi.json", nil).text, &described)
	for _, template := range slices.Sorted(maps.Keys(described.Paths)) {
		for _, verb := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			text, served := described.Paths[template][strings.ToLower(verb)]
			if !served {
				continue
			}
			var o struct {
				Parameters  []parameter
				RequestBody json.RawMessage
			}
			decode(t, string(text), &o)
			for i, p := range o.Parameters {
				if p.Ref != "" {
					o.Parameters[i] = described.Components.Parameters[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
				}
			}
			all = append(all, endpoint{verb, template, o.Parameters, o.RequestBody != nil})
		}
	}
	return all
}

// TestBodiesOfDescription sends a body to every operation whose description has none: it is refused, so that nothing that a client
// writes there is passed over. Only a POST may have one that says nothing.
func TestBodiesOfDescription(t *testing.T) {
	w := newServer(t, rootPolicy, []string{"root"}, nil)
	tests := []struct {
		name, body string
		refused    func(verb string) bool
	}{
		{name: "a member", body: `{"unknownMember": 1}`, refused: func(string) bool { return true }},
		{name: "an empty object", body: `{}`, refused: func(verb string) bool { return verb != http.MethodPost }},
	}
	var posts, others int
	for _, op := range w.operations(t) {
		switch {
		case op.body:
			continue
		case op.verb == http.MethodPost:
			posts++
		default:
			others++
		}
		for _, tt := range tests {
			t.Run(op.String()+" "+tt.name, func(t *testing.T) {
				status, text := w.as(t, "root", op.verb, op.path(), tt.body)
				refused := strings.Contains(text, "takes no body")
				if refused != tt.refused(op.verb) || refused && status != http.StatusBadRequest {
					t.Errorf("%d %s", status, text)
				}
				if refused && op.verb == http.MethodPost && !(strings.Contains(text, `"line":1`) && strings.Contains(text, `"path":"/unknownMember"`)) {
					t.Errorf("no position in %s", text)
				}
			})
		}
	}
	if posts < 5 || others < 200 {
		t.Errorf("only %d operations POST and %d others take no body", posts, others)
	}
}

// misread are queries with one parameter that a server could take for another one, or for none.
var misread = []struct {
	name  string
	query func(parameter string) string
	says  func(parameter string) []string
}{
	{name: "misspelt", query: func(p string) string { return p + p[len(p)-1:] + "=1" },
		says: func(p string) []string {
			return []string{`unknown query parameter`, p + p[len(p)-1:], "did you mean " + p + "?"}
		}},
	{name: "twice", query: func(p string) string { return p + "=a&" + p + "=b" },
		says: func(p string) []string { return []string{"the query parameter", p, "is there 2 times"} }},
	{name: "not UTF-8", query: func(p string) string { return p + "=%ff" }, says: func(p string) []string { return []string{p, "UTF-8"} }},
	{name: "empty", query: func(p string) string { return p + "=" }, says: func(p string) []string { return []string{"the query parameter " + p + " is empty"} }},
	{name: "a zero byte", query: func(p string) string { return p + "=a%00" }, says: func(p string) []string { return []string{p} }},
}

// TestQueriesOfDescription sends every parameter of every operation misspelt, twice, empty and as bytes that are no text: each is refused by
// name. Reads of the Kubernetes API, whose clients send parameters that only some servers know, warn of misspelt ones instead.
func TestQueriesOfDescription(t *testing.T) {
	w := newServer(t, rootPolicy, []string{"root"}, nil)
	cases := 0
	for _, op := range w.operations(t) {
		required := url.Values{}
		for _, q := range op.query() {
			if q.Required {
				required.Set(q.Name, requiredValues[q.Name])
			}
		}
		lenient := slices.ContainsFunc(op.query(), func(q parameter) bool { return q.Name == "pretty" })
		for _, q := range op.query() {
			for _, tt := range misread {
				if lenient || tt.name == "empty" && q.AllowEmptyValue || tt.name == "twice" && (strings.Contains(q.Description, "several times") || op.template == "/v2/work") {
					continue
				}
				cases++
				others := maps.Clone(required)
				delete(others, q.Name)
				if q.Name == "after" && op.template != "/v2/watch" && op.template != "/v2/audit" {
					others.Set("watch", "true") // which it is for
				}
				status, text := w.as(t, "root", op.verb, op.path()+"?"+tt.query(q.Name)+"&"+others.Encode(), map[bool]string{true: "{}"}[op.body])
				text = strings.ReplaceAll(text, `\"`, `"`)
				named := !slices.ContainsFunc(tt.says(q.Name), func(s string) bool { return !strings.Contains(text, s) })
				if status != http.StatusBadRequest || !named {
					t.Errorf("%s: %s %s: %d %s", op, q.Name, tt.name, status, text)
				}
			}
		}
	}
	if cases < 4000 {
		t.Errorf("only %d cases", cases)
	}
}

// requiredValues are those of parameters without which an operation refuses every query.
var requiredValues = map[string]string{"environmentId": "x/x", "context": "pipeline", "kind": "full", "id": "cluster/x"}
