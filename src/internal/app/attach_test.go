package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/instancerepo"
	"github.com/dovetail-store/dovetail/src/override"
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
	checkout := t.TempDir()
	remote.Checkout(checkout)
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

// TestUseCasesWithGit runs the use cases of overrides with a repository behind them, on both databases and reached both
// ways.
func TestUseCasesWithGit(t *testing.T) {
	t.Parallel() // they mostly wait for Git
	for _, test := range []struct {
		name  string
		http  bool
		mongo bool
	}{
		{"bolt, folder", false, false},
		{"mongo, http", true, true},
	} {
		starting := func(mode override.Mode) overridetest.Start {
			return func(t testing.TB, files map[string]string) string {
				remote := gittest.New(t, files)
				given := map[string]string{"override-mode": string(mode)}
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
			}
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			overridetest.Run(t, starting(override.ModeParamSet))
		})
		t.Run(test.name+"/conflicts", func(t *testing.T) {
			t.Parallel()
			overridetest.RunConflicts(t, starting(override.ModeParamSet))
		})
		t.Run(test.name+"/mode effective-set", func(t *testing.T) {
			t.Parallel()
			overridetest.RunEffectiveSetMode(t, starting(override.ModeEffectiveSet))
		})
	}
}

// TestModesAreOneCommit sees that a write of an override is one commit with all that its mode writes, and only
// that.
func TestModesAreOneCommit(t *testing.T) {
	t.Parallel()
	const (
		env        = "environments/cluster-01/env-01/"
		definition = env + "Inventory/env_definition.yml"
		paramSet   = env + "Inventory/parameters/core-my-app-deploy-ui-override.yaml"
		instance   = env + "Namespaces/core/Applications/my-app.yml"
		set        = env + "effective-set/deployment/core/my-app/values/deployment-parameters.yaml"
		body       = `{"environmentId":"cluster-01/env-01","context":"deploy","namespaceName":"env-01-core","applicationName":"my-app",` +
			`"commitMessage":"why","commitUser":"Ann","commitUserEmail":"ann@example.com","parameters":{"OVERRIDDEN":%d}}`
	)
	for mode, further := range map[override.Mode][]string{override.ModeParamSet: nil, override.ModeInstance: {instance}, override.ModeEffectiveSet: {instance, set}} {
		t.Run(string(mode), func(t *testing.T) {
			remote := gittest.New(t, overridetest.Inventory())
			server := withGit(t, remote, map[string]string{"override-mode": string(mode), "instance-repo": remote.Serve()})
			write := func(method, path, body string, want int, files ...string) {
				t.Helper()
				before := remote.Head()
				status, tag, text := server.conditional(t, method, path, body, map[bool]string{true: "*"}[method != "POST"])
				if status != want {
					t.Fatalf("%s: %d %s", method, status, text)
				}
				commits, err := gittest.Git(remote.Dir, "log", "--format=%H %an <%ae> %s", before+"..main")
				if want := remote.Head() + " Ann <ann@example.com> why"; err != nil || commits != want {
					t.Errorf("%s made the commits %q, want %q", method, commits, want)
				}
				if method != "DELETE" && tag != `"`+remote.Head()+`"` {
					t.Errorf("the version is %s", tag)
				}
				slices.Sort(files)
				if changed, err := gittest.Git(remote.Dir, "diff", "--name-only", before, "main"); err != nil || changed != strings.Join(files, "\n") {
					t.Errorf("%s changed %s, want %s", method, changed, files)
				}
			}
			write("POST", overridePath, fmt.Sprintf(body, 1), 201, append([]string{definition, paramSet}, further...)...)
			write("PUT", overridePath, fmt.Sprintf(body, 2), 200, append([]string{paramSet}, further...)...)
			for _, file := range further {
				if text, _ := remote.Show(file); !strings.Contains(text, "OVERRIDDEN: 2\n") || !strings.Contains(text, "KEPT: ") {
					t.Errorf("%s is\n%s", file, text)
				}
			}
			write("DELETE", overridePath+"?environmentId=cluster-01/env-01&context=deploy&namespaceName=env-01-core&applicationName=my-app&commitMessage=why&commitUser=Ann&commitUserEmail=ann@example.com",
				"", 204, definition, paramSet)
			if text, _ := remote.Show(definition); text != overridetest.Inventory()[definition] {
				t.Errorf("the inventory is not as it was:\n%s", text)
			}
		})
	}
}
