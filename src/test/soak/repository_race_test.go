package soak_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

const (
	overridePath = "/api/ui-override"
	overrideFile = "environments/c1/dev/Inventory/parameters/deploy-ui-override.yaml"
	overrideOf   = overridePath + "?environmentId=c1/dev&context=deploy"
)

func overrideBody(n int) string {
	return fmt.Sprintf(`{"environmentId":"c1/dev","context":"deploy","parameters":{"MINE":%d}}`, n)
}

// TestWritesRacePushes lets the API and pushes of a clone meet, in one file and in two: the repository holds both
// changes, or the API said that it does not hold its own.
func TestWritesRacePushes(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	t.Run("bolt, folder", func(t *testing.T) {
		t.Parallel()
		remote := gittest.New(t, apptest.InstanceFiles())
		raceWithPushes(t, rounds.Of(12, 200), remote, remote.Dir, "bolt:"+filepath.Join(t.TempDir(), "store.db"))
	})
	t.Run("mongo, http", func(t *testing.T) {
		t.Parallel()
		remote := gittest.New(t, apptest.InstanceFiles())
		raceWithPushes(t, 24, remote, remote.Serve(), mongotest.Location(t).String())
	})
}

func raceWithPushes(t *testing.T, races int, remote *gittest.Remote, url, location string) {
	t.Helper()
	server := repositoryProcess(t, location, url, "40ms")
	server.Must(t, 201, "POST", overridePath, overrideBody(-1))
	tag := conditional(t, server, "GET", overrideOf, "", "").Header.Get("Etag")
	done, answers := map[string]int{}, map[int]int{}
	for i := range races {
		theirs := map[string]string{"environments/c1/dev/Inventory/parameters/theirs.yaml": fmt.Sprintf("name: theirs\nparameters: {N: %d}\n", i)}
		remote.Pull()
		if i%3 == 0 { // the same file
			mine, _ := remote.Show(overrideFile)
			theirs = map[string]string{overrideFile: mine + fmt.Sprintf("# theirs %d\n", i)}
		}
		foreign := remote.Commit(fmt.Sprint("theirs ", i), theirs)
		pushed, answered := make(chan error, 1), make(chan struct{})
		push := func() {
			_, err := gittest.Git(remote.Clone, "push", "-q", "origin", "main")
			pushed <- err
		}
		switch i % 6 { // either may be the first, but in some rounds one surely is, however slow the machine is
		case 3:
			push()
		case 5:
			go func() { <-answered; push() }()
		default:
			go push()
		}
		put := conditional(t, server, "PUT", overridePath, overrideBody(i), tag)
		close(answered)
		answers[put.Status]++
		switch put.Status {
		case 200:
			done[strings.Trim(put.Header.Get("Etag"), `"`)] = i
		case 409, 412:
		default:
			t.Fatalf("round %d: %+v", i, put)
		}
		if err := <-pushed; err != nil { // they are late, and do it again
			for _, command := range [][]string{{"fetch", "-q"}, {"reset", "-q", "--hard", "origin/main"}} {
				if out, err := gittest.Git(remote.Clone, command...); err != nil {
					t.Fatal(out)
				}
			}
			if i%3 == 0 {
				mine, _ := remote.Show(overrideFile)
				theirs = map[string]string{overrideFile: mine + fmt.Sprintf("# theirs %d\n", i)}
			}
			foreign = remote.Push(fmt.Sprint("theirs ", i), theirs)
		}
		tag = conditional(t, server, "GET", overrideOf, "", "").Header.Get("Etag")
		if _, err := gittest.Git(remote.Dir, "merge-base", "--is-ancestor", foreign, "main"); err != nil {
			t.Errorf("round %d: what they pushed is gone", i)
		}
	}
	for hash, i := range done {
		if _, err := gittest.Git(remote.Dir, "merge-base", "--is-ancestor", hash, "main"); err != nil {
			t.Errorf("round %d was answered as done, but its commit does not exist", i)
		}
		if text, err := gittest.Git(remote.Dir, "show", hash+":"+overrideFile); err != nil || !strings.Contains(text, fmt.Sprintf("MINE: %d", i)) {
			t.Errorf("round %d: the commit says %s", i, text)
		}
	}
	t.Logf("answers %v", answers)
	if answers[200] == 0 || answers[409]+answers[412] == 0 {
		t.Errorf("there was no race: %v", answers)
	}
	apptest.Eventually(t, "the server follows", func() bool {
		return strings.Contains(server.Must(t, 200, "GET", "/readyz", ""), remote.Head())
	})
	server.Kill()
	requireAgreement(t, location, remote)
}

// conditional sends a request with a header If-Match, unless it is "". The test fails when a read has another status than 200.
func conditional(t *testing.T, server *apptest.Process, method, path, body, ifMatch string) apitest.Answer {
	t.Helper()
	var header []string
	if ifMatch != "" {
		header = []string{"If-Match", ifMatch}
	}
	answer, err := server.Send(t.Context(), method, path, body, header...)
	if err != nil || method == "GET" && answer.Status != 200 {
		t.Fatalf("%s: %+v %v", method, answer, err)
	}
	return answer
}

// repositoryProcess starts a process with an instance repository.
func repositoryProcess(t *testing.T, location, url, interval string) *apptest.Process {
	t.Helper()
	return apptest.StartProcess(t, "--store", location, "--instance-repo", url, "--branch", "main", "--instance-repo-interval", interval,
		"--instance-repo-clone", filepath.Join(t.TempDir(), "clone.git"))
}
