package rendering_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

var docsExample = regexp.MustCompile("(?s)```yaml\n# ([^\n]*)\n(.*?)```")

// TestWorkedSiteOfTheDocumentation renders the site that the documentation builds up to what it shows.
func TestWorkedSiteOfTheDocumentation(t *testing.T) {
	var site []string
	results := 0
	for _, example := range docsExample.FindAllStringSubmatch(string(yamlOf(t, "../../../docs/layering.md")), -1) {
		name, isResult := strings.CutPrefix(example[1], "result ")
		switch {
		case example[1] == "site":
			site = append(site, example[2])
		case example[1] == "change" || strings.HasPrefix(example[1], "kustomize "): // which other tests use
		case example[1] == "form":
			form := regexp.MustCompile(`(?m)^`).ReplaceAllString(example[2], "      ")
			document := "schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: x\n  layeringDefinition: {layer: site}\n" +
				"  substitutions:\n    -\n" + strings.TrimRight(form, " ") + "data: {}\n"
			if _, err := rendering.Parse("form", []byte(document)); err != nil {
				t.Error(err)
			}
		case isResult:
			results++
			documents, err := rendering.Parse("site.yaml", []byte(strings.Join(site, "---\n")))
			if err != nil {
				t.Fatal(err)
			}
			rendered, err := rendering.Render(documents, rendering.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(yaml.Marshal(dataOf(t, rendered, name))); got != example[2] {
				t.Errorf("%s is\n%s\nthe documentation says\n%s", name, got, example[2])
			}
		default:
			t.Errorf("an example of %q", example[1])
		}
	}
	if results != 1 {
		t.Errorf("%d results", results)
	}
}

// TestDocumentationHasEveryClass looks for each class of errors.
func TestDocumentationHasEveryClass(t *testing.T) {
	docs := string(yamlOf(t, "../../../docs/layering.md"))
	code, err := os.ReadFile("class.go")
	if err != nil {
		t.Fatal(err)
	}
	classes := regexp.MustCompile(`Class\w+ += "(\w+)"`).FindAllStringSubmatch(string(code), -1)
	if len(classes) != 13 {
		t.Fatalf("%d classes", len(classes))
	}
	for _, class := range classes {
		if !strings.Contains(docs, "\n| `"+class[1]+"` |") {
			t.Errorf("%s is not explained", class[1])
		}
	}
}
