package soak_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

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
			remote := gittest.New(t, apptest.InstanceFiles())
			p := repositoryProcess(t, location, remote.Dir, "1h")
			if status, text, err := p.Call(t.Context(), "POST", overridePath, overrideBody(1)); err != nil || status != 201 {
				t.Fatalf("%d %s %v", status, text, err)
			}
			marks := t.TempDir()
			remote.Hook(test.hook, fmt.Sprintf("touch %[1]s/waits\nwhile [ ! -e %[1]s/go ]; do sleep 0.01; done\ntouch %[1]s/ended\n%[2]s", marks, test.verdict))
			answered := make(chan error, 1)
			go func() {
				_, err := p.Send(context.WithoutCancel(t.Context()), "PUT", overridePath, overrideBody(2), "If-Match", "*")
				answered <- err
			}()
			awaitFile(t, filepath.Join(marks, "waits"))
			p.Kill()
			if err := <-answered; err == nil {
				t.Error("there was an answer")
			}
			writeFile(t, filepath.Join(marks, "go"), "")
			awaitFile(t, filepath.Join(marks, "ended"))
			apptest.Eventually(t, "Git has done as the hook said", func() bool {
				text, _ := remote.Show(overrideFile)
				return strings.Contains(text, test.want)
			})
			remote.Hook(test.hook, "")
			p.Start(t)
			text, _ := remote.Show(overrideFile)
			status, body, err := p.Call(t.Context(), "GET", overrideOf, "")
			want := strings.Replace(test.want, "MINE: ", `"MINE":`, 1)
			if err != nil || status != 200 || !strings.Contains(body, want) || !strings.Contains(text, test.want) {
				t.Errorf("%d %s %v, the file is\n%s", status, body, err, text)
			}
			p.Kill()
			requireAgreement(t, location, remote)
		}
		t.Run(test.name+"/bolt", func(t *testing.T) { killed(t, "bolt:"+filepath.Join(t.TempDir(), "dovetail.db")) })
		t.Run(test.name+"/mongo", func(t *testing.T) { killed(t, mongotest.Location(t).String()) })
	}
}

// TestKilledWithSeveral kills a server while it pushes to one repository after it has pushed to another: each of them decides by itself, and the next server agrees
// with both.
func TestKilledWithSeveral(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	for _, test := range []struct{ name, verdict, want string }{
		{"a push that arrives", "exit 0", "killed"},
		{"a push that is refused", "exit 1", "first"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			remotes := map[string]*gittest.Remote{"eu": gittest.New(t, environmentsOf("eu", 1)), "us": gittest.New(t, environmentsOf("us", 1))}
			location := "bolt:" + filepath.Join(t.TempDir(), "dovetail.db")
			p := apptest.StartProcess(t, "--store", location, "--instance-repo-interval", "1h", "--instance-repo-clone", t.TempDir(), "--instance-repos", apptest.RepositoriesFile(t,
				"{name: eu, url: "+remotes["eu"].Dir+", clusters: [eu-*]}", "{name: us, url: "+remotes["us"].Dir+", clusters: [us-*]}"))
			put := func(name, text string) (int, error) {
				status, _, err := p.Call(t.Context(), http.MethodPut, ownPath(name, 0), ownBody(text))
				return status, err
			}
			for _, name := range []string{"eu", "us"} {
				if status, err := put(name, "first"); err != nil || status != 200 {
					t.Fatal(status, err)
				}
			}
			marks := t.TempDir()
			remotes["us"].Hook("pre-receive", fmt.Sprintf("touch %[1]s/waits\nwhile [ ! -e %[1]s/go ]; do sleep 0.01; done\ntouch %[1]s/ended\n%[2]s", marks, test.verdict))
			answered := make(chan error, 1)
			go func() {
				_, err := put("us", "killed")
				answered <- err
			}()
			awaitFile(t, filepath.Join(marks, "waits"))
			if status, err := put("eu", "beside"); err != nil || status != 200 { // which does not wait for the other
				t.Errorf("%d %v", status, err)
			}
			p.Kill()
			if err := <-answered; err == nil {
				t.Error("there was an answer")
			}
			writeFile(t, filepath.Join(marks, "go"), "")
			awaitFile(t, filepath.Join(marks, "ended"))
			apptest.Eventually(t, "Git has done as the hook said", func() bool {
				text, _ := remotes["us"].Show("environments/us-1/e0/Inventory/parameters/own.yaml")
				return strings.Contains(text, test.want)
			})
			remotes["us"].Hook("pre-receive", "")
			p.Start(t)
			for name, want := range map[string]string{"eu": "beside", "us": test.want} {
				if status, body, err := p.Call(t.Context(), http.MethodGet, ownPath(name, 0), ""); err != nil || status != 200 || !strings.Contains(body, want) {
					t.Errorf("%s: %d %s %v", name, status, body, err)
				}
			}
			p.Kill()
			requireAgreementOfAll(t, location, remotes)
		})
	}
}
