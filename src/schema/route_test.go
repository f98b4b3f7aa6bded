package schema_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/schema"
)

// A kind at a reserved path would hide an endpoint of the server, or be hidden by it.
func TestReservedPaths(t *testing.T) {
	for _, word := range api.Reserved() {
		for name, text := range map[string]string{
			"path":              "resources:\n- name: thing\n  path: " + word,
			"longer path":       "resources:\n- name: thing\n  path: " + word + "/things",
			"second collection": "resources:\n- name: thing\n  collections: [{path: things}, {path: " + word + "}]",
			"alias":             "resources:\n- name: thing\n  alias: " + word,
			"below an abstract kind": "resources:\n- name: area\n  abstract: true\n  path: " + word +
				"\n- name: thing\n  parent: area",
		} {
			_, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(text)}})
			if err == nil || !strings.Contains(err.Error(), "an endpoint that every server has") {
				t.Errorf("%s %s: got %v, want an error that names the endpoint", name, word, err)
			}
		}
	}
}

// The words are free below a parent, and a kind of such a name gets no singular path that would hide an endpoint.
func TestReservedWordsElsewhere(t *testing.T) {
	for _, word := range api.Reserved() {
		model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(
			"resources:\n- name: site\n- name: thing\n  parent: site\n  path: " + word + "\n- name: " + word + "\n  path: other-" + word)}})
		if err != nil {
			t.Errorf("%s: %v", word, err)
			continue
		}
		kind, _ := model.Kind(word)
		if alias := kind.Collections[0].Alias; alias != "" {
			t.Errorf("the kind %s has the singular path /%s", word, alias)
		}
	}
}
