package rendering_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// ladder is a site in which the text of each of n documents is made of two parts of that of the one before; the first
// also has a secret, at another place.
func ladder(n int) string {
	const document = "---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: d%d\n  layeringDefinition: {layer: site}\n  substitutions:\n"
	var b strings.Builder
	b.WriteString("schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [site]}\n" +
		"---\nschema: example/Secret/v1\nmetadata: {schema: metadata/Document/v1, name: s, storagePolicy: encrypted, layeringDefinition: {layer: site}}\ndata: {x: hush}\n")
	fmt.Fprintf(&b, document+"  - {src: {schema: example/Secret/v1, name: s, path: .x}, dest: {path: .s}}\ndata: {t: zz}\n", 0)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, document, i)
		for _, part := range []string{"A", "B"} {
			fmt.Fprintf(&b, "  - {src: {schema: example/Kind/v1, name: d%d, path: .t, pattern: '^(.)', match_group: 1}, dest: {path: .t, pattern: %s}}\n", i-1, part)
		}
		b.WriteString("data: {t: AB}\n")
	}
	return b.String()
}

// The sources of a text are visited once, however many paths lead to them: here there are too many to follow each.
func TestManyWaysToASecret(t *testing.T) {
	const n = 200
	documents, err := rendering.Parse("", []byte(ladder(n)))
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range rendered.Documents {
		switch want := fmt.Sprintf(`{"t":%q}`, "zz"); {
		case d.Control || d.Encrypted:
		case d.Name == "d0":
			if got := string(d.Redacted().JSON()); got != `{"t":"zz","s":"REDACTED"}` {
				t.Errorf("d0 is %s", got)
			}
		case string(d.Redacted().JSON()) != want:
			t.Errorf("%s is %s, want %s", d.Name, d.Redacted().JSON(), want)
		}
	}
	last := rendering.ID{Schema: "example/Kind/v1", Name: fmt.Sprint("d", n-1), Layer: "site"}
	explained, err := rendered.Explain(last, ".t", false)
	if err != nil || len(explained) != 1 || explained[0].Value.Text != "zz" {
		t.Fatalf("explained as %+v: %v", explained, err)
	}
	far := 0
	for at := explained[0].Origin; at.Source != nil; at = at.Source.Origin {
		far++
	}
	if far == 0 || far >= n-1 {
		t.Errorf("it is followed through %d documents", far)
	}
}

// TestRedactedFilling redacts a document in which a substitution of a secret filled a list up.
func TestRedactedFilling(t *testing.T) {
	documents, err := rendering.Parse("", []byte(strictPolicy+`schema: example/Secret/v1
metadata: {schema: metadata/Document/v1, name: s, storagePolicy: encrypted, layeringDefinition: {layer: site}}
data: hidden
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: a
  layeringDefinition: {layer: site}
  substitutions: [{src: {schema: example/Secret/v1, name: s, path: .}, dest: {path: ".list[2].x"}}]
data: {}
`))
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range rendered.Documents {
		if d.Name == "a" {
			if got := string(d.Redacted().JSON()); got != `{"list":[{},{},{"x":"REDACTED"}]}` {
				t.Error(got)
			}
		}
	}
}
