package app

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/store"
)

// filesIn are the files of a folder, with another name of a cluster.
func filesIn(t testing.TB, folder, cluster, renamed string) map[string]string {
	t.Helper()
	repository, err := instancerepo.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for f, err := range repository.Files(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		files[strings.Replace(f.Path, "environments/"+cluster+"/", "environments/"+renamed+"/", 1)] = string(f.Data)
	}
	return files
}

const pl01Repository = "../../override/effectiveset/testdata/pl-01/repo"

func (r *running) body(t *testing.T, path string) string {
	t.Helper()
	_, body := r.call(t, "GET", path, "")
	return body
}

func checkSeveral(t testing.TB, location string, remotes map[string]*gittest.Remote) map[string]int {
	t.Helper()
	db, err := OpenDatabase(context.Background(), location, "", store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	stored := make(map[string]int)
	for name, remote := range remotes {
		stored[name], _ = apptest.RequireAgreement(t, db.Store, name, remote)
	}
	for finding, err := range db.Check(context.Background(), false) {
		t.Errorf("fsck: %+v %v", finding, err)
	}
	return stored
}

// TestRealRepositoriesTogether attaches two real repositories to one server, of which every document is stored, or named where another repository holds it.
func TestRealRepositoriesTogether(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, cluster string // of the second repository, where it has cluster-01
		stored        int    // of its documents
	}{
		{"clusters of different names", "pl-cluster", 51},
		{"the same cluster in both", "cluster-01", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			remotes := map[string]*gittest.Remote{"sample": gittest.New(t, filesIn(t, sampleRepository, "-", "-")), "pl": gittest.New(t, filesIn(t, pl01Repository, "cluster-01", test.cluster))}
			server := start(t, map[string]string{"instance-repo-clone": t.TempDir(), "instance-repo-interval": "50ms", "instance-repos": apptest.RepositoriesFile(t,
				"{name: sample, url: "+remotes["sample"].Dir+", clusters: ['*'], new: true}", "{name: pl, url: "+remotes["pl"].Dir+", clusters: [pl-*]}")})
			ready, metrics := server.body(t, "/readyz"), server.body(t, "/metrics")
			for name, remote := range remotes {
				if want := `{"name":"instance-repository/` + name + `","status":"ok","detail":"follows ` + remote.Head() + `"}`; !strings.Contains(ready, want) {
					t.Errorf("%s is not in %s", want, ready)
				}
				if want := `dovetail_instance_repo_following{repository="` + name + `"} 1`; !strings.Contains(metrics, want) {
					t.Errorf("%s is not in the metrics", want)
				}
			}
			for name, file := range map[string]string{"sample": "environments/cluster-01/env-01/tenant.yml", "pl": "environments/pl-cluster/new/tenant.yml"} {
				remotes[name].Push("foreign", map[string]string{file: "name: pushed\n"})
				eventually(t, name+" is followed", func() bool { return strings.Contains(server.body(t, "/readyz"), remotes[name].Head()) })
			}
			if err := server.stop(); err != nil {
				t.Fatal(err)
			}
			stored := checkSeveral(t, server.config.Store, remotes)
			if stored["pl"] != test.stored || stored["sample"] < 100 {
				t.Errorf("stored: %v", stored)
			}
		})
	}
}

// regionFiles are those of a small repository of a region.
func regionFiles(name string) map[string]string {
	return map[string]string{
		"environments/" + name + "-1/dev/Inventory/env_definition.yml":  "envTemplate: {name: t}\n",
		"environments/" + name + "-1/dev/Inventory/parameters/own.yaml": "name: own\nparameters: {A: \"0\"}\n",
	}
}

func ownPath(name string) string {
	return "/v2/clusters/" + name + "-1/environments/dev/param-sets/own"
}

func ownBody(text string) string {
	return `{"metadata":{"name":"own"},"spec":{"name":"own","parameters":{"A":"` + text + `"}}}`
}

