package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
	"github.com/dovetail-store/dovetail/src/store"
)

// agree checks that a database, which no server has open, has exactly the documents of the files of a remote.
func agree(t testing.TB, location string, remote *gittest.Remote) {
	t.Helper()
	db, err := OpenDatabase(context.Background(), location, "", store.Config{}) // also when the test has ended
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	apptest.RequireOnly(t, db.Store, remote)
}

const (
	overridePath = "/api/ui-override"
	overrideFile = "environments/c1/dev/Inventory/parameters/deploy-ui-override.yaml"
	overrideOf   = overridePath + "?environmentId=c1/dev&context=deploy"
)

// conditional is call with a header If-Match, where it is not "", and returns the ETag too.
func (r *running) conditional(t testing.TB, method, path, body, ifMatch string) (status int, tag, text string) {
	t.Helper()
	request := r.request(t, method, path, body)
	if ifMatch != "" {
		request.Header.Set("If-Match", ifMatch)
	}
	status, header, text := roundTrip(t, request)
	return status, header.Get("Etag"), text
}

// followed waits until a server follows the head of a remote.
func followed(t testing.TB, server *running, remote *gittest.Remote) {
	t.Helper()
	eventually(t, "the server follows", func() bool {
		_, text := server.call(t, "GET", "/readyz", "")
		return strings.Contains(text, remote.Head())
	})
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

// TestForeignCommitsAreNoticed waits for a commit of another writer, and for the report of its defects.
func TestForeignCommitsAreNoticed(t *testing.T) {
	t.Parallel()
	remote := gittest.New(t, apptest.InstanceFiles())
	server := withGit(t, remote, map[string]string{"instance-repo-interval": "30ms"})
	remote.Push("theirs", map[string]string{overrideFile: "name: deploy-ui-override\nparameters: {MINE: 1}\n", "environments/c1/dev/bg_domain.yml": "a: [",
		"environments/c1/dev/Inventory/env_definition.yml": "envTemplate: {envSpecificParamsets: {cloud: [deploy-ui-override]}}\n"})
	followed(t, server, remote)
	status, _, text := server.conditional(t, "GET", overrideOf, "", "")
	if status != 200 || !strings.Contains(text, `"MINE":1`) {
		t.Errorf("%d %s", status, text)
	}
	if _, text := server.call(t, "GET", "/metrics", ""); !strings.Contains(text, "dovetail_instance_repo_defects 2") || !strings.Contains(text, "dovetail_instance_repo_following 1") {
		t.Error("the metrics do not tell of the defects")
	}
	var record struct {
		Status struct {
			Head    string
			Defects struct {
				First []struct{ File, Reason string }
			}
		}
	}
	if err := json.Unmarshal([]byte(server.must(t, 200, "GET", "/v2/instance-repositories/attached?view=document", "")), &record); err != nil {
		t.Fatal(err)
	}
	if got := record.Status; got.Head != remote.Head() || len(got.Defects.First) != 2 || got.Defects.First[1].File != "environments/c1/dev/bg_domain.yml" {
		t.Errorf("%+v", got)
	}
	server.must(t, 403, "DELETE", "/v2/instance-repositories/attached", "")
	server.must(t, 422, "POST", "/v2/clusters", named("alone"))
}
