package rendering_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
	"github.com/dovetail-store/dovetail/src/value"
)

const absenceSite = `
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [global, region, site]}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: top
  labels: {role: top, size: big}
  layeringDefinition: {layer: global, abstract: true}
data: {a: 1, b: {c: 2, d: 3}, list: [one, two], text: plain, z: 9}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: leaf
  layeringDefinition:
    layer: site
    parentSelector: {role: top}
    actions:
    - {method: merge, path: .a}
    - {method: delete, path: .b.c}
    - {method: delete, path: '.list[0]'}
    - {method: replace, path: .z}
  substitutions:
  - {src: {schema: example/Kind/v1, name: source, path: .v}, dest: {path: .text, pattern: MISSING}}
  - {src: {schema: example/Secret/v1, name: secret, path: .p}, dest: {path: .z}}
data: {a: 5, z: 8, own: 7}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: source, labels: {role: source}, layeringDefinition: {layer: site}}
data: {v: 1}
---
schema: example/Secret/v1
metadata: {schema: metadata/Document/v1, name: secret, storagePolicy: encrypted, layeringDefinition: {layer: site}}
data: {p: hush}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: orphan
  layeringDefinition:
    layer: region
    parentSelector: {role: top, size: large}
    actions: [{method: merge, path: .}]
data: {x: 1}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: broken
  layeringDefinition:
    layer: region
    parentSelector: {role: top}
    actions: [{method: merge, path: .nothing}]
data: {x: 1}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: old, labels: {role: old}, layeringDefinition: {layer: global}}
data: {x: 1}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: old
  replacement: true
  layeringDefinition:
    layer: site
    parentSelector: {role: old}
    actions: [{method: replace, path: .}]
data: {x: 1, list: [new]}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: longer
  layeringDefinition:
    layer: site
    parentSelector: {role: top}
    actions: [{method: merge, path: '.list[0]'}]
data: {list: [three]}
`

func TestWhyNot(t *testing.T) {
	documents, err := rendering.Parse("site.yaml", []byte(absenceSite))
	if err != nil {
		t.Fatal(err)
	}
	site := rendering.Resolve(documents, rendering.Options{})
	tests := []struct {
		name, document, path string
		want                 string // causes, with the value that did not arrive, what came instead, and the nearest candidate
		value                string
	}{
		{"overridden", "leaf/site", ".a", "overridden .a 1 by merge 1 with 5", "5"},
		{"deleted", "leaf/site", ".b", "deleted .b.c 2 by delete 2", `{"d":3}`},
		{"deleted item", "leaf/site", ".list[0]", `deleted .list[0] "one" by delete 3`, `"two"`},
		{"moved up", "leaf/site", ".list[1]", "deleted by delete 3", ""},
		{"without an action", "leaf/site", ".own", "no-action .own 7", ""},
		{"overwritten by a secret", "leaf/site", ".z", `overridden .z 8 by substitute 2 with "REDACTED"; overridden .z 9 by replace 4 with 8`, `"REDACTED"`},
		{"a pattern without a match", "leaf/site", ".text", "pattern", `"plain"`},
		{"never set", "leaf/site", ".b.e", "unset", ""},
		{"below a number", "leaf/site", ".a.b", "unset", ""},
		{"no parent", "orphan/region", ".b.c", `no-parent, not top: its label size is "big", not "large"`, ""},
		{"no parent, though there is a value", "orphan/region", ".x", `no-parent, not top: its label size is "big", not "large"`, "1"},
		{"abstract", "top/global", ".a", "abstract", "1"},
		{"replaced", "old/global", ".list", "replaced; unset", ""},
		{"replaced as a whole", "old/site", ".", "", `{"x":1,"list":["new"]}`},
		{"appended", "longer/site", ".list[0]", `appended .list[0] "three"`, `"one"`},
		{"refused", "broken/region", ".x", "refused", ""},
		{"no selector", "source/site", ".a", "not-selected, not top: ", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			name, layer, _ := strings.Cut(test.document, "/")
			absence, err := site.WhyNot(rendering.ID{Schema: "example/Kind/v1", Name: name, Layer: layer}, test.path, false)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range absence.Reasons {
				if r.Message != "the site is not rendered, because other documents are refused" {
					got = append(got, describeReason(r))
				}
			}
			if all := strings.Join(got, "; "); all != test.want {
				t.Errorf("got  %s\nwant %s", all, test.want)
			}
			if there := string(jsonOf(absence.Value)); there != test.value {
				t.Errorf("there is %s, want %s", there, test.value)
			}
		})
	}
}

