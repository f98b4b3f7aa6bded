package schema_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/schema"
)

func readDocs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(root + "/docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every example of the documentation is a schema that compiles without warnings.
func TestExamplesOfTheDocumentation(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readDocs(t), -1)
	if len(blocks) < 10 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, block := range blocks {
		model, err := schema.Compile(sourcesOf(block[1]))
		if err != nil {
			t.Errorf("%v\n%s", err, block[1])
			continue
		}
		if warnings := model.Warnings(); len(warnings) > 0 {
			t.Errorf("%v\n%s", warnings, block[1])
		}
	}
}

// The documentation explains every fault that the code can find, and every field that it knows.
func TestDocumentationIsComplete(t *testing.T) {
	docs := readDocs(t)
	code, err := os.ReadFile("fault.go")
	if err != nil {
		t.Fatal(err)
	}
	faults := regexp.MustCompile(`Fault = "([a-z-]+)"`).FindAllStringSubmatch(string(code), -1)
	if len(faults) < 15 {
		t.Fatalf("%d faults", len(faults))
	}
	for _, fault := range faults {
		if !strings.Contains(docs, "\n| `"+fault[1]+"` |") {
			t.Errorf("the fault %s is not explained", fault[1])
		}
	}
	code, err = os.ReadFile("parse_resource.go")
	if err != nil {
		t.Fatal(err)
	}
	fields := regexp.MustCompile(`(?m)^\t+"([A-Za-z]+)": +func`).FindAllStringSubmatch(string(code), -1)
	if len(fields) < 25 {
		t.Fatalf("%d fields", len(fields))
	}
	for _, field := range fields {
		if !regexp.MustCompile(`\b` + field[1] + `\b`).MatchString(docs) {
			t.Errorf("the field %s is not explained", field[1])
		}
	}
}

func TestReservedPathsAreDocumented(t *testing.T) {
	want := "own endpoints are reserved: `" + strings.Join(api.Reserved(), "`, `") + "`."
	if docs := strings.Join(strings.Fields(readDocs(t)), " "); !strings.Contains(docs, want) {
		t.Errorf("docs/schema.md does not say: %s", want)
	}
}
