package app

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// together runs the functions at the same time, as nearly as can be.
func together(functions ...func()) {
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	for _, f := range functions {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			f()
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
}

// TestRacesOverHTTP sets deletions against creations that need what is deleted: exactly one of the
// two gets its way, the other a 409 that says why, and nothing dangles.
func TestRacesOverHTTP(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	tests := []struct {
		name       string
		path, body func(round int) string // of what needs app aROUND
	}{
		{name: "delete parent against insert child",
			path: func(n int) string { return fmt.Sprintf("/v2/projects/p/apps/a%d/versions", n) },
			body: func(int) string { return named("v") }},
		{name: "delete referenced against insert referrer",
			path: func(int) string { return "/v2/projects/p/profiles" },
			body: func(n int) string { return fmt.Sprintf(`{"metadata":{"name":"x%d"},"spec":{"app":"a%d"}}`, n, n) }},
	}
	schemas := newConfigMap(t, map[string]string{"schema.yaml": twoKinds +
		"  - name: version\n    parent: app\n  - name: profile\n    parent: project\n    references:\n      - name: app\n"})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := start(t, map[string]string{"ref-schemas": schemas.dir})
			server.must(t, 201, "POST", "/v2/projects", named("p"))
			for n := range rounds.Of(200, 2000) {
				server.must(t, 201, "POST", "/v2/projects/p/apps", named(fmt.Sprintf("a%d", n)))
				var removed, created int
				var removal, creation string
				together(
					func() { removed, removal = server.call(t, "DELETE", fmt.Sprintf("/v2/projects/p/apps/a%d", n), "") },
					func() { created, creation = server.call(t, "POST", test.path(n), test.body(n)) })
				var problem struct {
					Code      string
					Missing   []string
					BlockedBy struct{ Total int }
				}
				switch {
				case removed == 204 && created == 409:
					if decode(t, creation, &problem); problem.Code != "missing" || len(problem.Missing) != 1 {
						t.Fatalf("round %d: the creation answered %s", n, creation)
					}
				case removed == 409 && created == 201:
					if decode(t, removal, &problem); problem.Code != "in-use" || problem.BlockedBy.Total != 1 {
						t.Fatalf("round %d: the deletion answered %s", n, removal)
					}
				default:
					t.Fatalf("round %d: the deletion answered %d %s, the creation %d %s", n, removed, removal, created, creation)
				}
			}
			server.fsck(t)
		})
	}
}

func TestOneCreatorWinsOverHTTP(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	server := start(t, nil)
	for n := range rounds.Of(60, 300) {
		var created, exists atomic.Int32
		var creators []func()
		for range 8 {
			creators = append(creators, func() {
				switch status, text := server.call(t, "POST", "/v2/clusters", named(fmt.Sprintf("c%d", n))); status {
				case 201:
					created.Add(1)
				case 409:
					exists.Add(1)
				default:
					t.Errorf("status %d: %s", status, text)
				}
			})
		}
		together(creators...)
		if created.Load() != 1 || exists.Load() != 7 {
			t.Fatalf("round %d: %d times 201, %d times 409", n, created.Load(), exists.Load())
		}
	}
	server.fsck(t)
}
