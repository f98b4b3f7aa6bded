package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// operation is a verb of a path of the description.
type operation struct {
	verb, template, path string
	query                []string // the parameters of its query
	headers              []string
	body                 bool // it takes one
}

// operations are those of the description, by which no test forgets a route that is new. In their paths each element is x.
func (r *running) operations(t *testing.T, token string) []operation {
	t.Helper()
	type parameter struct {
		Ref      string `json:"$ref"`
		In, Name string
	}
	var described struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Parameters map[string]parameter }
	}
	_, _, text := r.as(t, token, "GET", "/openapi.json", "")
	decode(t, text, &described)
	var all []operation
	templates := make(map[string]bool)
	for template := range described.Paths {
		templates[template] = true
	}
	for _, template := range sortedKeys(templates) {
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
			op := operation{verb: verb, template: template, path: elementOf.ReplaceAllString(template, "x"), body: o.RequestBody != nil}
			for _, p := range o.Parameters {
				if p.Ref != "" {
					p = described.Components.Parameters[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
				}
				switch p.In {
				case "query":
					op.query = append(op.query, p.Name)
				case "header":
					op.headers = append(op.headers, p.Name)
				}
			}
			all = append(all, op)
		}
	}
	return all
}

// TestBodiesOfDescription sends a body to every operation whose description has none: it is refused, so that nothing that a client
// writes there is passed over. Only a POST may have one that says nothing.
func TestBodiesOfDescription(t *testing.T) {
	server := start(t, map[string]string{"log-level": "error"})
	tests := []struct {
		name, body string
		refused    func(verb string) bool
	}{
		{name: "a member", body: `{"unknownMember": 1}`, refused: func(string) bool { return true }},
		{name: "an empty object", body: `{}`, refused: func(verb string) bool { return verb != http.MethodPost }},
	}
	var posts, others int
	for _, op := range server.operations(t, "") {
		switch {
		case op.body:
			continue
		case op.verb == http.MethodPost:
			posts++
		default:
			others++
		}
		for _, tt := range tests {
			t.Run(op.verb+" "+op.template+" "+tt.name, func(t *testing.T) {
				status, text := server.call(t, op.verb, op.path, tt.body)
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
