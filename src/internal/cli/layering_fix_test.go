package cli_test

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// goodSite has only what corrections can be about.
const goodSite = `# The policy.
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [global, site], arrayIndex: element, strictParents: true}
--- # two documents
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels: {is: base}   # for the selector
  storagePolicy: cleartext
  layeringDefinition: {layer: global, abstract: true}
data: {a: 1}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: child
  storagePolicy: "encrypted"
  layeringDefinition:
    layer: site
    parentSelector: {is: base}
    actions:
      - {method: merge, path: .}
  substitutions:
    - src: {schema: example/Kind/v1, name: other, path: .b}
      dest: {path: .c}
data: {a: 2}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: other, layeringDefinition: {layer: site}}
data: {b: 1}
`

// TestFixOfMisspellings misspells one word of layering after another: what is corrected is the text as it was, byte by byte, and what
// is not corrected is refused.
func TestFixOfMisspellings(t *testing.T) {
	words := []string{"arrayIndex", "strictParents", "layerOrder", "element", "layeringDefinition", "abstract", "storagePolicy", "cleartext", "encrypted",
		"parentSelector", "actions", "method", "merge", "substitutions", "metadata:", "labels", "dest", "path"}
	t.Chdir(t.TempDir())
	corrected := 0
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.SampledFrom(words).Draw(r, "word")
		times := strings.Count(goodSite, word)
		from := 0
		for range rapid.IntRange(1, times).Draw(r, "which") {
			from += strings.Index(goodSite[from:], word) + 1
		}
		at := from - 1 + rapid.IntRange(0, len(strings.TrimSuffix(word, ":"))-1).Draw(r, "letter")
		text := goodSite[:at] + rapid.SampledFrom([]string{"", "x", goodSite[at:at+1] + goodSite[at:at+1], strings.ToUpper(goodSite[at : at+1])}).Draw(r, "instead") + goodSite[at+1:]
		if err := os.WriteFile("site.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, code := runCommand(t.Context(), t, cli.Deps{}, "dovetail layering lint -f site.yaml --fix")
		fixed, err := os.ReadFile("site.yaml")
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case string(fixed) == goodSite && code == 0:
			corrected++
		case code == 0:
			r.Errorf("accepted:\n%s%s%s", stdout, stderr, unifiedOf(text, string(fixed)))
		case string(fixed) != text:
			r.Errorf("corrected to something else:\n%s%s%s", stdout, stderr, unifiedOf(text, string(fixed)))
		}
	})
	if corrected < 50 {
		t.Errorf("%d of 100 corrected", corrected)
	}
}

func unifiedOf(a, b string) string { return cli.Unified("before", "after", a, b) }
