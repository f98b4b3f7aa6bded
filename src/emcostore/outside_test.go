package emcostore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestOutside builds and runs a service outside the repository, which reaches a server through EMCO's interface.
func TestOutside(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles another module")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/outside")); err != nil {
		t.Fatal(err)
	}
	writeModule(t, dir)
	server := apitest.Serve(t, open(t, apitest.OpenBolt(t), store.Config{}).engine, httpapi.Options{})

	cmd := exec.CommandContext(t.Context(), "go", "run", "-ldflags=-s -w", ".", server.URL)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	got, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	const want = `insert: <nil>
insert: <nil>
found: lc kept
remove: db Remove parent child constraint: project/p1 is in use by project/p1/logicalCloud/lc; delete those first or make them refer to something else, or delete with cascade
remove: <nil>
remove: <nil>
`
	if string(got) != want {
		t.Errorf("the service prints\n%swant\n%s", got, want)
	}
}

// writeModule writes the go.mod of a module that uses this one and the repository, with the same dependencies, so that nothing has to be downloaded.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	own, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	const module, repository = "github.com/dovetail-store/dovetail/src/emcostore", "github.com/dovetail-store/dovetail"
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			switch {
			case line == "module "+module:
				lines[i] = "module example.com/outside"
			case strings.HasPrefix(line, "replace "):
				lines[i] = "require " + module + " v0.0.0\nreplace " + module + " => " + own + "\nreplace " + repository + " => " + filepath.Join(own, "../..")
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
