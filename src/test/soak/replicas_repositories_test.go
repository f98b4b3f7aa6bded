package soak_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// environmentsOf are the files of a small repository of a region with some environments, whose inventories name a ParamSet of all.
func environmentsOf(name string, n int) map[string]string {
	files := make(map[string]string)
	for i := range n {
		folder := fmt.Sprintf("environments/%s-1/e%d/Inventory/", name, i)
		files[folder+"env_definition.yml"] = "envTemplate:\n  name: t\n  envSpecificParamsets:\n    cloud:\n      - own\n      - shared\n"
		files[folder+"parameters/own.yaml"] = "name: own\nparameters: {A: \"0\"}\n"
	}
	return files
}

// TestSeveralOnMongo has two processes on one database follow two repositories from the beginning. Both write to both, others push to both, also what environments of the other
// repository refer to, and one process is killed and starts again: nothing that was confirmed is lost, each commit is there once, and the store and Git agree.
func TestSeveralOnMongo(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	const writers = 2 // of each repository in each process, each with an environment of its own
	location, names := mongotest.Location(t).String(), []string{"eu", "us"}
	remotes := map[string]*gittest.Remote{}
	for _, name := range names {
		remotes[name] = gittest.New(t, environmentsOf(name, 2*writers))
	}
	secret := filepath.Join(t.TempDir(), "secret")
	writeFile(t, secret, hookSecret)
	prepared := func() *apptest.Process {
		return apptest.NewProcess(t, "--log-level", "warn", "--store", location, "--instance-repo-interval", "1h", "--instance-repo-clone", t.TempDir(),
			"--instance-repo-webhook-secret-file", secret, "--instance-repos", apptest.RepositoriesFile(t,
				"{name: eu, url: "+remotes["eu"].Dir+", clusters: [eu-*], new: true}", "{name: us, url: "+remotes["us"].Dir+", clusters: [us-*]}"))
	}
	processes := []*apptest.Process{prepared(), prepared()}
	apptest.Together(func() { processes[0].Start(t) }, func() { processes[1].Start(t) })
	if t.Failed() {
		return
	}
	var group, pushing sync.WaitGroup
	var mu sync.Mutex
	confirmed := make(map[string]string) // by path
	writes := rounds.Of(4, 60)
	stop := make(chan struct{})
	answered := make(map[string]chan struct{}) // that a write to a repository was answered
	for _, name := range names {
		answered[name] = make(chan struct{}, 1)
	}
	for i, p := range processes {
		for _, name := range names {
			for w := range writers {
				group.Go(func() {
					path := ownPath(name, i*writers+w)
					for n := 0; n < writes; n++ {
						text := fmt.Sprintf("%d-%d-%d", i, w, n)
						status, answer, err := p.Call(t.Context(), http.MethodPut, path, ownBody(text))
						switch {
						case err != nil: // the process was killed
							n--
							apptest.Eventually(t, "the process is ready again", func() bool { return p.Ready(t.Context()) })
						case status == 200:
							mu.Lock()
							confirmed[path] = text
							mu.Unlock()
						case status != 409 && status != 503:
							t.Errorf("%s: %d %s", path, status, answer)
						}
						if err == nil {
							signal(answered[name])
						}
					}
				})
			}
		}
	}
	for _, name := range names {
		pushing.Go(func() {
			for n := 0; ; n++ {
				select { // on a slow machine writers would never be the first
				case <-stop:
					return
				case <-answered[name]:
				}
				files := map[string]string{fmt.Sprintf("environments/%s-1/foreign-%d/Inventory/env_definition.yml", name, n%3): "envTemplate: {name: t" + fmt.Sprint(n) + "}\n"}
				if name == "eu" { // which all environments name
					if files["environments/parameters/shared.yaml"] = "name: shared\nparameters: {S: " + fmt.Sprint(n) + "}\n"; n%2 == 1 {
						files["environments/parameters/shared.yaml"] = gittest.Gone
					}
				}
				remotes[name].Pull()
				remotes[name].Commit("foreign", files)
				_, _ = gittest.Git(remotes[name].Clone, "push", "-q", "origin", "main") // or lost to a writer, and made again
			}
		})
	}
	processes[1].Kill()
	processes[1].Start(t)
	group.Wait()
	close(stop)
	pushing.Wait()
	for _, name := range names {
		remotes[name].Pull()
		remotes[name].Push("last", map[string]string{"environments/" + name + "-1/last/Inventory/env_definition.yml": "envTemplate: {name: t}\n"})
		answer, err := processes[1].Send(t.Context(), http.MethodPost, "/git-webhook?repository="+name, "", "X-Gitlab-Token", hookSecret)
		if err != nil || answer.Status != 202 { // whichever process polls
			t.Errorf("the webhook of %s: %+v %v", name, answer, err)
		}
	}
	for path, text := range confirmed {
		parts := strings.Split(path, "/")
		name := strings.TrimSuffix(parts[3], "-1")
		file := fmt.Sprintf("environments/%s/%s/Inventory/parameters/own.yaml", parts[3], parts[5])
		got, _ := remotes[name].Show(file)
		for _, p := range processes {
			apptest.Eventually(t, path+" is as the file says it", func() bool {
				status, answer, err := p.Call(t.Context(), http.MethodGet, path, "")
				return err == nil && status == 200 && strings.Contains(answer, valueIn(got))
			})
		}
		if numberOf(valueIn(got)) < numberOf(text) {
			t.Errorf("%s has %s, confirmed was %s", file, got, text)
		}
		log, err := gittest.Git(remotes[name].Dir, "log", "--format=%s", "-S"+text, "main", "--", file)
		if err != nil || log == "" {
			t.Errorf("%s of %s is not in the history: %v", text, file, err)
		}
	}
	if len(confirmed) < 2*writers {
		t.Errorf("confirmed: %v", confirmed)
	}
	for _, name := range names {
		for _, p := range processes {
			apptest.Eventually(t, name+" is followed", func() bool {
				_, answer, err := p.Call(t.Context(), http.MethodGet, "/v2/instance-repositories/"+name, "")
				return err == nil && strings.Contains(answer, remotes[name].Head())
			})
		}
	}
	for _, p := range processes {
		p.Kill()
	}
	requireAgreementOfAll(t, location, remotes)
}

