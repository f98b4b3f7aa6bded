package rendering_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// TestLimits refuses documents that grow with every step, before they fill the memory.
func TestLimits(t *testing.T) {
	tests := []struct {
		name, data, first, second, message string
	}{
		{name: "values", data: "{}", first: "{path: .a}", second: "{path: .b}", message: "more than 2000000 values"},
		{name: "texts", data: "AAAAAAAA", first: "{path: ., pattern: A}", second: "{path: ., pattern: never}", message: "bytes after replacing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString(policy)
			for i := range 40 {
				fmt.Fprintf(&b, "---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: d%d\n  layeringDefinition: {layer: site}\n", i)
				if i > 0 {
					fmt.Fprintf(&b, "  substitutions:\n    - src: {schema: example/Kind/v1, name: d%d, path: .}\n      dest: [%s, %s]\n", i-1, test.first, test.second)
				}
				fmt.Fprintf(&b, "data: %s\n", test.data)
			}
			documents, err := rendering.Parse("", []byte(b.String()))
			if err != nil {
				t.Fatal(err)
			}
			_, err = rendering.Render(documents, rendering.Options{})
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("%v, want %s", err, test.message)
			}
		})
	}
}

// TestManyFaults checks a site of very many documents with an error in each: the first hundred are described, the
// others counted, by every check, and the number of documents in a single message is limited.
func TestManyFaults(t *testing.T) {
	const n = 1000
	document := func(name, layer, rest string) string {
		return fmt.Sprintf("---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: %s\n  layeringDefinition:\n    layer: %s\n%s", name, layer, rest)
	}
	const selects = "    parentSelector: {k: v}\n    actions: [{method: merge, path: .}]\n"
	source := func(name string) string {
		return "  substitutions:\n    - src: {schema: example/Kind/v1, name: " + name + ", path: .a}\n      dest: {path: .b}\n"
	}
	schema := "---\nschema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: example/Kind/v1}\ndata: {properties: {a: {type: string}}}\n"
	tests := []struct {
		name, before string
		each         func(i int) string
		total        int
		class        string
		warns        bool
	}{
		{name: "unknown layers", each: func(i int) string { return document(fmt.Sprint("d", i), "none", "data: {}\n") },
			total: n, class: rendering.ClassInvalidDocumentLayer},
		{name: "missing sources", each: func(i int) string { return document(fmt.Sprint("d", i), "site", source("none")+"data: {}\n") },
			total: n, class: rendering.ClassSubstitutionSourceNotFound},
		{name: "missing values", before: document("s", "site", "data: {}\n"),
			each:  func(i int) string { return document(fmt.Sprint("d", i), "site", source("s")+"data: {}\n") },
			total: n, class: rendering.ClassSubstitutionSourceDataNotFound},
		{name: "ambiguous parents", before: document("p", "global", "  labels: {k: v}\ndata: {}\n") + document("q", "global", "  labels: {k: v}\ndata: {}\n"),
			each:  func(i int) string { return document(fmt.Sprint("d", i), "site", selects+"data: {}\n") },
			total: n, class: rendering.ClassIndeterminateDocumentParent},
		{name: "ambiguous parents, each of the others", before: document("d", "site", selects+"data: {}\n"),
			each:  func(i int) string { return document(fmt.Sprint("p", i), "global", "  labels: {k: v}\ndata: {}\n") },
			total: 1, class: rendering.ClassIndeterminateDocumentParent},
		{name: "replacements of nothing", each: func(i int) string { return document(fmt.Sprint("d", i), "site", "  replacement: true\ndata: {}\n") },
			total: n, class: rendering.ClassInvalidDocumentReplacement},
		{name: "duplicates", before: document("d", "site", "data: {}\n"), each: func(int) string { return document("d", "site", "data: {}\n") },
			total: n, class: rendering.ClassDuplicateDocumentExists},
		{name: "circles", each: func(i int) string {
			return document(fmt.Sprint("d", i), "site", source(fmt.Sprint("d", i))+"data: {}\n")
		},
			total: n, class: rendering.ClassSubstitutionDependencyCycle},
		{name: "one circle", each: func(i int) string {
			return document(fmt.Sprint("d", i), "site", source(fmt.Sprint("d", (i+1)%n))+"data: {}\n")
		},
			total: 1, class: rendering.ClassSubstitutionDependencyCycle},
		{name: "invalid data", before: schema, each: func(i int) string { return document(fmt.Sprint("d", i), "site", "data: {a: 1}\n") },
			total: n, class: rendering.ClassInvalidDocumentFormat},
		{name: "warnings of linking", each: func(i int) string {
			return document(fmt.Sprint("d", i), "site", selects+"  labels: {k: v}\ndata: {}\n")
		},
			total: n, class: rendering.ClassInvalidDocumentParent, warns: true},
		{name: "warnings of rendering", before: document("s", "site", "data: {a: x}\n"),
			each: func(i int) string {
				return document(fmt.Sprint("d", i), "site", strings.Replace(source("s"), "path: .a", "path: .a, pattern: (y), match_group: 1", 1)+"data: {}\n")
			},
			total: n, class: rendering.ClassMissingDocumentPattern, warns: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString(policy + test.before)
			for i := range n {
				b.WriteString(test.each(i))
			}
			documents, err := rendering.Parse("", []byte(b.String()))
			if err != nil {
				t.Fatal(err)
			}
			rendered, err := rendering.Render(documents, rendering.Options{})
			var found dovetail.Errors
			if found.Join(err); err == nil {
				found.Merge(&rendered.Warnings)
			}
			if (err == nil) != test.warns || found.Total() != test.total || len(found.Kept()) != min(test.total, dovetail.MaxErrors) {
				t.Fatalf("%d of %d: %.2000v", len(found.Kept()), found.Total(), err)
			}
			for _, e := range found.Kept() {
				if e.Reason != test.class || len(e.Message) > 2000 {
					t.Fatalf("%s of %d bytes: %.500s", e.Reason, len(e.Message), e.Message)
				}
			}
		})
	}
}
