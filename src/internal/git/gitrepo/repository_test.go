package gitrepo_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// over runs a test with each way to reach a repository.
func over(t *testing.T, files map[string]string, test func(t *testing.T, r remote, url string)) {
	t.Run("file", func(t *testing.T) { r := newRemote(t, files); test(t, r, r.dir) })
	t.Run("http", func(t *testing.T) { r := newRemote(t, files); test(t, r, r.Serve()) })
}

func TestChange(t *testing.T) {
	files := map[string]string{"a/b/keep.yml": "k: 1\n", "a/b/gone.yml": "g: 1\n", "only/one.yml": "o: 1\n", "a.b": "x\n", "run.sh": "exit\n"}
	over(t, files, func(t *testing.T, r remote, url string) {
		if err := os.Chmod(filepath.Join(r.clone, "run.sh"), 0o700); err != nil { //nolint:gosec // it is to be run
			t.Fatal(err)
		}
		first := r.Push("may be run", nil)
		dir := t.TempDir()
		repository := openRepository(t, url, dir)
		if repository.Head() != first {
			t.Errorf("the head is %s, want %s", repository.Head(), first)
		}
		hash, err := repository.Change(t.Context(), gitrepo.Change{Name: "Ann", Email: "ann@example.com", Message: "set x", Edit: func(d *gitrepo.Draft) error {
			if data, err := d.Read("a/b/keep.yml"); err != nil || string(data) != "k: 1\n" {
				t.Errorf("%q, %v", data, err)
			}
			for name, text := range map[string]string{"a/b/keep.yml": "k: 2\n", "new/ü/x.yml": "x: 1\n", "run.sh": "exit 1\n"} {
				if err := d.Write(name, []byte(text)); err != nil {
					return err
				}
			}
			for _, name := range []string{"a/b/gone.yml", "only/one.yml", "never/was"} {
				if err := d.Remove(name); err != nil {
					return err
				}
			}
			_, err := d.Read("a/b/gone.yml")
			wantCode(t, err, dovetail.CodeNotFound)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		got := runGit(t, r.dir, "-c", "core.quotePath=false", "log", "-1", "--format=%H %an <%ae> %cI %s", "--name-status", "main")
		want := hash + " Ann <ann@example.com> 2026-01-02T03:04:05Z set x\n\nD\ta/b/gone.yml\nM\ta/b/keep.yml\nA\tnew/ü/x.yml\nD\tonly/one.yml\nM\trun.sh"
		if strings.Replace(got, "+00:00", "Z", 1) != want {
			t.Errorf("the log is\n%s\nwant\n%s", got, want)
		}
		if got := runGit(t, r.dir, "ls-tree", "main", "run.sh"); !strings.HasPrefix(got, "100755") {
			t.Errorf("run.sh is %s", got)
		}
		if r.show("a.b") != "x" || r.show("a/b/keep.yml") != "k: 2" {
			t.Error("a file has other content")
		}
		r.Fsck(dir)
		for name, want := range map[string]string{"a/b/keep.yml": hash, "a.b": runGit(t, r.dir, "rev-list", "--max-parents=0", "main")} {
			if _, version, err := repository.Read(t.Context(), name); err != nil || version != want {
				t.Errorf("%s has version %s, want %s: %v", name, version, want, err)
			}
		}
		again, err := repository.Change(t.Context(), put(map[string]string{"a/b/keep.yml": "k: 2\n"}))
		if err != nil || again != hash || runGit(t, r.dir, "rev-parse", "main") != hash {
			t.Errorf("a change of nothing gave %s, %v", again, err)
		}
	})
}

// TestChanges pushes several changes at once: each is a commit of its own on the one before it, and those that are refused are left out.
func TestChanges(t *testing.T) {
	over(t, map[string]string{"a": "1", "folder/f": "1"}, func(t *testing.T, r remote, url string) {
		pushes := 0
		opts := options(url, t.TempDir())
		opts.Pushed = func(error) { pushes++ }
		repository, err := gitrepo.Open(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		by := func(name string, edit func(d *gitrepo.Draft) error) gitrepo.Change {
			return gitrepo.Change{Name: name, Email: name + "@example.com", Message: "by " + name + "\n", Edit: edit}
		}
		before := repository.Head()
		commits, refused, err := repository.Changes(t.Context(), []gitrepo.Change{
			by("ann", func(d *gitrepo.Draft) error {
				return errors.Join(d.Write("a", []byte("2")), d.Write("b", []byte("same")))
			}),
			by("bob", func(d *gitrepo.Draft) error { return errors.Join(d.Write("x", []byte("same")), errors.New("not that")) }),
			by("cid", func(*gitrepo.Draft) error { return nil }),
			by("dan", func(d *gitrepo.Draft) error { return d.Write("folder", []byte("in its way")) }),
			by("eve", func(d *gitrepo.Draft) error {
				data, err := d.Read("a")
				if string(data) != "2" || d.Head() != before {
					t.Errorf("a is %q on %s", data, d.Head())
				}
				return errors.Join(err, d.Write("a", []byte("3")), d.Write("folder/g", []byte("same")))
			}),
		})
		if err != nil || pushes != 1 {
			t.Fatal(pushes, err)
		}
		if commits[0] == "" || commits[1] != "" || commits[2] != commits[0] || commits[3] != "" || commits[4] != repository.Head() {
			t.Error(commits, refused)
		}
		if refused[0] != nil || refused[1] == nil || refused[2] != nil || dovetail.CodeOf(refused[3]) != dovetail.CodeUnprocessable || refused[4] != nil {
			t.Error(refused)
		}
		r.Pull()
		if got, want := runGit(t, r.clone, "log", "-2", "--format=%an %s %H"), fmt.Sprintf("eve by eve %s\nann by ann %s", commits[4], commits[0]); strings.TrimSpace(got) != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if r.show("a") != "3" || r.show("b") != "same" || r.show("folder/g") != "same" || r.show("folder/f") != "1" {
			t.Error("the files are others")
		}
		_, version, err := repository.Read(t.Context(), "b")
		if err != nil || version != commits[0] {
			t.Errorf("b is of %s: %v", version, err)
		}
		r.Push("foreign", map[string]string{"c": "theirs"})
		commits, _, err = repository.Changes(t.Context(), []gitrepo.Change{put(map[string]string{"a": "4"}), put(map[string]string{"b": "4"})})
		wantCode(t, err, dovetail.CodeConflict)
		if r.show("a") != "3" || r.show("b") != "same" {
			t.Error("one of them arrived", commits)
		}
		r.Fsck(opts.Dir)
	})
}

func TestChangeOfAllFiles(t *testing.T) {
	r := newRemote(t, map[string]string{"a/b": "x"})
	dir := t.TempDir()
	repository := openRepository(t, r.dir, dir)
	_, err := repository.Change(t.Context(), gitrepo.Change{Message: "empty", Edit: func(d *gitrepo.Draft) error { return d.Remove("a/b") }})
	if err != nil || runGit(t, r.dir, "ls-tree", "main") != "" {
		t.Error(err)
	}
	r.Fsck(dir)
}

func TestRefusedChanges(t *testing.T) {
	r := newRemote(t, map[string]string{"folder/file": "x"})
	if err := os.Symlink("file", filepath.Join(r.clone, "folder/link")); err != nil {
		t.Fatal(err)
	}
	r.Push("link", nil)
	repository := openRepository(t, r.dir, t.TempDir())
	tests := []struct {
		name string
		path string
		want dovetail.Code
	}{
		{"out of the repository", "../x", dovetail.CodeInvalid}, {"from the root", "/x", dovetail.CodeInvalid}, {"the root", ".", dovetail.CodeInvalid},
		{"a folder", "folder", dovetail.CodeUnprocessable}, {"below a file", "folder/file/x", dovetail.CodeUnprocessable}, {"a link", "folder/link", dovetail.CodeUnprocessable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := repository.Head()
			_, err := repository.Change(t.Context(), put(map[string]string{test.path: "y"}))
			wantCode(t, err, test.want)
			if e := dovetail.AsError(err); e == nil || !strings.HasPrefix(test.path, e.Position.File) {
				t.Errorf("the error is about %+v", e)
			}
			if repository.Head() != before || runGit(t, r.dir, "rev-parse", "main") != before {
				t.Error("something was changed")
			}
		})
	}
}

func TestPull(t *testing.T) {
	over(t, map[string]string{"a": "1", "b": "1", "c": "1"}, func(t *testing.T, r remote, url string) {
		repository := openRepository(t, url, t.TempDir())
		from := repository.Head()
		if err := os.Remove(filepath.Join(r.clone, "b")); err != nil {
			t.Fatal(err)
		}
		to := r.Push("foreign", map[string]string{"a": "2", "d": "1"})
		pulled, err := repository.Pull(t.Context())
		if err != nil || pulled.From != from || pulled.To != to || !slices.Equal(pulled.Changed, []string{"a", "b", "d"}) {
			t.Errorf("%+v, %v", pulled, err)
		}
		var names []string
		for file, err := range repository.Files(t.Context(), gitrepo.Part{}) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, file.Path+string(file.Data))
		}
		if !slices.Equal(names, []string{"a2", "c1", "d1"}) {
			t.Errorf("the files are %v", names)
		}
		if pulled, err := repository.Pull(t.Context()); err != nil || pulled.From != to || pulled.To != to || pulled.Changed != nil {
			t.Errorf("%+v, %v", pulled, err)
		}
		runGit(t, r.clone, "commit", "-q", "--amend", "-m", "rewritten")
		runGit(t, r.clone, "push", "-q", "-f", "origin", "main")
		if pulled, err := repository.Pull(t.Context()); err != nil || pulled.To != runGit(t, r.dir, "rev-parse", "main") {
			t.Errorf("after a rewrite %+v, %v", pulled, err)
		}
		if _, err := repository.Change(t.Context(), put(map[string]string{"a": "3"})); err != nil {
			t.Errorf("a change after a rewrite: %v", err)
		}
	})
}

// TestVersions compares with git log, over a history with merges.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := newRemote(t, map[string]string{"f0": "", "f1": "", "d/f2": ""})
	repository := openRepository(t, r.dir, t.TempDir())
	names := []string{"f0", "f1", "d/f2"}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // it need not be a secret
	for i := range 20 {
		name := names[random.IntN(3)]
		if random.IntN(3) == 0 {
			runGit(t, r.clone, "checkout", "-q", "-b", "side", "HEAD~0")
			r.Commit("side", map[string]string{name: fmt.Sprint("side", i)})
			runGit(t, r.clone, "checkout", "-q", "main")
			r.Commit("main", map[string]string{names[(slices.Index(names, name)+1)%3]: fmt.Sprint("main", i)})
			runGit(t, r.clone, "merge", "-q", "--no-ff", "-m", "merge", "side")
			runGit(t, r.clone, "branch", "-q", "-D", "side")
			runGit(t, r.clone, "push", "-q", "origin", "main")
		} else {
			r.Push("change", map[string]string{name: fmt.Sprint(i)})
		}
		if _, err := repository.Pull(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			_, version, err := repository.Read(t.Context(), name)
			if want := runGit(t, r.dir, "log", "-1", "--format=%H", "main", "--", name); err != nil || version != want {
				t.Errorf("after %d commits %s has version %s, want %s: %v", i, name, version, want, err)
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer locked.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	used := t.TempDir()
	openRepository(t, r.dir, used)
	tests := []struct {
		name, url, branch, dir string
		want                   dovetail.Code
	}{
		{"no such branch", r.dir, "other", t.TempDir(), dovetail.CodeInvalid},
		{"no repository", t.TempDir(), "", t.TempDir(), dovetail.CodeInvalid},
		{"asks who you are", locked.URL + "/x.git", "", t.TempDir(), dovetail.CodeUnauthenticated},
		{"no server answers", gone.URL + "/x.git", "", t.TempDir(), dovetail.CodeUnavailable},
		{"a clone of another", "https://example.com/x.git", "", used, dovetail.CodeConflict},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: test.url, Branch: test.branch, Dir: test.dir})
			wantCode(t, err, test.want)
		})
	}
	t.Run("a password stays unsaid", func(t *testing.T) {
		dir := t.TempDir()
		_, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: strings.Replace(gone.URL, "http://", "http://me:secret@", 1), Dir: dir})
		config, _ := os.ReadFile(filepath.Join(dir, "config"))
		if err == nil || strings.Contains(err.Error()+string(config), "secret") {
			t.Errorf("%v\n%s", err, config)
		}
	})
}

// A folder into which nothing was ever pulled becomes the clone of what is named next.
func TestOpenAfterAMistake(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	dir := t.TempDir()
	for _, wrong := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if _, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: wrong, Dir: dir}); err == nil {
			t.Fatal("it opens")
		}
	}
	if got := openRepository(t, r.dir, dir).Head(); got != runGit(t, r.dir, "rev-parse", "main") {
		t.Errorf("the head is %s", got)
	}
}

func TestEmptyReferences(t *testing.T) {
	for _, tt := range []struct{ name, ref string }{
		{name: "the branch", ref: "refs/heads/main"},
		{name: "another branch", ref: "refs/heads/other"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRemote(t, map[string]string{"a.yml": "a: 1\n"})
			dir := t.TempDir()
			openRepository(t, r.dir, dir)
			if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(tt.ref)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			last := r.Push("another commit", map[string]string{"a.yml": "a: 2\n"})
			if repository := openRepository(t, r.dir, dir); repository.Head() != last {
				t.Errorf("the head is %s, want %s", repository.Head(), last)
			}
		})
	}
}
