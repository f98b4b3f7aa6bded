package soak_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// raceFleet is how many environments the repository of TestFleetRace has: few, 10,000 in long runs, or DOVETAIL_TEST_ENVIRONMENTS.
func raceFleet(t testing.TB) int {
	t.Helper()
	text := os.Getenv("DOVETAIL_TEST_ENVIRONMENTS")
	if text == "" {
		return rounds.Of(40, 10_000)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The ParamSets of each environment, by who changes them: writers of the API, change sets that are proposed as branches, and people who push.
const (
	setOfWriters   = "written"
	setOfProposals = "proposed"
	setOfPushes    = "pushed"
)

func raceEnvironment(i int) (cluster, name string) {
	return fmt.Sprintf("cluster-%02d", i%20), fmt.Sprintf("env-%05d", i)
}

func raceFile(i int, set string) string {
	cluster, name := raceEnvironment(i)
	return fmt.Sprintf("environments/%s/%s/Inventory/parameters/%s.yaml", cluster, name, set)
}

func raceText(set string, n int64) string {
	return fmt.Sprintf("name: %s\nparameters:\n  N: %d\n", set, n)
}

func raceFiles(environments int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range environments {
			cluster, name := raceEnvironment(i)
			folder := "environments/" + cluster + "/" + name
			files := map[string]string{folder + "/Inventory/env_definition.yml": "envTemplate:\n  envSpecificParamsets:\n    cloud: [" + setOfWriters + ", " + setOfProposals + ", " + setOfPushes + "]\n",
				folder + "/Namespaces/core/namespace.yml": "name: " + name + "-core\n"}
			for _, set := range []string{setOfWriters, setOfProposals, setOfPushes} {
				files[raceFile(i, set)] = raceText(set, 0)
			}
			for path, text := range files {
				if !yield(path, text) {
					return
				}
			}
		}
	}
}

// fleetRace is a server with a repository, whom several write to at once. Each write has a number of its own, so that the history shows what became of it.
type fleetRace struct {
	t            *testing.T
	remote       *gittest.Remote
	p            *apptest.Process
	environments int
	numbers      atomic.Int64
	ctx          context.Context // of the actors

	mu      sync.Mutex
	changed *sync.Cond       // with mu: a write has ended, writers may go on, or the actors end
	pushAt  int              // how many writes are done before the next push
	calm    bool             // those who have reached their target pause, so that on a slow machine the others find a moment to push
	target  map[string]int   // how many writes each has to have done
	done    map[int64]string // writes that were answered as done, and by whom
	refused map[string]int
}

func (r *fleetRace) finish(n int64, who string, done bool, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if done {
		r.done[n] = who
	} else {
		r.refused[who+": "+why]++
	}
	r.changed.Broadcast()
}

// await returns when the condition holds, which it calls under the lock, or when the actors end.
func (r *fleetRace) await(condition func() bool) {
	defer context.AfterFunc(r.ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.changed.Broadcast()
	})()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.ctx.Err() == nil && !condition() {
		r.changed.Wait()
	}
}

