package resolution_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution"
)

var worked = regexp.MustCompile("(?s)```yaml\n(.*?)```\n```text\n(.*?)```")

// TestDocs resolves the examples of the documentation.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/resolution.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := worked.FindAllStringSubmatch(string(text), -1)
	if len(examples) != 5 {
		t.Fatalf("%d examples, want 5", len(examples))
	}
	for _, example := range examples {
		problem, err := parse(document(t, example[1]))
		if err != nil {
			t.Fatal(err)
		}
		out, err := resolution.Resolve(t.Context(), problem, resolution.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := out.Message
		if out.Resolved() {
			got = strings.Join(names(out.Selections), "\n")
		}
		if got != strings.TrimSpace(example[2]) {
			t.Errorf("got %s\nwant %s", got, example[2])
		}
	}
}
