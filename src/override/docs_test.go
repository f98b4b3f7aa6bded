package override_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// The documentation explains every reason, path, mode and view.
func TestDocumentationIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../docs/overrides.md")
	if err != nil {
		t.Fatal(err)
	}
	docs := string(text)
	found := 0
	for _, file := range []string{"reason.go", "parameters/reason.go"} {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, reason := range regexp.MustCompile(`= +"([A-Z_]+)"`).FindAllStringSubmatch(string(code), -1) {
			found++
			if !strings.Contains(docs, "\n| `"+reason[1]+"` |") {
				t.Errorf("the reason %s is not explained", reason[1])
			}
		}
	}
	if found < 15 {
		t.Errorf("%d reasons", found)
	}
	for _, word := range append(override.Modes(), parameters.Views()...) {
		if !strings.Contains(docs, "\n| `"+word+"` |") {
			t.Errorf("%s is not explained", word)
		}
	}
	for _, endpoint := range override.New(nil, override.Options{}).Service().Endpoints {
		path := regexp.MustCompile(`\{([a-zA-Z]+)\}`).ReplaceAllString(endpoint.Path, "<$1>")
		if !strings.Contains(docs, path) {
			t.Errorf("%s is not explained", path)
		}
	}
}