func jsonOf(v *value.Value) []byte {
	if v == nil {
		return nil
	}
	return v.JSON()
}

func describeReason(r rendering.Reason) string {
	words := []string{string(r.Cause)}
	if r.Value != nil {
		words = append(words, r.Path, string(r.Value.JSON()))
	}
	if r.By != nil {
		words = append(words, "by", r.By.How, string(rune('0'+r.By.Number)))
	}
	if r.With != nil {
		words = append(words, "with", string(r.With.JSON()))
	}
	text := strings.Join(words, " ")
	if len(r.Candidates) > 0 {
		text += ", not " + r.Candidates[0].Document.Name + ": " + strings.Join(r.Candidates[0].Differs, ", ")
	}
	return text
}

func TestWhyNotRefuses(t *testing.T) {
	documents, err := rendering.Parse("site.yaml", []byte(absenceSite))
	if err != nil {
		t.Fatal(err)
	}
	site := rendering.Resolve(documents, rendering.Options{})
	tests := []struct {
		name, document, path string
		want                 dovetail.Code
	}{
		{"no such document", "other", ".a", dovetail.CodeNotFound},
		{"no path", "leaf", "a b", dovetail.CodeInvalid},
		{"several places", "leaf", ".*", dovetail.CodeInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := site.WhyNot(rendering.ID{Schema: "example/Kind/v1", Name: test.document, Layer: "site"}, test.path, false); dovetail.CodeOf(err) != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

// TestNothingIsLostWithoutAReason asks about each value that a document inherits and does not have, and looks for secrets in the answers.
func TestNothingIsLostWithoutAReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		documents, rendered := drawRendering(t)
		site := rendering.Resolve(documents, rendering.Options{})
		data := map[rendering.ID]*value.Value{}
		for _, r := range rendered.Documents {
			data[r.ID] = r.Data()
		}
		for _, d := range documents {
			absence, err := site.WhyNot(d.ID, ".", false)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(absence)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), secret) {
				t.Fatalf("%s shows a secret: %s", d.ID, text)
			}
			parent := site.Links(d).Parent
			if parent == nil || data[d.ID] == nil {
				continue
			}
			inherited := data[parent.ID]
			if of := site.Links(parent); of.Parent == nil && len(of.Sources) == 0 {
				inherited = parent.Data() // which is rendered even if it is abstract or replaced
			}
			if inherited == nil || inherited.Kind == value.Null { // which counts as an empty map
				continue
			}
			for _, leaf := range rendering.Leaves(inherited) {
				absence, err := site.WhyNot(d.ID, leaf.Path, true)
				if err != nil {
					t.Fatal(err)
				}
				if absence.Value != nil && value.Equal(absence.Value, leaf.Value) {
					continue
				}
				if len(absence.Reasons) == 0 || absence.Reasons[0].Cause == rendering.CauseUnset {
					t.Fatalf("%s of %s has no reason not to arrive in %s: %+v", leaf.Path, parent.ID, d.ID, absence)
				}
			}
		}
	})
}

// TestManyWhyNot has several ask at once: all hear the same.
func TestManyWhyNot(t *testing.T) {
	documents, err := rendering.Parse("", sitegen.Site(100))
	if err != nil {
		t.Fatal(err)
	}
	site := rendering.Resolve(documents, rendering.Options{})
	var heard [4]string
	var wait sync.WaitGroup
	for i := range heard {
		wait.Go(func() {
			for _, d := range documents {
				absence, err := site.WhyNot(d.ID, ".obsolete", false)
				if err != nil {
					t.Errorf("%s: %v", d.ID, err)
				}
				text, err := json.Marshal(absence)
				if err != nil {
					t.Error(err)
				}
				heard[i] += string(text)
			}
		})
	}
	wait.Wait()
	for i := range heard {
		if heard[i] != heard[0] || !strings.Contains(heard[i], `"cause":"deleted"`) {
			t.Errorf("%d hears %d bytes, another %d", i, len(heard[i]), len(heard[0]))
		}
	}
}
