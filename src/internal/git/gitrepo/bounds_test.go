package gitrepo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// nested is a folder of this many levels, each with so many entries that are all the level below, and the last with an object.
func nested(t *testing.T, dir, object, mode, name string, levels, entries int) string {
	t.Helper()
	for range levels {
		all := make([]entry, entries)
		for i := range all {
			all[i] = entry{mode, fmt.Sprintf("%s%d.yml", name, i), object}
		}
		object, mode = literalTree(t, dir, all...), "40000"
	}
	return object
}

// TestTreeBomb has a few objects that stand for billions of files, or for folders without end: they are refused where they are cloned and where they are pushed, in bounded memory, and
// the head stays until they have gone.
func TestTreeBomb(t *testing.T) {
	const most = 100 << 20
	for _, tt := range []struct {
		name            string
		file            bool // at the bottom
		part            string
		levels, entries int
		want            string
	}{
		{"files", true, "f", 12, 10, "more than 2000000 files and folders"},
		{"folders only", false, "f", 12, 10, "more than 2000000 files and folders"},
		{"long names", true, strings.Repeat("n", 200), 12, 10, "whose paths have more than 268435456 bytes"},
		{"folders in each other", true, "f", 1000, 1, "folders in each other whose path has more than 4096 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRemote(t, map[string]string{"a/x.yml": "1"})
			dir := t.TempDir()
			repository := openRepository(t, r.dir, dir)
			first := repositoryHead(t, r)
			object, mode := runGit(t, r.dir, "rev-parse", "main:a/x.yml"), "100644"
			if !tt.file {
				object, mode = literalTree(t, r.dir), "40000"
			}
			bomb := nested(t, r.dir, object, mode, tt.part, tt.levels, tt.entries)
			root := literalTree(t, r.dir, entry{"40000", "a", runGit(t, r.dir, "rev-parse", "main:a")}, entry{"40000", "environments", bomb})
			commit := runGit(t, r.dir, "commit-tree", root, "-p", first, "-m", "hostile")
			runGit(t, r.dir, "update-ref", "refs/heads/main", commit)

			refused := func(what string, do func() error) {
				t.Helper()
				var err error
				peak := testheap.Peak(func() { err = do() })
				if e := dovetail.AsError(err); dovetail.CodeOf(err) != dovetail.CodeUnprocessable || e.Reason != gitrepo.ReasonTooLarge || !strings.Contains(e.Message, tt.want) || len(e.Position.File) > 300 {
					t.Errorf("%s: %v", what, err)
				}
				if peak > most {
					t.Errorf("%s took %d MB", what, peak>>20)
				}
			}
			pull := func() error { _, err := repository.Pull(t.Context()); return err }
			refused("following", pull)
			refused("following again", pull)
			refused("cloning", func() error { _, err := gitrepo.Open(t.Context(), options(r.dir, t.TempDir())); return err })
			if repository.Head() != first {
				t.Errorf("the head is %s", repository.Head())
			}
			if ref := runGit(t, dir, "rev-parse", "refs/heads/main"); ref != first {
				t.Errorf("the next process starts from %s", ref)
			}
			tree := runGit(t, r.dir, "rev-parse", first+"^{tree}")
			runGit(t, r.dir, "update-ref", "refs/heads/main", runGit(t, r.dir, "commit-tree", tree, "-p", commit, "-m", "without it"))
			if err := pull(); err != nil || repository.Head() == first {
				t.Errorf("without it: %v", err)
			}
		})
	}
}
