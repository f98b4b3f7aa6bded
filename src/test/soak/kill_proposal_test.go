package soak_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// TestKilledInProposal kills the server between the push of a branch and its record: the next server knows the commit as its own,
// and proposes again.
func TestKilledInProposal(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	const file = "environments/parameters/own.yaml"
	remote := gittest.New(t, map[string]string{file: "name: own\nparameters:\n  a: before\n  b: 1\napplications: []\n"})
	dir := t.TempDir()
	p := apptest.StartProcess(t, "--store", "bolt:"+filepath.Join(dir, "s.db"), "--instance-repo", remote.Dir,
		"--instance-repo-clone", filepath.Join(dir, "clone.git"), "--instance-repo-interval", "50ms")
	p.Must(t, 201, "POST", "/api/change-sets", `{"name":"c"}`)
	patch := func(text string) {
		t.Helper()
		p.Must(t, 200, "PUT", "/v2/param-sets/own?changeSet=c", `{"metadata":{"name":"own"},"spec":{"parameters":{"a":"`+text+`"},"applications":[]}}`)
	}
	patch("first")

	pushed, hold := filepath.Join(dir, "pushed"), filepath.Join(dir, "hold")
	writeFile(t, hold, "")
	remote.Hook("post-receive", "touch "+pushed+"; while [ -e "+hold+" ]; do sleep 0.05; done")
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _, _ = p.Call(t.Context(), "POST", "/api/change-sets/c/propose", "")
	}()
	awaitFile(t, pushed)
	p.Kill()
	<-answered
	remote.Hook("post-receive", "")
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	branch := func() string {
		t.Helper()
		out, err := gittest.Git(remote.Dir, "rev-parse", "change-set/c")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return out
	}
	first := branch()

	p.Start(t)
	type changeSet struct {
		State    string
		Proposal *struct {
			Commit  string
			Current bool
		}
	}
	show := func() (c changeSet) {
		t.Helper()
		if err := json.Unmarshal([]byte(p.Must(t, 200, "GET", "/api/change-sets/c", "")), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := show(); c.State != "open" || c.Proposal == nil || c.Proposal.Commit != "" || c.Proposal.Current {
		t.Errorf("after the kill it is %+v, %+v", c, c.Proposal)
	}
	p.Must(t, 200, "POST", "/api/change-sets/c/propose", "")
	if c := show(); c.Proposal.Commit != first || branch() != first || !c.Proposal.Current {
		t.Errorf("proposed again it is at %s, the branch at %s, and was at %s", c.Proposal.Commit, branch(), first)
	}
	patch("second")
	p.Must(t, 200, "POST", "/api/change-sets/c/propose", "")
	if text, err := gittest.Git(remote.Dir, "show", "change-set/c:"+file); err != nil || !strings.Contains(text, "second") {
		t.Errorf("the branch says %s", text)
	}
	p.Must(t, 200, "POST", "/api/change-sets/c/close", "")
	if out, err := gittest.Git(remote.Dir, "rev-parse", "--verify", "-q", "change-set/c"); err == nil {
		t.Errorf("closed, the branch is at %s", out)
	}
}
