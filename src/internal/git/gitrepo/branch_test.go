package gitrepo_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// branchAt is the last commit of a branch of the remote, "" if there is none.
func branchAt(t testing.TB, r remote, name string) string {
	t.Helper()
	return runGit(t, r.dir, "for-each-ref", "--format=%(objectname)", "refs/heads/"+name)
}

func TestCheckBranch(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	repository := openRepository(t, r.dir, t.TempDir())
	for _, test := range []struct {
		name string
		ok   bool
	}{
		{"change-set/c", true}, {"a", true}, {"a/b.c_d-e", true}, {"größer", true}, {"main2", true},
		{"", false}, {"main", false}, {"-a", false}, {"--upload-pack=touch x", false}, {"a..b", false}, {"../main", false}, {".", false}, {"a/.b", false},
		{"refs/heads/main", false}, {"refs/tags/v1", false}, {"HEAD", false}, {"a b", false}, {"a\nb", false}, {"a\x00b", false}, {"a:main", false},
		{"+a", true}, {"a^", false}, {"a~1", false}, {"a?", false}, {"a*", false}, {"a[b", false}, {"a\\b", false}, {"a@{1}", false}, {"@", false}, {"a.lock", false},
		{"a.lock/b", false}, {"/a", false}, {"a/", false}, {"a//b", false}, {"a.", false}, {"\xff", false}, {strings.Repeat("x", 201), false}, {strings.Repeat("x", 200), true},
	} {
		err := repository.CheckBranch(test.name)
		if (err == nil) != test.ok || err != nil && dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%q: %v", test.name, err)
		}
		if test.ok {
			if out, err := gittest.Git(r.dir, "check-ref-format", "refs/heads/"+test.name); err != nil {
				t.Errorf("Git refuses %q: %s", test.name, out)
			}
			continue
		}
		wantCode(t, repository.SetBranch(t.Context(), test.name, "", gitrepo.Made{Hash: repository.Head()}), dovetail.CodeInvalid)
		wantCode(t, repository.DeleteBranch(t.Context(), test.name, repository.Head()), dovetail.CodeInvalid)
	}
	if refs := runGit(t, r.dir, "for-each-ref", "--format=%(refname)"); refs != "refs/heads/main" {
		t.Errorf("there are\n%s", refs)
	}
}

