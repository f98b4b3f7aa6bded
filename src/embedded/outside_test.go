package embedded_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/embedded"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// smaller leaves out of a program what only debuggers need, which takes a third of the time of linking.
const smaller = "-ldflags=-s -w"

// TestOutside builds and runs a module outside the repository, which can import no internal package: a program that embeds a store
// and talks to a server, and a backend of its own with its conformance test.
func TestOutside(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles another module")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/outside")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	writeModule(t, dir, root)

	s := mustOpen(t, embedded.Options{Schema: catalog})
	api := httpapi.New(s.Engine(), httpapi.Options{})
	server := httptest.NewServer(api)
	defer server.Close()
	defer api.Close()

	got := runGo(t, dir, "run", smaller, ".", server.URL)
	const want = "embedded: in-use [service/api]\nclient: in-use [service/api]\nservice/api team/core\nservice/api team/core\n"
	if got != want {
		t.Errorf("the program prints\n%swant\n%s", got, want)
	}
	got = runGo(t, dir, "test", smaller, "-vet=off", "-short", "-v", "-run", "^(TestEmbedded|TestConformance)$/^(|read|write|life)$", ".")
	for _, line := range []string{"--- PASS: TestConformance/write/", "--- SKIP: TestConformance/life/restart", "--- PASS: TestEmbedded"} {
		if !strings.Contains(got, line) {
			t.Errorf("the tests of the backend print no %q:\n%s", line, got)
		}
	}
}

// writeModule writes the go.mod of a module that uses the repository at root, with the repository's own dependencies, so that
// nothing has to be downloaded.
func writeModule(t *testing.T, dir, root string) {
	t.Helper()
	for name, edit := range map[string]func(string) string{
		"go.mod": func(text string) string {
			text = regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(text, "module example.com/outside")
			return text + "\nrequire " + module + " v0.0.0\nreplace " + module + " => " + root + "\n"
		},
		"go.sum": func(text string) string { return text },
	} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(edit(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// runGo runs the go command offline and returns what it prints.
func runGo(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return string(text)
}
