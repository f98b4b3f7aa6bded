package rendering_test

import (
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/layeringtest"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// quirks says for each of the older engine's quirks what we do instead: the data of one document as
// JSON, or the class of the refusal.
var quirks = map[string]struct{ name, data, class string }{
	"001-delete-removes-equal-value":        {name: "site-1", data: `{"a":1}`},
	"002-delete-true-equals-one":            {name: "site-1", data: `{"a":1}`},
	"003-path-database":                     {name: "site-1", data: `{"database":{"x":1,"y":2}}`},
	"004-dollar-alone-replace":              {name: "site-1", data: `{"b":2}`},
	"005-dollar-alone-delete":               {name: "site-1", data: `{}`},
	"006-wildcard-writes-first-match":       {class: rendering.ClassInvalidDocumentFormat},
	"007-ambiguous-grandparents":            {name: "s", data: `{"r":1,"s":1}`},
	"008-scalar-parent-below-path":          {class: rendering.ClassMissingDocumentKey},
	"009-null-parent-data-below-path":       {name: "site-1", data: `{"a":1}`},
	"010-malformed-path":                    {class: rendering.ClassInvalidDocumentFormat},
	"011-recurse-pattern-is-literal":        {name: "d", data: `{"v":{"u":"x"}}`},
	"012-source-changed-without-deepcopy":   {name: "src", data: `{"a":{"k":{"z":1}},"b":5}`},
	"013-scalar-source-ignores-path":        {class: rendering.ClassSubstitutionSourceDataNotFound},
	"014-list-source-ignores-path":          {name: "d", data: `{"x":"b"}`},
	"015-dest-root-object-merges":           {name: "d", data: `{"keep":1,"n":2}`},
	"016-dest-root-falsy":                   {name: "d", data: `0`},
	"017-dest-pattern-missing-path":         {class: rendering.ClassMissingDocumentPattern},
	"018-dest-pattern-on-object":            {class: rendering.ClassMissingDocumentPattern},
	"019-dest-through-null":                 {name: "d", data: `{"x":{"y":1}}`},
	"020-pattern-source-backslash":          {name: "d", data: `{"u":"k=p\\w"}`},
	"021-pattern-bool-source":               {name: "d", data: `{"u":"k=true"}`},
	"022-src-pattern-non-string":            {class: rendering.ClassMissingDocumentPattern},
	"023-replacement-chain-abstract-middle": {class: rendering.ClassInvalidDocumentReplacement},
	"024-two-replacements-of-one-parent":    {class: rendering.ClassInvalidDocumentReplacement},
}

// TestQuirks shows that the engine does not have the quirks of the older engine.
func TestQuirks(t *testing.T) {
	all := readYAML(t, filepath.Join(vectors, "quirks.yaml"))[0].Get("quirks").Items
	if len(all) != len(quirks) {
		t.Fatalf("%d quirks, want %d", len(all), len(quirks))
	}
	for _, quirk := range all {
		id := quirk.Get("id").Text
		t.Run(id, func(t *testing.T) {
			want, ok := quirks[id]
			if !ok {
				t.Fatal("nothing is wanted of it")
			}
			values := readYAML(t, filepath.Join(vectors, "quirks", id, "documents.yaml"))
			for values := range layeringtest.Orders(values) {
				if want.class != "" {
					wantRefusal(t, values, rendering.Options{}, want.class)
					continue
				}
				rendered, err := render(values, rendering.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if got := dataOf(t, rendered, want.name); string(got.JSON()) != want.data {
					t.Errorf("%s is %s, want %s", want.name, got.JSON(), want.data)
				}
			}
		})
	}
}

// dataOf returns the rendered data of the one document of a name.
func dataOf(t testing.TB, rendered *rendering.Rendering, name string) *value.Value {
	t.Helper()
	return renderedOf(t, rendered, name).Data()
}

// renderedOf returns the one rendered document of a name.
func renderedOf(t testing.TB, rendered *rendering.Rendering, name string) *rendering.Rendered {
	t.Helper()
	var found *rendering.Rendered
	for _, r := range rendered.Documents {
		if r.Name != name {
			continue
		}
		if found != nil {
			t.Fatalf("duplicate %s", name)
		}
		found = r
	}
	if found == nil {
		t.Fatalf("%s is not there", name)
	}
	return found
}
