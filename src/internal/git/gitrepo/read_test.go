package gitrepo_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

func TestFilesOfAPart(t *testing.T) {
	r := newRemote(t, map[string]string{"a/x": "1", "a/big/y": "2", "a.b": "3", "b/c/z": "4", "top": "5"})
	repository := openRepository(t, r.dir, t.TempDir())
	tests := []struct {
		name string
		part gitrepo.Part
		want []string
	}{
		{"folders in the order of their files", gitrepo.Part{Under: []string{"a", "b", "a/big"}}, []string{"a/big/y", "a/x", "b/c/z"}},
		{"all", gitrepo.Part{}, []string{"a.b", "a/big/y", "a/x", "b/c/z", "top"}},
		{"a folder", gitrepo.Part{Under: []string{"a"}}, []string{"a/big/y", "a/x"}},
		{"folders that overlap, and one that is not there", gitrepo.Part{Under: []string{"b/c", "b", "no/such", "top"}}, []string{"b/c/z"}},
		{"without a folder", gitrepo.Part{Without: func(folder string) bool { return folder == "a/big" || folder == "b/c" }}, []string{"a.b", "a/x", "top"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for file, err := range repository.Files(t.Context(), test.part) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, file.Path)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
			_, err := repository.Change(t.Context(), gitrepo.Change{Edit: func(d *gitrepo.Draft) error {
				files, err := d.Files(test.part)
				if len(files) != len(test.want) || d.Head() != repositoryHead(t, r) {
					t.Errorf("a draft has %v", files)
				}
				return err
			}})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func repositoryHead(t *testing.T, r remote) string { return runGit(t, r.dir, "rev-parse", "main") }

func TestOlderCommits(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1", "b": "1"})
	repository := openRepository(t, r.dir, t.TempDir())
	first := repository.Head()
	second, err := repository.Change(t.Context(), put(map[string]string{"a": "2", "c": "1"}))
	if err != nil {
		t.Fatal(err)
	}
	unknown := r.Commit("unknown", map[string]string{"a": "9"})
	versions := []struct {
		name, commit, path, want string
		code                     dovetail.Code
	}{
		{"before", first, "a", first, ""}, {"after", second, "a", second, ""}, {"before again", first, "a", first, ""},
		{"another file", second, "b", first, ""}, {"not there yet", first, "c", "", dovetail.CodeNotFound},
		{"an unknown commit", unknown, "a", "", dovetail.CodeMissing}, {"no commit", "x", "a", "", dovetail.CodeMissing},
	}
	for _, test := range versions {
		t.Run(test.name, func(t *testing.T) {
			got, err := repository.Version(t.Context(), test.commit, test.path)
			if got != test.want || dovetail.CodeOf(err) != test.code {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if changed, err := repository.Changed(t.Context(), first, ""); err != nil || !slices.Equal(changed, []gitrepo.Difference{{Path: "a"}, {Path: "c", InOne: true}}) {
		t.Errorf("%v, %v", changed, err)
	}
	if changed, err := repository.Changed(t.Context(), second, ""); err != nil || len(changed) != 0 {
		t.Errorf("%v, %v", changed, err)
	}
	_, err = repository.Changed(t.Context(), unknown, "")
	wantCode(t, err, dovetail.CodeMissing)
	for commit, want := range map[string]bool{first: true, second: true, unknown: false} {
		if got, err := repository.Contains(commit); got != want || err != nil {
			t.Errorf("Contains of %s is %v, %v", commit, got, err)
		}
	}
}

func TestCredentials(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	behind, err := url.Parse(r.Serve())
	if err != nil {
		t.Fatal(err)
	}
	path := behind.Path
	behind.Path = ""
	proxy := httputil.NewSingleHostReverseProxy(behind)
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if user, password, _ := q.BasicAuth(); user != "git" || password != "token" {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, q)
	}))
	defer locked.Close()
	dir := t.TempDir()
	o := options(locked.URL+path, dir)
	o.Credentials.Password = "wrong"
	_, err = gitrepo.Open(t.Context(), o)
	wantCode(t, err, dovetail.CodeUnauthenticated)
	o.Credentials.Password = "token"
	repository, err := gitrepo.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repository.Change(t.Context(), put(map[string]string{"a": "2"})); err != nil || r.show("a") != "2" {
		t.Errorf("a change: %v", err)
	}
	made, err := repository.Make(t.Context(), put(map[string]string{"a": "3"}), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.SetBranch(t.Context(), "proposed", "", made); err != nil || branchAt(t, r, "proposed") != made.Hash {
		t.Errorf("a branch: %v", err)
	}
	if err := repository.DeleteBranch(t.Context(), "proposed", made.Hash); err != nil || branchAt(t, r, "proposed") != "" {
		t.Errorf("a branch that is deleted: %v", err)
	}
	if config, err := os.ReadFile(filepath.Join(dir, "config")); err != nil || strings.Contains(string(config), "token") {
		t.Errorf("the clone keeps the password: %v\n%s", err, config)
	}
}

func TestCredentialsThatAreWrong(t *testing.T) {
	tests := []struct {
		name, url   string
		credentials gitrepo.Credentials
	}{
		{"of a folder", t.TempDir(), gitrepo.Credentials{Password: "secret"}},
		{"no key", "ssh://git@example.com/x.git", gitrepo.Credentials{Key: []byte("secret")}},
		{"no known hosts", "ssh://git@example.com/x.git", gitrepo.Credentials{Password: "secret", KnownHosts: filepath.Join(t.TempDir(), "none")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: test.url, Dir: t.TempDir(), Credentials: test.credentials})
			wantCode(t, err, dovetail.CodeInvalid)
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Error(err)
			}
		})
	}
}

// A remote that cannot be reached keeps a clone from being opened only the first time.
func TestOpenWithoutRemote(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	behind, err := url.Parse(r.Serve())
	if err != nil {
		t.Fatal(err)
	}
	path := behind.Path
	behind.Path = ""
	front := httptest.NewServer(httputil.NewSingleHostReverseProxy(behind))
	dir := t.TempDir()
	head := openRepository(t, front.URL+path, dir).Head()
	front.Close()
	repository := openRepository(t, front.URL+path, dir)
	if repository.Head() != head {
		t.Errorf("the head is %s, want %s", repository.Head(), head)
	}
	_, err = repository.Change(t.Context(), put(map[string]string{"a": "2"}))
	wantCode(t, err, dovetail.CodeUnavailable)
	if file, _, err := repository.Read(t.Context(), "a"); err != nil || string(file.Data) != "1" {
		t.Errorf("%q, %v", file.Data, err)
	}
	_, err = gitrepo.Open(t.Context(), options(front.URL+path, t.TempDir()))
	wantCode(t, err, dovetail.CodeUnavailable)
}

// A tag, with and without a message, is read, and not changed.
func TestTag(t *testing.T) {
	remote := gittest.New(t, map[string]string{"a": "1"})
	for _, args := range [][]string{{"tag", "-a", "noted", "-m", "x"}, {"tag", "plain"}, {"push", "origin", "noted", "plain"}} {
		if out, err := gittest.Git(remote.Clone, args...); err != nil {
			t.Fatal(out, err)
		}
	}
	tagged := remote.Head()
	remote.Push("later", map[string]string{"a": "2"})
	for _, tag := range []string{"noted", "plain"} {
		t.Run(tag, func(t *testing.T) {
			r, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: remote.Dir, Tag: tag, Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if text, err := r.Content("a"); err != nil || string(text) != "1" || r.Head() != tagged {
				t.Errorf("%q at %s, %v; want %s", text, r.Head(), err, tagged)
			}
			if _, err := r.Pull(t.Context()); err != nil || r.Head() != tagged {
				t.Errorf("at %s, %v", r.Head(), err)
			}
			if _, err := r.Change(t.Context(), gitrepo.Change{Message: "x", Edit: func(d *gitrepo.Draft) error { return d.Write("a", []byte("3")) }}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Errorf("changed: %v", err)
			}
		})
	}
	if _, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: remote.Dir, Tag: "none", Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no tag none") {
		t.Error(err)
	}
}
