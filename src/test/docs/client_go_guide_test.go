package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// TestClientGoGuide runs the program of docs/kubernetes-api.md, which prints what the page says.
func TestClientGoGuide(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil, "go")
	name, page := readPage(t, "kubernetes-api.md")
	found := regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n\nIt prints:\n\n```text\n(.*?)```").FindStringSubmatchIndex(page)
	if found == nil {
		t.Fatal("the page has no program")
	}
	s.withProgram(t, s.serve(t, page))
	s.write(t, "main.go", page[found[2]:found[3]])
	kubeconfig := filepath.Join(s.dir, "kubeconfig")
	path, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	write := exec.Command(path, "kubeconfig")
	write.Env = append(os.Environ(), s.env...)
	text, err := write.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kubeconfig, text, 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "run", filepath.Join(s.dir, "main.go")) // with the modules of this one
	run.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	same(t, name, page, page[:found[4]]+string(out)+page[found[5]:])
}
