package cli_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// TestConsoleOfLayeringDocs runs the commands that the documentation shows on the site that it builds up.
func TestConsoleOfLayeringDocs(t *testing.T) {
	text, err := os.ReadFile("../../../docs/layering.md")
	if err != nil {
		t.Fatal(err)
	}
	var site []string
	for _, example := range regexp.MustCompile("(?s)```yaml\n# site\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		site = append(site, example[1])
	}
	change := regexp.MustCompile("(?s)```yaml\n# change\n(.*?)```").FindStringSubmatch(string(text))
	if change == nil {
		t.Fatal("no change")
	}
	t.Chdir(t.TempDir())
	writeFile(t, "site.yaml", strings.Join(site, "---\n"))
	writeFile(t, "change.yaml", change[1])
	examples := regexp.MustCompile("(?s)```console\n\\$ ([^\n]*)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(examples) != 4 {
		t.Errorf("%d examples", len(examples))
	}
	for _, example := range examples {
		stdout, stderr, code := runCommand(t.Context(), t, cli.Deps{}, example[1])
		if stdout != example[2] || stderr != "" || code != 0 {
			t.Errorf("%s puts out (%d)\n%s%s", example[1], code, stdout, stderr)
		}
	}
}
