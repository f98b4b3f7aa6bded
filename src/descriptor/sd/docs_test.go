package sd_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
)

func readDocs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/solution-descriptors.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The results that the documentation shows are what comes out, comments included.
func TestExamplesOfTheDocumentation(t *testing.T) {
	var full, delta, fullText string
	results := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n# ([^\n]*)\n(.*?)```").FindAllStringSubmatch(readDocs(t), -1) {
		what, text := block[1], block[2]
		mode, isResult := strings.CutPrefix(what, "result of ")
		switch {
		case what == "forms":
			if err := parse(t, what, text).Check(sd.Replace); err != nil {
				t.Error(err)
			}
		case what == "full":
			full, fullText = what, text
		case what == "delta":
			delta = text
		case isResult:
			results++
			m, err := sd.ParseMode(mode)
			if err != nil {
				t.Fatal(err)
			}
			descr := parse(t, full, fullText)
			merged, err := sd.Merge(m, descr, parse(t, "delta", delta))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(yaml.Edit([]byte(fullText), descr.Value(), merged.Descriptor.Value())); got != text {
				t.Errorf("%s makes\n%s\nthe documentation says\n%s", mode, got, text)
			}
		default:
			t.Errorf("an example of %q", what)
		}
	}
	if results != 3 {
		t.Errorf("%d results", results)
	}
}

// The documentation explains every reason, parameter and mode.
func TestDocumentationIsComplete(t *testing.T) {
	docs := readDocs(t)
	code, err := os.ReadFile("reason.go")
	if err != nil {
		t.Fatal(err)
	}
	reasons := regexp.MustCompile(`= "(SD_[A-Z_]+)"`).FindAllStringSubmatch(string(code), -1)
	if len(reasons) < 20 {
		t.Fatalf("%d reasons", len(reasons))
	}
	for _, reason := range reasons {
		if !strings.Contains(docs, "\n| `"+reason[1]+"` |") {
			t.Errorf("the reason %s is not explained", reason[1])
		}
	}
	_, parameters, _ := strings.Cut(docs, "\n## Parameters\n")
	for _, name := range sd.ParamNames() {
		if !strings.Contains(parameters, "`"+name+"`") {
			t.Errorf("the parameter %s is not explained", name)
		}
	}
	for _, mode := range sd.Modes() {
		if !strings.Contains(docs, "\n### "+string(mode)+"\n") {
			t.Errorf("the mode %s is not explained", mode)
		}
	}
}
