package app

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/gitrepo/gittest"
)

var leadingLine = regexp.MustCompile(`(?m)^dovetail_leading\{work="([^"]+)"\} 1$`)

// leads returns what a server does for all.
func (r *running) leads(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, m := range leadingLine.FindAllStringSubmatch(r.must(t, 200, "GET", "/metrics", ""), -1) {
		all = append(all, m[1])
	}
	return all
}

// Of three processes on a database one does each of the works that must be done once, and when it ends another
// takes over.
func TestWorkIsDoneOnce(t *testing.T) {
	location, remote := freshMongo(t).String(), gittest.New(t, instance)
	all := make([]*running, 3)
	for i := range all {
		all[i] = start(t, map[string]string{"store": location, "instance-repo": remote.Dir, "lease-time": "2s", "log-level": "error"})
	}
	works := []string{"instance-repository", "resolution", upkeepWork}
	leaders := func(among []*running) (by map[string]int, once bool) {
		by, once = make(map[string]int), true
		for i, server := range among {
			for _, work := range server.leads(t) {
				if _, twice := by[work]; twice {
					once = false
				}
				by[work] = i
			}
		}
		return by, once
	}
	var by map[string]int
	settle := func(among []*running) {
		t.Helper()
		// For longer than a lease. A work that goes from one process to another, because the first one was slow, is seen
		// at both for a moment.
		for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(100 * time.Millisecond) {
			eventually(t, "each work has one process", func() bool {
				var once bool
				by, once = leaders(among)
				return once && len(by) == len(works)
			})
		}
	}
	settle(all)
	first := by[upkeepWork]
	if err := all[first].stop(); err != nil {
		t.Fatal(err)
	}
	rest := append(append([]*running{}, all[:first]...), all[first+1:]...)
	settle(rest)
}

// The process that does the upkeep deletes expired audit records, under its fence.
func TestUpkeepForgets(t *testing.T) {
	server := start(t, map[string]string{"audit": "keep", "audit-retention": "1ns", "log-level": "info"})
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	count := func(r *running) int {
		return strings.Count(r.must(t, 200, "GET", "/v2/audit", ""), `"at"`)
	}
	if n := count(server); n != 1 {
		t.Fatalf("%d records", n)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	again := start(t, map[string]string{"store": server.config.Store, "audit": "keep", "audit-retention": "1ns", "log-level": "info"})
	eventually(t, "the record is deleted", func() bool { return count(again) == 0 })
}
