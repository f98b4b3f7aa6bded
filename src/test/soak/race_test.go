package soak_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// startOn starts n processes on one database, under the ref-schema.
func startOn(t *testing.T, n int, location, refSchemas string, more ...string) []*apptest.Process {
	t.Helper()
	all := make([]*apptest.Process, n)
	for i := range all {
		all[i] = apptest.StartProcess(t, append([]string{"--store", location, "--ref-schemas", refSchemas}, more...)...)
	}
	return all
}

// eachStore runs a test on one process of the embedded store, and on three on MongoDB. It checks the store afterwards.
func eachStore(t *testing.T, refSchemas string, test func(t *testing.T, all []*apptest.Process)) {
	on := func(t *testing.T, n int, location string) {
		t.Helper()
		all := startOn(t, n, location, refSchemas)
		test(t, all)
		for _, p := range all {
			p.Kill()
		}
		requireWhole(t, location)
	}
	t.Run("bolt", func(t *testing.T) { on(t, 1, "bolt:"+filepath.Join(t.TempDir(), "store.db")) })
	t.Run("mongo", func(t *testing.T) { on(t, 3, mongotest.Location(t).String()) })
}

// TestRacesOverHTTP sets deletions against creations that need what is deleted: exactly one of the two succeeds, the other is answered
// with a 409 and the reason, and nothing dangles.
func TestRacesOverHTTP(t *testing.T) {
	rounds.Soak(t)
	races, lanes := rounds.Of(160, 2000), 8
	tests := []struct {
		name       string
		path, body func(n int) string // of what needs app aN
	}{
		{name: "delete parent against insert child",
			path: func(n int) string { return fmt.Sprintf("/v2/projects/p/apps/a%d/versions", n) },
			body: func(int) string { return named("v") }},
		{name: "delete referenced against insert referrer",
			path: func(int) string { return "/v2/projects/p/profiles" },
			body: func(n int) string { return fmt.Sprintf(`{"metadata":{"name":"x%d"},"spec":{"app":"a%d"}}`, n, n) }},
	}
	eachStore(t, schemas(t, map[string]string{"schema.yaml": fourKinds}), func(t *testing.T, all []*apptest.Process) {
		all[0].Must(t, 201, "POST", "/v2/projects", named("p"))
		for i, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				var next, deletions atomic.Int64
				var group sync.WaitGroup
				for range lanes {
					group.Go(func() {
						for n := int(next.Add(1)); n <= races && !t.Failed(); n = int(next.Add(1)) {
							if race(t, all, n+i*races, test.path, test.body) {
								deletions.Add(1)
							}
						}
					})
				}
				group.Wait()
				t.Logf("the deletion won %d of %d", deletions.Load(), races)
			})
		}
	})
}

// race plays one round and reports whether the deletion won.
func race(t *testing.T, all []*apptest.Process, n int, path, body func(n int) string) (deleted bool) {
	t.Helper()
	name := fmt.Sprintf("a%d", n)
	if status, text, err := all[n%len(all)].Call(t.Context(), "POST", "/v2/projects/p/apps", named(name)); status != 201 {
		t.Errorf("round %d: creating the app: %d %s %v", n, status, text, err)
		return false
	}
	var removed, created int
	var removal, creation string
	apptest.Together(
		func() {
			var err error
			if removed, removal, err = all[(n+1)%len(all)].Call(t.Context(), "DELETE", "/v2/projects/p/apps/"+name, ""); err != nil {
				t.Error(err)
			}
		},
		func() {
			var err error
			if created, creation, err = all[(n+2)%len(all)].Call(t.Context(), "POST", path(n), body(n)); err != nil {
				t.Error(err)
			}
		})
	var problem struct {
		Code      string
		Missing   []string
		BlockedBy struct{ Total int }
	}
	switch {
	case removed == 204 && created == 409:
		if err := json.Unmarshal([]byte(creation), &problem); err != nil || problem.Code != "missing" || len(problem.Missing) != 1 {
			t.Errorf("round %d: the creation answered %s", n, creation)
		}
		return true
	case removed == 409 && created == 201:
		if err := json.Unmarshal([]byte(removal), &problem); err != nil || problem.Code != "in-use" || problem.BlockedBy.Total != 1 {
			t.Errorf("round %d: the deletion answered %s", n, removal)
		}
	default:
		t.Errorf("round %d: the deletion answered %d %s, the creation %d %s", n, removed, removal, created, creation)
	}
	return false
}

// TestOneCreatorWinsOverHTTP has several clients create one document at the same time.
func TestOneCreatorWinsOverHTTP(t *testing.T) {
	rounds.Soak(t)
	eachStore(t, schemas(t, map[string]string{"schema.yaml": twoKinds}), func(t *testing.T, all []*apptest.Process) {
		for n := range rounds.Of(40, 300) {
			var created, exists atomic.Int32
			var creators []func()
			for i := range 8 {
				creators = append(creators, func() {
					switch status, text, err := all[i%len(all)].Call(t.Context(), "POST", "/v2/projects", named(fmt.Sprintf("p%d", n))); status {
					case 201:
						created.Add(1)
					case 409:
						exists.Add(1)
					default:
						t.Errorf("status %d: %s %v", status, text, err)
					}
				})
			}
			apptest.Together(creators...)
			if created.Load() != 1 || exists.Load() != 7 {
				t.Fatalf("round %d: %d times 201, %d times 409", n, created.Load(), exists.Load())
			}
		}
	})
}