// requireAgreementOfAll checks a database, which no process has open, against the repositories that are attached to it, by name.
func requireAgreementOfAll(t *testing.T, location string, remotes map[string]*gittest.Remote) {
	t.Helper()
	db, err := app.OpenDatabase(t.Context(), location, "", store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, remote := range remotes {
		apptest.RequireAgreement(t, db.Store, name, remote)
	}
	for finding, err := range db.Check(t.Context(), false) {
		t.Errorf("fsck: %+v %v", finding, err)
	}
}

func ownPath(name string, environment int) string {
	return fmt.Sprintf("/v2/clusters/%s-1/environments/e%d/param-sets/own", name, environment)
}

func ownBody(text string) string {
	return `{"metadata":{"name":"own"},"spec":{"name":"own","parameters":{"A":"` + text + `"}}}`
}

// hookSecret is the secret of the webhook of a Git host.
const hookSecret = "It's a Secret to Everybody"

// numberOf is the last number of a text, which says how many writes of its writer came before.
func numberOf(text string) int {
	n, err := strconv.Atoi(text[strings.LastIndexByte(text, '-')+1:])
	if err != nil {
		return -1
	}
	return n
}

// valueIn is the parameter A of a file.
func valueIn(file string) string {
	_, rest, _ := strings.Cut(file, "A: ")
	text, _, _ := strings.Cut(rest, "\n")
	return strings.Trim(text, `"{} `)
}
