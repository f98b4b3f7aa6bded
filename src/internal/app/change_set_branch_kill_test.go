package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// TestKilledInProposal kills the server between the push of a branch and its record: the next server knows the commit as its own,
// and proposes again.
func TestKilledInProposal(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	remote := gittest.New(t, map[string]string{ownFile: paramSetFile("own", "before")})
	dir := t.TempDir()
	p := &process{address: freeAddress(t), log: filepath.Join(dir, "log")}
	p.arguments = []string{"serve", "--store", "bolt:" + filepath.Join(dir, "s.db"), "--listen", p.address, "--log-level", "error",
		"--instance-repo", remote.Dir, "--instance-repo-clone", filepath.Join(dir, "clone.git"), "--instance-repo-interval", "50ms"}
	p.start(t)
	t.Cleanup(p.kill)
	p.must(t, 201, "POST", "/api/change-sets", `{"name":"c"}`)
	patch := func(text string) {
		t.Helper()
		p.must(t, 200, "PUT", "/v2/param-sets/own?changeSet=c", `{"metadata":{"name":"own"},"spec":{"parameters":{"a":"`+text+`"},"applications":[]}}`)
	}
	patch("first")

	pushed, hold := filepath.Join(dir, "pushed"), filepath.Join(dir, "hold")
	writeFile(t, hold, "")
	remote.Hook("post-receive", "touch "+pushed+"; while [ -e "+hold+" ]; do sleep 0.05; done")
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _, _ = p.call(t.Context(), "POST", "/api/change-sets/c/propose", "")
	}()
	eventually(t, "the branch is pushed", func() bool {
		_, err := os.Stat(pushed)
		return err == nil
	})
	p.kill()
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

	p.start(t)
	show := func() (c shownChangeSet) {
		t.Helper()
		_, text, err := p.call(t.Context(), "GET", "/api/change-sets/c", "")
		if err != nil {
			t.Fatal(err)
		}
		decode(t, text, &c)
		return c
	}
	if c := show(); c.State != "open" || c.Proposal == nil || c.Proposal.Commit != "" || c.Proposal.Current {
		t.Errorf("after the kill it is %+v, %+v", c, c.Proposal)
	}
	p.must(t, 200, "POST", "/api/change-sets/c/propose", "")
	if c := show(); c.Proposal.Commit != first || branch() != first || !c.Proposal.Current {
		t.Errorf("proposed again it is at %s, the branch at %s, and was at %s", c.Proposal.Commit, branch(), first)
	}
	patch("second")
	p.must(t, 200, "POST", "/api/change-sets/c/propose", "")
	if text, err := gittest.Git(remote.Dir, "show", "change-set/c:"+ownFile); err != nil || !strings.Contains(text, "second") {
		t.Errorf("the branch says %s", text)
	}
	p.must(t, 200, "POST", "/api/change-sets/c/close", "")
	if out, err := gittest.Git(remote.Dir, "rev-parse", "--verify", "-q", "change-set/c"); err == nil {
		t.Errorf("closed, the branch is at %s", out)
	}
}
