package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// inParallel runs the functions at the same time, as nearly as can be.
func inParallel(functions ...func()) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for _, f := range functions {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			f()
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// TestRaces sets the deletion of a document against the creation of something that needs it: exactly
// one of the two may succeed, with the right answer to the other, and nothing ever dangles.
func TestRaces(t *testing.T) {
	tests := []struct {
		name           string
		target, needer func(round int) string // operations as of op
	}{
		{name: "delete parent against insert child",
			target: func(n int) string { return fmt.Sprintf("project/p/app/a%d", n) },
			needer: func(n int) string { return fmt.Sprintf("create project/p/app/a%d/version/v", n) }},
		{name: "delete referenced against insert referrer",
			target: func(n int) string { return fmt.Sprintf("project/p/app/a%d", n) },
			needer: func(n int) string { return fmt.Sprintf(`create project/p/profile/x%d {"spec":{"app":"a%d"}}`, n, n) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, testSchema)
			apply(t, s, "create project/p")
			won := map[string]int{}
			for n := range rounds.Of(400, 2000) {
				apply(t, s, "create "+test.target(n))
				remove, need := op(t, "delete "+test.target(n)), op(t, test.needer(n))
				var removeErr, needErr error
				inParallel(
					func() { _, removeErr = s.Delete(t.Context(), remove) },
					func() { _, needErr = s.Create(t.Context(), need) })
				switch removed, needed := dovetail.CodeOf(removeErr), dovetail.CodeOf(needErr); {
				case removed == "" && needed == dovetail.CodeMissing:
					won["delete"]++
				case removed == dovetail.CodeInUse && needed == "":
					won["create"]++
				default:
					t.Fatalf("round %d: delete answered %v, create %v", n, removeErr, needErr)
				}
			}
			t.Logf("won: %v", won)
			requireClean(t, s)
		})
	}
}

// TestPutsWithoutVersionAllSucceed lets writers replace one document without saying what they expect.
func TestPutsWithoutVersionAllSucceed(t *testing.T) {
	s := open(t, testSchema)
	var writers []func()
	for w := range 16 {
		writers = append(writers, func() {
			for n := range 25 {
				if _, err := s.Put(t.Context(), store.Operation{ID: "project/p", Data: parse(t, fmt.Sprintf(`{"w":%d,"n":%d}`, w, n))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	inParallel(writers...)
	if doc, err := s.Get(t.Context(), "project/p"); err != nil || doc.Revision != 16*25 {
		t.Errorf("the document is at revision %d, want %d: %v", doc.Revision, 16*25, err)
	}
}
