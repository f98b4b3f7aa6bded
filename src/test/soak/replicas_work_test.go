package soak_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

var leadingLine = regexp.MustCompile(`(?m)^dovetail_leading\{work="([^"]+)"\} 1$`)

// TestWorkIsDoneOnce has three processes on a database, of which one does each of the works that must be done once. When the process
// that does the upkeep is killed, another does its works.
func TestWorkIsDoneOnce(t *testing.T) {
	rounds.Soak(t)
	location, remote := mongotest.Location(t).String(), gittest.New(t, apptest.InstanceFiles())
	all := make([]*apptest.Process, 3)
	for i := range all {
		all[i] = apptest.StartProcess(t, "--store", location, "--instance-repo", remote.Dir, "--instance-repo-clone", filepath.Join(t.TempDir(), "clone.git"), "--lease-time", "2s")
	}
	works := []string{"instance-repository", "resolution", "upkeep"}
	settle := func(among []*apptest.Process) {
		t.Helper()
		apptest.Eventually(t, "each work has one process", func() bool {
			var done []string
			for _, p := range among {
				for _, m := range leadingLine.FindAllStringSubmatch(p.Must(t, 200, "GET", "/metrics", ""), -1) {
					done = append(done, m[1])
				}
			}
			slices.Sort(done)
			return slices.Equal(done, works)
		})
	}
	settle(all)
	first := leads(t, all, "upkeep")
	all[first].Kill()
	settle(slices.Delete(slices.Clone(all), first, first+1))
}
