package bolt

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFailpoints crashes the child at each failpoint of the writer. The failpoints are enabled in a
// copy of the sources.
func TestFailpoints(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a copy of the sources")
	}
	program := buildWithFailpoints(t)
	for _, point := range []string{"beforeLog", "afterLog", "beforeAnswer", "beforeFlush", "duringFlush", "afterFlush"} {
		t.Run(point, func(t *testing.T) {
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
	ours := "{{if .Module}}{{if .Module.Main}}{{.Dir}}{{end}}{{end}}"
	folders := strings.Split(run(".", "go", "list", "-deps", "-test", "-f", ours, "."), "\n")
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		relative, err := filepath.Rel(root, folder)
		if err != nil {
			t.Fatal(err)
		}
		copyFiles(t, filepath.Join(folder, "*"), filepath.Join(copied, relative))
	}
	copyFiles(t, filepath.Join(root, "go.*"), copied)
	appendFile(t, filepath.Join(root, "tools", "go.sum"), filepath.Join(copied, "go.sum"))

	here := filepath.Join("src", "store", "bolt")
	for _, folder := range []string{here, filepath.Join(here, "kv")} {
		run(root, "go", "tool", "-modfile="+filepath.Join("tools", "go.mod"), "gofail", "enable", filepath.Join(copied, folder))
	}
	version := run(root, "go", "list", "-modfile="+filepath.Join("tools", "go.mod"), "-m", "-f", "{{.Version}}", "go.etcd.io/gofail")
	run(copied, "go", "mod", "edit", "-require=go.etcd.io/gofail@"+version)
	program = filepath.Join(copied, "crash.test")
	run(copied, "go", "test", "-mod=mod", "-c", "-o", program, "./"+filepath.ToSlash(here))
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
