package rendering_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

const inputsSite = `schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [global, site]}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: parent, labels: {k: v}, layeringDefinition: {layer: global}}
data: {a: 1}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: parent
  replacement: true
  layeringDefinition: {layer: site, parentSelector: {k: v}, actions: [{method: merge, path: .}]}
data: {a: 2}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: child
  layeringDefinition: {layer: site, parentSelector: {k: v}, actions: [{method: merge, path: .}]}
data: {b: 1}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: reader
  layeringDefinition: {layer: site}
  substitutions:
  - {src: {schema: example/Kind/v1, name: child, path: .a}, dest: {path: .a}}
  - {src: {schema: deckhand/Passphrase/v1, name: secret, path: .}, dest: {path: .s}}
data: {c: 1}
---
schema: deckhand/Passphrase/v1
metadata: {schema: metadata/Document/v1, name: secret, storagePolicy: encrypted, layeringDefinition: {layer: site}}
data: hush
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: alone, layeringDefinition: {layer: site}}
data: {}
`

func parseSite(t *testing.T, text string) []*rendering.Document {
	t.Helper()
	documents, err := rendering.Parse("site.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return documents
}

func TestInputs(t *testing.T) {
	documents := parseSite(t, inputsSite)
	site := rendering.Resolve(documents, rendering.Options{})
	want := map[string]string{
		"policy ":       "policy ",
		"parent global": "policy , parent global",
		"parent site":   "policy , parent global, parent site",
		"child site":    "policy , child site, parent global, parent site",
		"reader site":   "policy , secret site, child site, parent global, parent site, reader site",
		"secret site":   "policy , secret site",
		"alone site":    "policy , alone site",
	}
	for _, d := range documents {
		var got []string
		for _, id := range site.Inputs(d) {
			got = append(got, id.Name+" "+id.Layer)
		}
		if name := d.Name + " " + d.Layer; strings.Join(got, ", ") != want[name] {
			t.Errorf("%s is made of %q, want %q", name, strings.Join(got, ", "), want[name])
		}
	}
	stranger := parseSite(t, inputsSite)[0]
	if got := site.Inputs(stranger); got != nil {
		t.Errorf("a document of another site is made of %v", got)
	}
}

// Derived agrees with Inputs, on every site: also on those with circles, and with parents and sources that do not exist.
func TestDerivedAgreesWithInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		documents, err := rendering.Read("", drawSite(t))
		if err != nil {
			t.Fatal(err)
		}
		site := rendering.Resolve(documents, rendering.Options{})
		chosen := make(map[rendering.ID]bool)
		for _, d := range documents {
			chosen[d.ID] = rapid.IntRange(0, 3).Draw(t, "chosen") == 0
		}
		derived := site.Derived(func(d *rendering.Document) bool { return chosen[d.ID] })
		for _, d := range documents {
			if want := slices.ContainsFunc(site.Inputs(d), func(id rendering.ID) bool { return chosen[id] }); derived[d.ID] != want {
				t.Fatalf("%s: %v, want %v, of %v", d.ID, derived[d.ID], want, site.Inputs(d))
			}
		}
	})
}

// What renders, renders the same with only its inputs there: nothing else went into it.
func TestInputsAreEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		documents, whole := drawRendering(t)
		site := rendering.Resolve(documents, rendering.Options{})
		for _, d := range whole.Documents {
			if d.Control {
				continue
			}
			var some []*rendering.Document
			for _, input := range site.Inputs(d.Document) {
				some = append(some, documents[slices.IndexFunc(documents, func(d *rendering.Document) bool { return d.ID == input })])
			}
			part, err := rendering.Render(some, rendering.Options{})
			if err != nil {
				t.Fatalf("%s: %v", d.ID, err)
			}
			i := slices.IndexFunc(part.Documents, func(r *rendering.Rendered) bool { return r.ID == d.ID })
			if i < 0 || string(part.Documents[i].Data().JSON()) != string(d.Data().JSON()) {
				t.Fatalf("%s is another one with its inputs only", d.ID)
			}
		}
	})
}

// A rendering that is stopped leaves nothing behind: the next one is whole.
func TestRenderingStops(t *testing.T) {
	want, err := rendering.Render(parseSite(t, inputsSite), rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	for after := range 2 * 7 {
		site := rendering.Resolve(parseSite(t, inputsSite), rendering.Options{})
		for range 2 {
			left := after
			if _, err := site.RenderUntil(func() error {
				if left--; left < 0 {
					return gone
				}
				return nil
			}); !errors.Is(err, gone) {
				t.Fatalf("stopped after %d: %v", after, err)
			}
		}
		got, err := site.Render()
		if err != nil || len(got.Documents) != len(want.Documents) {
			t.Fatalf("stopped after %d, then %v", after, err)
		}
		for i, d := range got.Documents {
			if string(d.Data().JSON()) != string(want.Documents[i].Data().JSON()) {
				t.Errorf("stopped after %d, %s is %s", after, d.ID, d.Data().JSON())
			}
		}
	}
}

// Who sees no secrets does not learn by a difference whether one is equal to a value that they know.
func TestDiffRedacted(t *testing.T) {
	render := func(text string) *rendering.Rendering {
		r, err := rendering.Render(parseSite(t, text), rendering.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	secret := render(inputsSite)
	guess := func(text string) *rendering.Rendering {
		return render(strings.Replace(strings.Replace(inputsSite, "data: {c: 1}", "data: {c: 1, s: "+text+"}", 1),
			"  - {src: {schema: deckhand/Passphrase/v1, name: secret, path: .}, dest: {path: .s}}\n", "", 1))
	}
	for _, text := range []string{"hush", "rush"} {
		if paths := differing(rendering.DiffRedacted(secret, guess(text))); paths != "/metadata/substitutions/1 /data/s " {
			t.Errorf("%s: %s", text, paths)
		}
	}
	if paths := differing(rendering.Diff(secret, guess("hush"))); paths != "/metadata/substitutions/1 " {
		t.Errorf("in clear: %s", paths)
	}
	if diff := rendering.DiffRedacted(secret, render(strings.Replace(inputsSite, "hush", "rush", 1))); len(diff) != 0 {
		t.Errorf("another secret: %+v", diff)
	}
}

// differing lists the paths of all values that differ.
func differing(all []rendering.Difference) string {
	var paths strings.Builder
	for _, d := range all {
		for _, v := range d.Values {
			paths.WriteString(v.Path + " ")
		}
	}
	return paths.String()
}
