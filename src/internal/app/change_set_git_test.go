package app

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
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

// TestCheckAsksFiles checks a change set that no file of the attached repository can hold: it says what the merge says.
func TestCheckAsksFiles(t *testing.T) {
	t.Parallel()
	server := withGit(t, gittest.New(t, filesOf(t, sampleRepository)), nil)
	server.must(t, 201, "POST", "/api/change-sets", `{"name":"c"}`)
	server.must(t, 201, "PUT", "/v2/param-sets/other?changeSet=c", `{"metadata":{"name":"other","description":"no file has it"},"spec":{"parameters":{},"applications":[]}}`)
	if check := server.must(t, 200, "GET", "/api/change-sets/c/check", ""); !strings.Contains(check, `"mergeable":false`) || !strings.Contains(check, "description") {
		t.Errorf("the check does not say what files cannot hold: %s", check)
	}
	server.must(t, 422, "POST", "/api/change-sets/c/merge", "")
	server.must(t, 200, "PUT", "/v2/param-sets/other?changeSet=c", `{"metadata":{"name":"other"},"spec":{"parameters":{},"applications":[]}}`)
	if check := server.must(t, 200, "GET", "/api/change-sets/c/check", ""); !strings.Contains(check, `"mergeable":true`) {
		t.Errorf("the check refuses what files can hold: %s", check)
	}
	server.must(t, 200, "POST", "/api/change-sets/c/merge", "")
}
