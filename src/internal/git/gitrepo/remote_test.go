package gitrepo_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// remote is gittest.Remote, whose paths these tests name often.
type remote struct {
	*gittest.Remote
	dir   string
	clone string
}

func newRemote(t testing.TB, files map[string]string) remote {
	t.Helper()
	r := gittest.New(t, files)
	return remote{r, r.Dir, r.Clone}
}

// show is a file as the remote has it, without the end of its last line.
func (r remote) show(path string) string {
	text, _ := r.Show(path)
	return strings.TrimSpace(text)
}

func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := gittest.Git(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func options(url, dir string) gitrepo.Options {
	return gitrepo.Options{URL: url, Dir: dir, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
}

func openRepository(t testing.TB, url, dir string) *gitrepo.Repository {
	t.Helper()
	r, err := gitrepo.Open(t.Context(), options(url, dir))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// put is a change that writes files.
func put(files map[string]string) gitrepo.Change {
	return gitrepo.Change{Name: "Ann", Email: "ann@example.com", Message: "put", Edit: func(d *gitrepo.Draft) error {
		for name, text := range files {
			if err := d.Write(name, []byte(text)); err != nil {
				return err
			}
		}
		return nil
	}}
}

func wantCode(t testing.TB, err error, want dovetail.Code) {
	t.Helper()
	if dovetail.CodeOf(err) != want {
		t.Errorf("error %v, %s, want %s", err, dovetail.CodeOf(err), want)
	}
}

// environments are the files of some environments.
func environments(n int) map[string]string {
	files := make(map[string]string)
	for i := range n {
		folder := fmt.Sprintf("environments/cluster-%02d/env-%04d/", i%20, i)
		files[folder+"Inventory/env_definition.yml"] = fmt.Sprintf("inventory:\n  environmentName: env-%04d\n", i)
		for p := range 8 {
			files[fmt.Sprintf("%sInventory/parameters/p%d.yaml", folder, p)] = fmt.Sprintf("name: p%d\nparameters:\n  a: %d\n", p, i)
		}
		for _, ns := range []string{"core", "bss", "oss", "billing"} {
			files[folder+"Namespaces/"+ns+"/namespace.yml"] = fmt.Sprintf("name: env-%04d-%s\n", i, ns)
		}
	}
	return files
}
