package instancerepo

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The documentation has the layout as it is, and every reason.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/instance-repository.md")
	if err != nil {
		t.Fatal(err)
	}
	docs := string(text)
	rows := 0
	for _, p := range places {
		row := "| `" + p.path + "` | " + p.kind + " |"
		if !strings.Contains(docs, row) {
			t.Errorf("there is no row %s", row)
		}
	}
	for range strings.Lines(docs[strings.Index(docs, "| file |"):strings.Index(docs, "Folders of clusters")]) {
		rows++
	}
	if want := len(places) + 3; rows != want { // with the head, and a blank line
		t.Errorf("%d rows, want %d", rows, want)
	}
	source, err := os.ReadFile("reason.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range regexp.MustCompile(`"(REPO_\w+)"`).FindAllStringSubmatch(string(source), -1) {
		if !strings.Contains(docs, "`"+reason[1]+"`") {
			t.Errorf("%s is not explained", reason[1])
		}
	}
}
