package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// instance is an instance repository with one environment.
var instance = map[string]string{
	"environments/c1/dev/Inventory/env_definition.yml":         "# dev\nenvTemplate:\n  name: t # the template\n",
	"environments/c1/dev/Inventory/parameters/theirs.yaml":     "name: theirs\nparameters: {N: -1}\n",
	"environments/c1/dev/Namespaces/core/namespace.yml":        "name: dev-core\n",
	"environments/c1/dev/Namespaces/core/Applications/app.yml": "name: app\n",
}

const (
	overridePath = "/api/ui-override"
	overrideFile = "environments/c1/dev/Inventory/parameters/deploy-ui-override.yaml"
	overrideOf   = overridePath + "?environmentId=c1/dev&context=deploy"
)

func overrideBody(n int) string {
	return fmt.Sprintf(`{"environmentId":"c1/dev","context":"deploy","parameters":{"MINE":%d}}`, n)
}

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

// TestWritesRacePushes lets the API and pushes of a clone meet, in one file and in two: the repository holds both
// changes, or the API said that it does not hold its own.
func TestWritesRacePushes(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	t.Run("bolt, folder", func(t *testing.T) {
		t.Parallel()
		raceWithPushes(t, rounds.Of(12, 200), gittest.New(t, instance), nil)
	})
	t.Run("mongo, http", func(t *testing.T) {
		t.Parallel()
		remote := gittest.New(t, instance)
		raceWithPushes(t, 24, remote, map[string]string{"store": freshMongo(t).String(), "instance-repo": remote.Serve()})
	})
}

func raceWithPushes(t *testing.T, races int, remote *gittest.Remote, further map[string]string) {
	t.Helper()
	given := map[string]string{"instance-repo-interval": "40ms", "log-level": "error"}
	maps.Copy(given, further)
	server := withGit(t, remote, given)
	status, tag, text := server.conditional(t, "POST", overridePath, overrideBody(-1), "")
	if status != 201 {
		t.Fatalf("%d %s", status, text)
	}
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
			go func() { time.Sleep(time.Duration(i%10) * 4 * time.Millisecond); push() }()
		}
		status, now, text := server.conditional(t, "PUT", overridePath, overrideBody(i), tag)
		close(answered)
		answers[status]++
		switch status {
		case 200:
			done[strings.Trim(now, `"`)] = i
		case 409, 412:
		default:
			t.Fatalf("round %d: %d %s", i, status, text)
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
		if status, now, text = server.conditional(t, "GET", overrideOf, "", ""); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		tag = now
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
	followed(t, server, remote)
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	agree(t, server.config.Store, remote)
}

// followed waits until a server follows the head of a remote.
func followed(t testing.TB, server *running, remote *gittest.Remote) {
	t.Helper()
	eventually(t, "the server follows", func() bool {
		_, text := server.call(t, "GET", "/readyz", "")
		return strings.Contains(text, remote.Head())
	})
}

// TestForeignCommitsAreNoticed waits for a commit of another writer, and for the report of its defects.
func TestForeignCommitsAreNoticed(t *testing.T) {
	t.Parallel()
	remote := gittest.New(t, instance)
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

// TestKilledWithGit kills a server within a push: before the remote has decided, and when it has. The
// next server agrees with the remote.
func TestKilledWithGit(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	for _, test := range []struct{ name, hook, verdict, want string }{
		{"between commit and push, which arrives", "pre-receive", "exit 0", "MINE: 2"},
		{"between commit and push, which is refused", "pre-receive", "exit 1", "MINE: 1"},
		{"between push and store", "post-receive", "exit 0", "MINE: 2"},
	} {
		killed := func(t *testing.T, location string) {
			t.Helper()
			remote := gittest.New(t, instance)
			p := gitProcess(t, location, remote)
			if status, text, err := p.call(t.Context(), "POST", overridePath, overrideBody(1)); err != nil || status != 201 {
				t.Fatalf("%d %s %v", status, text, err)
			}
			marks := t.TempDir()
			remote.Hook(test.hook, fmt.Sprintf("touch %[1]s/waits\nwhile [ ! -e %[1]s/go ]; do sleep 0.01; done\ntouch %[1]s/ended\n%[2]s", marks, test.verdict))
			answered := make(chan error, 1)
			go func() {
				request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPut, "http://"+p.address+overridePath, strings.NewReader(overrideBody(2)))
				if err == nil {
					request.Header.Set("If-Match", "*")
					_, err = http.DefaultClient.Do(request)
				}
				answered <- err
			}()
			awaitFile(t, filepath.Join(marks, "waits"))
			p.kill()
			if err := <-answered; err == nil {
				t.Error("there was an answer")
			}
			if err := os.WriteFile(filepath.Join(marks, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			awaitFile(t, filepath.Join(marks, "ended"))
			eventually(t, "Git has done as the hook said", func() bool {
				text, _ := remote.Show(overrideFile)
				return strings.Contains(text, test.want)
			})
			remote.Hook(test.hook, "")
			p.start(t)
			text, _ := remote.Show(overrideFile)
			status, body, err := p.call(t.Context(), "GET", overrideOf, "")
			want := strings.Replace(test.want, "MINE: ", `"MINE":`, 1)
			if err != nil || status != 200 || !strings.Contains(body, want) || !strings.Contains(text, test.want) {
				t.Errorf("%d %s %v, the file is\n%s", status, body, err, text)
			}
			p.kill()
			agree(t, location, remote)
		}
		t.Run(test.name+"/bolt", func(t *testing.T) { killed(t, "bolt:"+filepath.Join(t.TempDir(), "dovetail.db")) })
		t.Run(test.name+"/mongo", func(t *testing.T) { killed(t, freshMongo(t).String()) })
	}
}

func awaitFile(t testing.TB, name string) {
	t.Helper()
	eventually(t, name+" appears", func() bool {
		_, err := os.Stat(name)
		return err == nil
	})
}

// gitProcess starts a program with an instance repository.
func gitProcess(t *testing.T, location string, remote *gittest.Remote) *process {
	t.Helper()
	return newProcess(t, "--store", location, "--instance-repo", remote.Dir, "--branch", "main", "--instance-repo-interval", "1h",
		"--instance-repo-clone", filepath.Join(t.TempDir(), "clone.git"))
}
