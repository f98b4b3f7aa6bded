package artifact_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
)

// The documentation explains every reason.
func TestDocumentationIsComplete(t *testing.T) {
	docs, err := os.ReadFile("../../../../docs/solution-descriptors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range artifact.Reasons() {
		if !strings.Contains(string(docs), "\n| `"+reason+"` |") {
			t.Errorf("the reason %s is not explained", reason)
		}
	}
}