func (r *fleetRace) put(i int, set string, n int64, query string) (int, string, error) {
	cluster, name := raceEnvironment(i)
	return r.p.Call(r.ctx, "PUT", fmt.Sprintf("/v2/clusters/%s/environments/%s/param-sets/%s%s", cluster, name, set, query),
		fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"name":%q,"parameters":{"N":%d}}}`, set, set, n))
}

// until repeats something until the actors end.
func (r *fleetRace) until(group *sync.WaitGroup, act func()) {
	group.Go(func() {
		for r.ctx.Err() == nil {
			act()
		}
	})
}

// write changes a ParamSet over the API; eight do so at once, whose commits are pushed in groups.
func (r *fleetRace) write() {
	r.await(func() bool { return r.mayGoOn("writer") })
	n := r.numbers.Add(1)
	status, text, err := r.put(rand.IntN(r.environments), setOfWriters, n, "")
	switch {
	case err != nil:
		r.finish(n, "writer", false, "no answer")
		<-r.ctx.Done() // the server was killed
	case status != 200 && status != 409 && status != 412 && status != 503:
		r.t.Errorf("a write was answered with %d %s", status, text)
	default:
		r.finish(n, "writer", status == 200, strconv.Itoa(status))
	}
}

// push commits a file upon what the remote has, as people do, and sometimes one that writers change too.
func (r *fleetRace) push(clone string) {
	// Otherwise the remote moves before another process can push.
	r.await(func() bool { return r.mayGoOn("push") && (r.calm || len(r.done) >= r.pushAt) })
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.pushAt = len(r.done) + 1 + rand.IntN(4)
	}()
	n, set := r.numbers.Add(1), setOfPushes
	if n%4 == 0 {
		set = setOfWriters
	}
	file, path := filepath.Join(clone, "text"), raceFile(rand.IntN(r.environments), set)
	if err := os.WriteFile(file, []byte(raceText(set, n)), 0o600); err != nil {
		r.t.Error(err)
		return
	}
	r.retry(n, func() {
		err := r.git(clone, "fetch", "-q", "origin", "main")
		blob := r.value(&err, clone, "hash-object", "-w", file)
		r.value(&err, clone, "read-tree", "FETCH_HEAD")
		r.value(&err, clone, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+path)
		r.land(clone, &err, n, "push", r.value(&err, clone, "write-tree"), "FETCH_HEAD")
	})
}

// retry lands a commit, at once again on what the remote has when it was moved, as people do.
func (r *fleetRace) retry(n int64, land func()) {
	for range 10 {
		land()
		r.mu.Lock()
		_, landed := r.done[n]
		r.mu.Unlock()
		if landed || r.ctx.Err() != nil {
			return
		}
	}
}

// land pushes the commit of a tree to main.
func (r *fleetRace) land(clone string, err *error, n int64, who, tree string, parents ...string) {
	arguments := []string{"commit-tree", tree, "-m", who}
	for _, parent := range parents {
		arguments = append(arguments, "-p", parent)
	}
	commit := r.value(err, clone, arguments...)
	if *err != nil {
		if r.ctx.Err() == nil {
			r.t.Errorf("%s: %v", who, *err)
		}
		return
	}
	r.finish(n, who, r.git(clone, "push", "-q", "origin", commit+":refs/heads/main") == nil, "main had moved")
}

// propose makes a change set, which is pushed as a branch, and merges that into main, as a merge request does.
func (r *fleetRace) propose(clone string) {
	r.await(func() bool { return r.mayGoOn("merge") })
	n := r.numbers.Add(1)
	name := fmt.Sprintf("c%d", n)
	steps := []func() (int, string, error){
		func() (int, string, error) { return r.p.Call(r.ctx, "POST", "/api/change-sets", `{"name":"`+name+`"}`) },
		func() (int, string, error) {
			return r.put(rand.IntN(r.environments), setOfProposals, n, "?changeSet="+name)
		},
		func() (int, string, error) { return r.p.Call(r.ctx, "POST", "/api/change-sets/"+name+"/propose", "") },
	}
	for _, step := range steps {
		if status, text, err := step(); err != nil || status >= 300 {
			r.finish(n, "proposal", false, fmt.Sprint(status))
			if err == nil && status != 409 && status != 412 && status != 503 {
				r.t.Errorf("a proposal was answered with %d %s", status, text)
			}
			if err != nil {
				<-r.ctx.Done() // the server was killed
			}
			return
		}
	}
	branch := "refs/heads/change-set/" + name
	r.retry(n, func() {
		err := r.git(clone, "fetch", "-q", "origin", "+main:refs/remotes/origin/main", "+"+branch+":refs/remotes/origin/proposed")
		tree := r.value(&err, clone, "merge-tree", "--write-tree", "origin/main", "origin/proposed")
		r.land(clone, &err, n, "merge", tree, "origin/main", "origin/proposed")
	})
}

func (r *fleetRace) git(dir string, arguments ...string) error {
	out, err := gittest.Git(dir, arguments...)
	if err != nil {
		return fmt.Errorf("git %v: %w: %s", arguments, err, out)
	}
	return nil
}

// value is what git prints, unless an earlier command failed.
func (r *fleetRace) value(err *error, dir string, arguments ...string) (out string) {
	if *err != nil {
		return ""
	}
	if out, *err = gittest.Git(dir, arguments...); *err != nil {
		*err = fmt.Errorf("git %v: %w: %s", arguments, *err, out)
	}
	return out
}

func (r *fleetRace) clone() string {
	dir := r.t.TempDir()
	if err := r.git(dir, "clone", "-q", "--bare", r.remote.Dir, "."); err != nil {
		r.t.Fatal(err)
	}
	return dir
}

// counts returns how many writes were done, by whom. The caller holds the lock.
func (r *fleetRace) counts() map[string]int {
	by := make(map[string]int)
	for _, who := range r.done {
		by[who]++
	}
	return by
}

// run lets all act until each has done some writes more, kills the server while they go on, and starts it again.
func (r *fleetRace) run(more int, pusher, merger string) {
	const writers = 8
	var group sync.WaitGroup
	ctx, stop := context.WithTimeout(r.t.Context(), time.Duration(more)*apptest.Patience)
	defer stop()
	r.ctx = ctx
	r.mu.Lock()
	before := r.counts()
	r.target = map[string]int{"writer": before["writer"] + more*writers, "push": before["push"] + more, "merge": before["merge"] + more}
	r.mu.Unlock()
	for range writers {
		r.until(&group, r.write)
	}
	r.until(&group, func() { r.push(pusher) })
	r.until(&group, func() { r.propose(merger) })
	hasDone := func(who string) bool { return r.t.Failed() || r.counts()[who] >= r.target[who] }
	r.await(func() bool { return hasDone("writer") })
	r.pause(true)
	r.await(func() bool { return hasDone("push") && hasDone("merge") })
	r.pause(false)
	begun := r.numbers.Load()
	r.await(func() bool { return r.t.Failed() || r.numbers.Load() > begun+writers }) // so that it is killed while all act
	if ctx.Err() != nil {
		r.t.Errorf("not each has done something in time: done %v, before %v, refused %v", r.counts(), before, r.refused)
	}
	r.p.Kill()
	stop()
	group.Wait()
	r.p.Start(r.t)
}

// mayGoOn reports whether a writer of a kind may write again. The caller holds the lock.
func (r *fleetRace) mayGoOn(who string) bool { return !r.calm || r.counts()[who] < r.target[who] }

// pause has those who have reached their target pause, or go on.
func (r *fleetRace) pause(calm bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calm = calm
	r.changed.Broadcast()
}

// TestFleetRace lets eight writers, whose commits go in groups, people who push, and change sets that are proposed as branches and merged meet in one repository, and kills the server
// with SIGKILL meanwhile: nothing that was answered as done is lost, no commit touches what it is not about, and the server agrees with the repository. In long runs the repository has 10,000 environments.
func TestFleetRace(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	environments := raceFleet(t)
	r := &fleetRace{t: t, remote: gittest.NewLarge(t, raceFiles(environments)), environments: environments, done: make(map[int64]string), refused: make(map[string]int)}
	r.changed = sync.NewCond(&r.mu)
	base := r.remote.Head()
	location := "bolt:" + filepath.Join(t.TempDir(), "dovetail.db")
	began := time.Now()
	r.p = apptest.StartProcess(t, "--store", location, "--instance-repo", r.remote.Dir, "--branch", "main", "--instance-repo-interval", "100ms", "--instance-repo-clone", filepath.Join(t.TempDir(), "clone.git"))
	t.Logf("%d environments are attached after %v", environments, time.Since(began))
	pusher, merger := r.clone(), r.clone()
	for range rounds.Of(2, 5) {
		r.run(rounds.Of(1, 20), pusher, merger)
	}
	// What was merged is taken over, which change sets show.
	r.ctx = t.Context()
	apptest.Eventually(t, "the server follows", func() bool {
		_, text, _ := r.p.Call(t.Context(), "GET", "/readyz", "")
		return strings.Contains(text, r.remote.Head())
	})
	for n, who := range r.done {
		if who != "merge" {
			continue
		}
		apptest.Eventually(t, "a change set is taken over", func() bool {
			_, text, _ := r.p.Call(t.Context(), "GET", fmt.Sprintf("/api/change-sets/c%d", n), "")
			return strings.Contains(text, `"state":"merged"`)
		})
	}
	r.p.Kill()
	t.Logf("done %v, refused %v", r.counts(), r.refused)
	r.checkHistory(base)
	requireAgreement(t, location, r.remote)
}

// checkHistory looks for each write that was done in the history since a commit, of which each commit changes one file.
func (r *fleetRace) checkHistory(base string) {
	r.t.Helper()
	out, err := exec.Command("git", "-C", r.remote.Dir, "log", "--no-merges", "-p", "-U0", "--format=commit %H %an %s", base+"..main").Output() //nolint:gosec // the test's own repository
	if err != nil {
		r.t.Fatal(err)
	}
	there := make(map[int64]bool)
	files, commit, commits := 0, "", 0
	check := func() {
		if commit != "" && files != 1 {
			r.t.Errorf("it changes %d files: %s", files, commit)
		}
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "commit "):
			check()
			commit, files, commits = line, 0, commits+1
		case strings.HasPrefix(line, "diff --git "):
			files++
		case strings.HasPrefix(line, "+  N: "):
			n, err := strconv.ParseInt(strings.TrimPrefix(line, "+  N: "), 10, 64)
			if err != nil {
				r.t.Error(err)
			}
			there[n] = true
		}
	}
	check()
	lost := 0
	for n, who := range r.done {
		if !there[n] {
			lost++
			r.t.Errorf("what %s did with the number %d is lost", who, n)
		}
	}
	r.t.Logf("%d of %d writes that were done are lost; there are %d commits", lost, len(r.done), commits)
}