func TestBranch(t *testing.T) {
	over(t, map[string]string{"a": "1", "b/c": "2"}, func(t *testing.T, r remote, url string) {
		dir := t.TempDir()
		repository := openRepository(t, url, dir)
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		prepare := func(text string) gitrepo.Made {
			t.Helper()
			made, err := repository.Make(t.Context(), put(map[string]string{"b/c": text}), at)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		first, again := prepare("3"), prepare("3")
		if first.Hash != again.Hash || first.Base != r.Head() || first.Hash == first.Base {
			t.Errorf("the same change is %+v and %+v upon %s", first, again, r.Head())
		}
		if same := prepare("2"); same.Hash != same.Base {
			t.Errorf("no change is %+v", same)
		}
		head := r.Head()
		if err := repository.SetBranch(t.Context(), "x/y", "", first); err != nil {
			t.Fatal(err)
		}
		if got, err := repository.BranchHead(t.Context(), "x/y"); err != nil || got != first.Hash || branchAt(t, r, "x/y") != first.Hash {
			t.Errorf("the branch is at %s: %v", got, err)
		}
		if err := repository.SetBranch(t.Context(), "x/y", first.Hash, first); err != nil {
			t.Errorf("set to what it is: %v", err)
		}
		second := prepare("4")
		wantCode(t, repository.SetBranch(t.Context(), "x/y", "", second), dovetail.CodeConflict)
		if err := repository.SetBranch(t.Context(), "x/y", first.Hash, second); err != nil {
			t.Errorf("replaced: %v", err)
		}
		wantCode(t, repository.SetBranch(t.Context(), "x/y", first.Hash, first), dovetail.CodeConflict)
		wantCode(t, repository.SetBranch(t.Context(), "x", "", first), dovetail.CodeForbidden) // a folder of branches
		if text := runGit(t, r.dir, "show", "x/y:b/c"); text != "4" {
			t.Errorf("the branch says %s", text)
		}

		r.Hook("pre-receive", "exit 1")
		wantCode(t, repository.SetBranch(t.Context(), "x/y", second.Hash, first), dovetail.CodeForbidden)
		wantCode(t, repository.DeleteBranch(t.Context(), "x/y", second.Hash), dovetail.CodeForbidden)
		r.Hook("pre-receive", "")
		wantCode(t, repository.DeleteBranch(t.Context(), "x/y", first.Hash), dovetail.CodeConflict)
		if err := repository.DeleteBranch(t.Context(), "x/y", second.Hash); err != nil || branchAt(t, r, "x/y") != "" {
			t.Errorf("deleted: %v", err)
		}
		if got, err := repository.BranchHead(t.Context(), "x/y"); err != nil || got != "" {
			t.Errorf("deleted, it is at %q: %v", got, err)
		}
		if r.Head() != head || repository.Head() != head {
			t.Errorf("main is at %s, and for the clone at %s, not %s", r.Head(), repository.Head(), head)
		}
		r.Fsck()
	})
}

func TestSteps(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	from := r.Head()
	first := r.Push("first", map[string]string{"a": "2"})
	runGit(t, r.clone, "checkout", "-q", "-b", "side", from)
	r.Commit("side\n\nChange-Set: x", map[string]string{"b": "1"})
	side := runGit(t, r.clone, "rev-parse", "HEAD")
	runGit(t, r.clone, "checkout", "-q", "main")
	runGit(t, r.clone, "merge", "-q", "--no-ff", "-m", "merge", "side")
	merge := runGit(t, r.clone, "rev-parse", "HEAD")
	last := r.Commit("last", map[string]string{"a": "3"})
	runGit(t, r.clone, "push", "-q", "origin", "main")
	repository := openRepository(t, r.dir, t.TempDir())
	for _, test := range []struct {
		name, from string
		want       []string
	}{
		{"a merge is one step", from, []string{first, merge, last}},
		{"the head", last, nil},
		{"a commit of another branch", side, nil},
		{"an unknown commit", strings.Repeat("1", 40), nil},
	} {
		if got, err := repository.Steps(t.Context(), test.from); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
	var brought []string
	see := func(hash, message string) { brought = append(brought, hash+" "+strings.SplitN(message, "\n", 2)[0]) }
	if err := repository.Brought(t.Context(), first, merge, see); err != nil || !slices.Equal(brought, []string{merge + " merge", side + " side"}) {
		t.Errorf("the merge brought %q, %v", brought, err)
	}
	if message, err := repository.Message(side); err != nil || message != "side\n\nChange-Set: x\n" {
		t.Errorf("the message is %q, %v", message, err)
	}
	_, err := repository.Message(strings.Repeat("1", 40))
	wantCode(t, err, dovetail.CodeMissing)

	var texts []string
	for _, commit := range []string{first, merge, ""} {
		for file, err := range repository.FilesAt(t.Context(), commit, gitrepo.Part{}) {
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, file.Path+strings.TrimSpace(string(file.Data)))
		}
	}
	if !slices.Equal(texts, []string{"a2", "a2", "b1", "a3", "b1"}) {
		t.Errorf("the files are %q", texts)
	}
	if err := repository.Preview(t.Context(), first, func(d *gitrepo.Draft) error {
		files, err := d.Files(gitrepo.Part{})
		if len(files) != 1 || d.Head() != first {
			t.Errorf("the preview of %s has %v", d.Head(), files)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if changed, err := repository.Changed(t.Context(), first, merge); err != nil || !slices.Equal(changed, []gitrepo.Difference{{Path: "b", InOne: true}}) {
		t.Errorf("the merge changed %v, %v", changed, err)
	}
}