// TestSeveralOfAServer: writes by request, while a repository cannot be reached, and once it can.
func TestSeveralOfAServer(t *testing.T) {
	t.Parallel()
	remotes := map[string]*gittest.Remote{"eu": gittest.New(t, regionFiles("eu")), "us": gittest.New(t, regionFiles("us"))}
	away := remotes["us"].Dir + ".away"
	if err := os.Rename(remotes["us"].Dir, away); err != nil {
		t.Fatal(err)
	}
	server := start(t, map[string]string{"instance-repo-clone": t.TempDir(), "instance-repo-interval": "50ms", "instance-repos": apptest.RepositoriesFile(t,
		"{name: eu, url: "+remotes["eu"].Dir+", clusters: [eu-*]}", "{name: us, url: file://"+remotes["us"].Dir+", clusters: [us-*]}")})
	if status, body := server.call(t, "PUT", ownPath("eu"), ownBody("1")); status != 200 {
		t.Errorf("to eu: %d %s", status, body)
	}
	if status, body := server.call(t, "POST", "/v2/clusters", `{"metadata":{"name":"us-2"}}`); status != 503 || !strings.Contains(body, "us") {
		t.Errorf("to us, which cannot be reached: %d %s", status, body)
	}
	if ready := server.body(t, "/readyz"); !strings.Contains(ready, `"instance-repository/us","status":"degraded","detail":"does not follow; see the log"`) {
		t.Errorf("ready: %s", ready)
	}
	if err := os.Rename(away, remotes["us"].Dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "us is attached, and takes writes", func() bool {
		status, _ := server.call(t, "PUT", ownPath("us"), ownBody("1"))
		return status == 200
	})
	if status, body := server.call(t, "POST", "/v2/clusters", `{"metadata":{"name":"asia-1"}}`); status != 422 || !strings.Contains(body, "NO_REPOSITORY") || !strings.Contains(body, "eu, us") {
		t.Errorf("a cluster of none: %d %s", status, body)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	checkSeveral(t, server.config.Store, remotes)
}

// TestProposedInOneOfSeveral proposes change sets as branches of the repository that holds their documents, and follows their merge. One with documents of two is
// refused, by request and as a transaction.
func TestProposedInOneOfSeveral(t *testing.T) {
	t.Parallel()
	remotes := map[string]*gittest.Remote{"eu": gittest.New(t, regionFiles("eu")), "us": gittest.New(t, regionFiles("us"))}
	server := start(t, map[string]string{"instance-repo-clone": t.TempDir(), "instance-repo-interval": "50ms", "instance-repos": apptest.RepositoriesFile(t,
		"{name: eu, url: "+remotes["eu"].Dir+", clusters: [eu-*]}", "{name: us, url: "+remotes["us"].Dir+", clusters: [us-*]}")})
	for _, set := range []struct {
		name  string
		names []string
	}{{"one", []string{"us"}}, {"both", []string{"eu", "us"}}} {
		server.must(t, 201, "POST", "/api/change-sets", `{"name":"`+set.name+`","title":"t"}`)
		for _, name := range set.names {
			server.must(t, 200, "PUT", ownPath(name)+"?changeSet="+set.name, ownBody("of "+set.name))
		}
	}
	if body := server.must(t, 422, "POST", "/api/change-sets/both/propose", ""); !strings.Contains(body, "SEVERAL_REPOSITORIES") || !strings.Contains(body, "held by the instance repository eu") {
		t.Errorf("proposed: %s", body)
	}
	if body := server.must(t, 422, "POST", "/api/change-sets/both/merge", ""); !strings.Contains(body, "SEVERAL_REPOSITORIES") {
		t.Errorf("merged: %s", body)
	}
	server.must(t, 200, "POST", "/api/change-sets/one/propose", "")
	if body := server.must(t, 200, "GET", "/api/change-sets/one", ""); !strings.Contains(body, `"repository":"us"`) || !strings.Contains(body, `"into":"main"`) {
		t.Errorf("the change set is %s", body)
	}
	if out, err := gittest.Git(remotes["eu"].Dir, "for-each-ref", "--format=%(refname)", "refs/heads/change-set"); err != nil || out != "" {
		t.Errorf("eu has the branches %s, %v", out, err)
	}
	remotes["us"].Pull()
	for _, args := range [][]string{{"fetch", "-q", "origin", "change-set/one"}, {"-c", "user.name=x", "-c", "user.email=x@x", "merge", "-q", "--no-ff", "-m", "merge", "FETCH_HEAD"}, {"push", "-q", "origin", "main"}} {
		if out, err := gittest.Git(remotes["us"].Clone, args...); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	eventually(t, "the change set is merged", func() bool {
		return strings.Contains(server.must(t, 200, "GET", "/api/change-sets/one", ""), `"state":"merged"`)
	})
	if body := server.must(t, 200, "GET", ownPath("us"), ""); !strings.Contains(body, "of one") {
		t.Errorf("the document is %s", body)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	checkSeveral(t, server.config.Store, remotes)
}

// TestKeysOfSeveral: a new value is encrypted with the key of the repository that gets it.
func TestKeysOfSeveral(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keys, remotes := make(map[string]*ciphertext.Keys), make(map[string]*gittest.Remote)
	var entries []string
	for name, text := range map[string]string{"eu": "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=", "us": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if keys[name], err = ciphertext.ReadKeys(file); err != nil {
			t.Fatal(err)
		}
		files := regionFiles(name)
		files["environments/"+name+"-1/dev/Credentials/credentials.yml"] = "old:\n  type: secret\n  data:\n    secret: \"" + keys[name].Seal("old") + "\"\n"
		remotes[name] = gittest.New(t, files)
		entries = append(entries, "{name: "+name+", url: "+remotes[name].Dir+", clusters: ["+name+"-*], credentialKeys: "+file+"}")
	}
	server := start(t, map[string]string{"instance-repo-clone": t.TempDir(), "instance-repo-interval": "50ms", "instance-repos": apptest.RepositoriesFile(t, entries...)})
	for name, remote := range remotes {
		server.must(t, 201, "POST", "/v2/clusters/"+name+"-1/environments/dev/credentials", `{"metadata":{"name":"new"},"spec":{"type":"secret","data":{"secret":"sesame"}}}`)
		text, _ := remote.Show("environments/" + name + "-1/dev/Credentials/credentials.yml")
		tokens := regexp.MustCompile(`\[encrypted:AES256_Fernet\][-\w=]+`).FindAllString(text, -1)
		if len(tokens) != 2 || strings.Contains(text, "sesame") {
			t.Fatalf("%s has %s", name, text)
		}
		var plain []string
		for _, token := range tokens {
			got, err := keys[name].Open(token)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			plain = append(plain, got)
		}
		if slices.Sort(plain); !slices.Equal(plain, []string{"old", "sesame"}) {
			t.Errorf("%s has %q", name, plain)
		}
	}
}
