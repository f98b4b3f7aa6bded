package bolt

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFailpoints crashes the child at each failpoint of the writer. The failpoints are enabled in a
// copy of the sources, which the compiler is given in place of them: all other packages come from its cache.
func TestFailpoints(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a copy of the sources")
	}
	t.Parallel()
	program := buildWithFailpoints(t)
	for _, point := range []string{"beforeLog", "afterLog", "beforeAnswer", "beforeFlush", "duringFlush", "afterFlush"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel() // each mostly waits for the disk
			path := filepath.Join(t.TempDir(), "store.db")
			for _, skip := range []string{"0", "1", "17", "60"} {
				since := headNow(t, path)
				fail := "GOFAIL_FAILPOINTS=" + point + "=" + skip + "*off->panic"
				acknowledged, stderr := crash(t, program, path, skip, 5000, fail)
				if !strings.Contains(stderr, "failpoint panic") {
					t.Fatalf("the child did not die at the failpoint: %s", stderr)
				}
				b := mustOpen(t, path, Options{})
				survivors(t, b, skip, since, acknowledged)
				if err := b.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// buildWithFailpoints builds this package's test binary with failpoints, or skips the test.
func buildWithFailpoints(t *testing.T) (program string) {
	t.Helper()
	run := func(folder string, name string, args ...string) string {
		t.Helper()
		command := exec.Command(name, args...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOWORK=off")
		output, err := command.CombinedOutput()
		if err != nil {
			t.Skipf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
		}
		return strings.TrimSpace(string(output))
	}
	root := filepath.Dir(run(".", "go", "env", "GOMOD"))
	copied := t.TempDir()
	tools := "-modfile=" + filepath.Join("tools", "go.mod")
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	here := filepath.Join("src", "store", "bolt")
	for _, folder := range []string{here, filepath.Join(here, "kv")} {
		copyFiles(t, filepath.Join(root, folder, "*.go"), filepath.Join(copied, folder))
		run(root, "go", "tool", tools, "gofail", "enable", filepath.Join(copied, folder))
		files, err := filepath.Glob(filepath.Join(copied, folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			overlay.Replace[filepath.Join(root, folder, filepath.Base(file))] = file
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	replaced := filepath.Join(copied, "overlay.json")
	if err := os.WriteFile(replaced, text, 0o600); err != nil {
		t.Fatal(err)
	}
	copyFiles(t, filepath.Join(root, "go.*"), copied)
	appendFile(t, filepath.Join(root, "tools", "go.sum"), filepath.Join(copied, "go.sum"))
	version := run(root, "go", "list", tools, "-m", "-f", "{{.Version}}", "go.etcd.io/gofail")
	run(copied, "go", "mod", "edit", "-require=go.etcd.io/gofail@"+version)
	program = filepath.Join(copied, "crash.test")
	run(root, "go", "test", "-mod=mod", "-modfile="+filepath.Join(copied, "go.mod"), "-overlay="+replaced, "-ldflags=-s -w", "-c", "-o", program, "./"+filepath.ToSlash(here))
	return program
}

// copyFiles copies the files that match the pattern.
func copyFiles(t *testing.T, pattern, folder string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			appendFile(t, file, filepath.Join(folder, filepath.Base(file)))
		}
	}
}

func appendFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
}
