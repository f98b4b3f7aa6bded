package app

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/gitrepo/gittest"
)

// TestChangeSetInRepository merges a change set of several writes, also of the override service, into an attached repository:
// the merge is one commit, and staging is none.
func TestChangeSetInRepository(t *testing.T) {
	t.Parallel()
	remote := gittest.New(t, filesOf(t, sampleRepository))
	server := withGit(t, remote, nil)
	before := remote.Head()
	server.must(t, 201, "POST", "/api/change-sets", `{"name":"c","title":"Prepare"}`)
	server.must(t, 201, "POST", "/api/paramset?changeSet=c", `{"name":"made","location":"environments/parameters","parameters":{"staged":7},"applications":[]}`)
	server.must(t, 201, "PUT", "/v2/param-sets/other?changeSet=c", `{"metadata":{"name":"other"},"spec":{"parameters":{"b":1},"applications":[]}}`)
	const path = "/v2/param-sets/made"
	staged := server.must(t, 200, "GET", path+"?changeSet=c", "")
	if head := remote.Head(); head != before || !strings.Contains(staged, `"staged":7`) {
		t.Fatalf("staging has moved the repository from %s to %s, and shows %s", before, head, staged)
	}
	server.must(t, 200, "POST", "/api/change-sets/c/merge", "")
	if text := server.must(t, 200, "GET", path, ""); !strings.Contains(text, `"staged":7`) {
		t.Errorf("after the merge there is %s", text)
	}
	log, err := exec.CommandContext(t.Context(), "git", "-C", remote.Dir, "log", "--format=%s", before+"..main").CombinedOutput()
	if err != nil || string(log) != "Merge change set c: Prepare\n" {
		t.Errorf("the commits of the merge are %q: %v", log, err)
	}
}
