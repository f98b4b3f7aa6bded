package rendering_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// TestLinks shows what documents refer to, also when some of them cannot be rendered.
func TestLinks(t *testing.T) {
	documents, err := rendering.Parse("site.yaml", []byte(policy+network+`
---
schema: example/Network/v1
metadata:
  schema: metadata/Document/v1
  name: network-global
  replacement: true
  layeringDefinition: {layer: site, parentSelector: {network: all}, actions: [{method: merge, path: .}]}
data: {}
---
schema: example/Chart/v1
metadata:
  schema: metadata/Document/v1
  name: chart
  layeringDefinition: {layer: site}
  substitutions:
    - src: {schema: example/Network/v1, name: network, path: .}
      dest: {path: .a}
    - src: {schema: example/Network/v1, name: network-global, path: .}
      dest: {path: .b}
    - src: {schema: example/Network/v1, name: network, path: .}
      dest: {path: .c}
    - src: {schema: example/Network/v1, name: absent, path: .}
      dest: {path: .d}
data: {}
`))
	if err != nil {
		t.Fatal(err)
	}
	byID := func(name, layer string) *rendering.Document {
		return documents[slices.IndexFunc(documents, func(d *rendering.Document) bool { return d.Name == name && d.Layer == layer })]
	}
	global, replacement := byID("network-global", "global"), byID("network-global", "site")
	site := rendering.Resolve(documents, rendering.Options{})
	if site.Policy() != documents[0] {
		t.Errorf("the policy is %v", site.Policy())
	}
	tests := []struct {
		name string
		of   *rendering.Document
		want rendering.Links
	}{
		{name: "control document", of: documents[0]},
		{name: "no parent", of: global, want: rendering.Links{Policy: documents[0]}},
		{name: "parent that is replaced", of: byID("network", "site"), want: rendering.Links{Policy: documents[0], Parent: global}},
		{name: "replacement", of: replacement, want: rendering.Links{Policy: documents[0], Parent: global, Replaces: global}},
		{name: "sources, one of them missing", of: byID("chart", "site"), want: rendering.Links{Policy: documents[0], Sources: []*rendering.Document{byID("network", "site"), replacement}}},
		{name: "of another site", of: &rendering.Document{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := site.Links(test.of)
			if got.Policy != test.want.Policy || got.Parent != test.want.Parent || got.Replaces != test.want.Replaces || !slices.Equal(got.Sources, test.want.Sources) {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
	_, err = site.Render()
	if e := dovetail.AsError(err); e == nil || e.Reason != rendering.ClassSubstitutionSourceNotFound || e.Code != dovetail.CodeMissing {
		t.Errorf("rendered with %v", err)
	}
	if _, again := site.Render(); again != err {
		t.Errorf("rendered again with %v", again)
	}
}

// TestConflicts finds what cannot be together.
func TestConflicts(t *testing.T) {
	const document = `
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: %, layeringDefinition: {layer: site}}
data: {}
`
	tests := []struct {
		name, text, class string
		code              dovetail.Code
	}{
		{name: "nothing", text: policy + network},
		{name: "two documents", text: strings.ReplaceAll(document, "%", "a") + strings.ReplaceAll(document, "%", "b")},
		{name: "one document twice", text: strings.Repeat(document, 2), class: rendering.ClassDuplicateDocumentExists, code: dovetail.CodeExists},
		{name: "two policies", text: policy + strings.ReplaceAll(policy, "layering-policy", "another"), class: rendering.ClassSingletonDocumentConflict, code: dovetail.CodeConflict},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			documents, err := rendering.Parse("", []byte(strings.ReplaceAll(test.text, "%", "a")))
			if err != nil {
				t.Fatal(err)
			}
			found := rendering.Conflicts(documents).Kept()
			_, err = rendering.Render(documents, rendering.Options{})
			if test.class == "" {
				if len(found) > 0 {
					t.Errorf("found %v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Reason != test.class || found[0].Code != test.code || dovetail.AsError(err).Reason != test.class {
				t.Errorf("found %v, rendered with %v", found, err)
			}
		})
	}
}

// TestWithoutPolicy shows that control documents alone need none.
func TestWithoutPolicy(t *testing.T) {
	for _, test := range []struct{ name, text, class string }{
		{name: "nothing at all"},
		{name: "a data schema", text: "schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: a/B/v1}\ndata: {type: object}\n"},
		{name: "an application document", text: network, class: rendering.ClassLayeringPolicyNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			documents, err := rendering.Parse("", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			_, err = rendering.Render(documents, rendering.Options{})
			switch {
			case test.class == "" && err != nil:
				t.Error(err)
			case test.class != "" && (err == nil || dovetail.AsError(err).Reason != test.class || len(parts(err)) != 1):
				t.Errorf("%v, want %s", err, test.class)
			}
		})
	}
}
