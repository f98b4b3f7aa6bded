package gitrepo_test

import (
	"fmt"
	"net/http/cgi" //nolint:gosec // the tests serve Git's own program on this machine
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/gitrepo"
)

// remote is a bare repository of real Git, with a clone in which somebody else works.
type remote struct {
	dir   string
	clone string
}

// newRemote makes one with some files. It skips the test where there is no git.
func newRemote(t testing.TB, files map[string]string) remote {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on this machine")
	}
	root := t.TempDir()
	r := remote{dir: filepath.Join(root, "remote.git"), clone: filepath.Join(root, "clone")}
	runGit(t, root, "init", "-q", "--bare", "-b", "main", r.dir)
	runGit(t, r.dir, "config", "http.receivepack", "true")
	runGit(t, root, "init", "-q", "-b", "main", r.clone)
	runGit(t, r.clone, "remote", "add", "origin", r.dir)
	r.push(t, "first", files)
	return r
}

// push commits files in the other clone, which must be up to date, and pushes.
func (r remote) push(t testing.TB, message string, files map[string]string) string {
	t.Helper()
	hash := r.commit(t, message, files)
	runGit(t, r.clone, "push", "-q", "origin", "main")
	return hash
}

func (r remote) commit(t testing.TB, message string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(r.clone, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, r.clone, "add", "-A")
	runGit(t, r.clone, "commit", "-q", "--allow-empty", "-m", message)
	return runGit(t, r.clone, "rev-parse", "HEAD")
}

// pull brings the other clone to what the remote has.
func (r remote) pull(t testing.TB) { runGit(t, r.clone, "pull", "-q", "--rebase", "origin", "main") }

func (r remote) show(t testing.TB, path string) string { return runGit(t, r.dir, "show", "main:"+path) }

// fsck lets Git check the remote and the local clone.
func (r remote) fsck(t testing.TB, local string) {
	t.Helper()
	for _, dir := range []string{r.dir, local} {
		if out, err := tryGit(dir, "fsck", "--full", "--strict", "--no-dangling"); err != nil || out != "" {
			t.Errorf("fsck of %s: %v\n%s", dir, err, out)
		}
	}
}

// serve puts the remote behind HTTP and returns its URL.
func (r remote) serve(t testing.TB) string {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("there is no git-http-backend on this machine")
	}
	server := httptest.NewServer(&cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.dir), "GIT_HTTP_EXPORT_ALL=1"}})
	t.Cleanup(server.Close)
	return server.URL + "/" + filepath.Base(r.dir)
}

func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Other", "GIT_AUTHOR_EMAIL=other@example.com", "GIT_COMMITTER_NAME=Other", "GIT_COMMITTER_EMAIL=other@example.com")
	out, err := command.CombinedOutput()
	return strings.TrimSpace(string(out)), err
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
