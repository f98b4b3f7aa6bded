package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

var (
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")
	fileBlock    = regexp.MustCompile("(?s)```yaml\n# ([^\n]+)\n(.*?)```")
)

// replay runs the commands of the console blocks of a page and returns the page with what they put out.
func replay(t *testing.T, deps cli.Deps, page string) string {
	t.Helper()
	return consoleBlock.ReplaceAllStringFunc(page, func(block string) string {
		var out strings.Builder
		for line := range strings.Lines(consoleBlock.FindStringSubmatch(block)[1]) {
			if command, is := strings.CutPrefix(line, "$ "); is {
				stdout, stderr, _ := runCommand(t.Context(), t, deps, strings.TrimSuffix(command, "\n"))
				out.WriteString(line + stderr + stdout)
			}
		}
		return "```console\n" + out.String() + "```"
	})
}

// Every command of the session in docs/instance-repository.md puts out what stands there, and the files
// become what it says.
func TestInstanceRepositoryDocumentation(t *testing.T) {
	name, err := filepath.Abs("../../../docs/instance-repository.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, session, found := strings.Cut(string(text), "\n## A worked session\n")
	if !found {
		t.Fatal("there is no session")
	}
	session, attached, _ := strings.Cut(session, "\n## ")
	t.Chdir(t.TempDir())
	after := make(map[string]string)
	for _, m := range fileBlock.FindAllStringSubmatch(session, -1) {
		if file, is := strings.CutPrefix(m[1], "after "); is {
			after[file] = m[2]
		} else if strings.Contains(m[1], "/") {
			writeFile(t, filepath.Join("instance-repo", filepath.FromSlash(m[1])), m[2])
		} else {
			writeFile(t, m[1], m[2])
		}
	}
	deps := builtIn(t, false)
	got := replay(t, deps, session)
	for file, want := range after {
		if text, err := os.ReadFile(filepath.Join("instance-repo", filepath.FromSlash(file))); err != nil || string(text) != want {
			t.Errorf("%s is\n%s(%v), want\n%s", file, text, err, want)
		}
	}
	if *update {
		whole := strings.Replace(string(text), session, got, 1)
		if err := os.WriteFile(name, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != session || attached == "" {
		t.Errorf("the session puts out something else:\n%s", difference(session, got))
	}
}
