package app

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/instancerepo"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// agree checks that a database, which no server has open, says what the files of a remote do, that it knows so,
// and that neither is damaged.
func agree(t testing.TB, location string, remote *gittest.Remote) {
	t.Helper()
	ctx := context.Background() // also when the test has ended
	db, err := OpenDatabase(ctx, location, "", store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	checkout := filepath.Join(t.TempDir(), "checkout")
	if out, err := gittest.Git(remote.Dir, "clone", "-q", remote.Dir, checkout); err != nil {
		t.Fatal(out)
	}
	folder, err := instancerepo.Open(checkout)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := instancerepo.Survey(folder.Files(ctx))
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, kind := range instancerepo.Kinds() {
		for _, err := range db.Documents(ctx, store.ListQuery{Kind: kind}) {
			if err != nil {
				t.Fatal(err)
			}
			held++
		}
	}
	want := contents.Documents()
	if held != len(want) {
		t.Errorf("the store has %d documents, the files say %d", held, len(want))
	}
	for _, d := range want {
		doc, err := db.Get(ctx, d.ID)
		if err != nil {
			t.Error(err)
			continue
		}
		stored, err := instancerepo.FromStored(doc)
		if err != nil {
			t.Fatal(err)
		}
		stored.Data.Get("spec").Delete("generated") // which no file says
		if !value.Equal(stored.Data, d.Data) {
			t.Errorf("%s is %s in the store, and in the repository %s", d.ID, stored.Data.JSON(), d.Data.JSON())
		}
	}
	if record, err := db.Get(ctx, "instanceRepository/attached"); err != nil || !strings.Contains(string(record.Status), remote.Head()) {
		t.Errorf("the store follows %s, the head is %s: %v", record.Status, remote.Head(), err)
	}
	for finding, err := range db.Check(ctx, false) {
		t.Errorf("fsck: %+v %v", finding, err)
	}
	remote.Fsck()
}

// withGit starts a server with an instance repository, and checks in the end that the two agree.
func withGit(t testing.TB, remote *gittest.Remote, given map[string]string) *running {
	t.Helper()
	flags := map[string]string{"instance-repo": remote.Dir, "instance-repo-clone": filepath.Join(t.TempDir(), "clone.git")}
	for name, text := range given {
		flags[name] = text
	}
	server := start(t, flags)
	t.Cleanup(func() {
		if err := server.stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// TestUseCasesWithGit runs the use cases of overrides with a repository behind them, on both databases, and
// reached both ways.
func TestUseCasesWithGit(t *testing.T) {
	for _, test := range []struct {
		name  string
		http  bool
		mongo bool
	}{
		{"bolt, folder", false, false},
		{"bolt, http", true, false},
		{"mongo, folder", false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			overridetest.Run(t, func(t testing.TB, files map[string]string) string {
				remote := gittest.New(t, files)
				given := map[string]string{}
				if test.http {
					given["instance-repo"] = remote.Serve()
				}
				if test.mongo {
					given["store"] = freshMongo(t).String()
				}
				server := withGit(t, remote, given)
				t.Cleanup(func() {
					if err := server.stop(); err != nil {
						t.Error(err)
					}
					agree(t, server.config.Store, remote)
				})
				return server.URL()
			})
		})
	}
}
