package gitrepo_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
)

// entry is one of a folder as Git stores it, in a mode, with the hash of an object.
type entry struct{ mode, name, hash string }

// literalTree writes a folder whose entries Git itself would not make.
func literalTree(t *testing.T, dir string, entries ...entry) string {
	t.Helper()
	var text strings.Builder
	for _, e := range entries {
		hash, err := hex.DecodeString(e.hash)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s %s\x00%s", e.mode, e.name, hash)
	}
	file := filepath.Join(t.TempDir(), "tree")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return runGit(t, dir, "hash-object", "-t", "tree", "--literally", "-w", file)
}

// TestHostileNames has folders with names that lead elsewhere, which another program can push: nothing of them is read, whether they are there from the beginning or come with a commit, and writes beside
// them leave them as they are.
func TestHostileNames(t *testing.T) {
	r := newRemote(t, map[string]string{"a/x.yml": "1", "b/y.yml": "2"})
	dir := t.TempDir()
	repository := openRepository(t, r.dir, dir)
	first := repositoryHead(t, r)
	blob := runGit(t, r.dir, "rev-parse", "main:a/x.yml")
	inner := literalTree(t, r.dir, entry{"100644", "x.yml", blob})
	folder := literalTree(t, r.dir, entry{"100644", "..", blob}, entry{"100644", ".", blob}, entry{"40000", "..", inner}, entry{"40000", ".git", inner}, entry{"40000", ".GIT", inner},
		entry{"100644", "../../evil.yml", blob}, entry{"120000", "link.yml", blob}, entry{"160000", "module", strings.Repeat("1", 40)}, entry{"100644", "l\xff.yml", blob}, entry{"100644", "x.yml", blob})
	root := literalTree(t, r.dir, entry{"40000", "a", folder}, entry{"40000", "b", runGit(t, r.dir, "rev-parse", "main:b")}, entry{"40000", "..", inner})
	runGit(t, r.dir, "update-ref", "refs/heads/main", runGit(t, r.dir, "commit-tree", root, "-p", first, "-m", "hostile"))

	if _, err := repository.Pull(t.Context()); err != nil {
		t.Fatalf("%v: %#v", err, dovetail.AsError(err).Err)
	}
	check := func(what string, repository *gitrepo.Repository) {
		t.Helper()
		var read []string
		irregular := 0
		for f, err := range repository.Files(t.Context(), gitrepo.Part{}) {
			if err != nil {
				t.Fatal(err)
			}
			if f.Irregular {
				irregular++
				continue
			}
			read = append(read, f.Path)
		}
		if want := []string{"a/l\xff.yml", "a/x.yml", "b/y.yml"}; !slices.Equal(read, want) || irregular != 9 {
			t.Errorf("%s: %q are read, and %d are irregular", what, read, irregular)
		}
	}
	check("following", repository)
	check("cloning", openRepository(t, r.dir, t.TempDir()))
	folders, err := repository.FoldersAt(t.Context(), "", "a")
	if err != nil || len(folders) > 0 {
		t.Errorf("the folders are %q, %v", folders, err)
	}
	if _, err := repository.Change(t.Context(), put(map[string]string{"b/y.yml": "3"})); err != nil {
		t.Error(err)
	}
	if got := runGit(t, r.dir, "rev-parse", "main:a"); got != folder {
		t.Errorf("a write beside it makes another folder %s", got)
	}
	check("after a write", repository)
}
