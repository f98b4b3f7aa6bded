package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
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

// TestOneCreatorWins lets eight writers create the same key.
func TestOneCreatorWins(t *testing.T) {
	s := open(t, testSchema)
	for n := range rounds.Of(60, 300) {
		var wins, losses atomic.Int32
		var creators []func()
		for range 8 {
			o := op(t, fmt.Sprintf("create project/p%d", n))
			creators = append(creators, func() {
				switch _, err := s.Create(t.Context(), o); dovetail.CodeOf(err) {
				case "":
					wins.Add(1)
				case dovetail.CodeExists:
					losses.Add(1)
				}
			})
		}
		inParallel(creators...)
		if wins.Load() != 1 || losses.Load() != 7 {
			t.Fatalf("round %d: %d creators won and %d lost", n, wins.Load(), losses.Load())
		}
	}
}

// TestNoUpdateIsLost lets eight writers count in one document, each on top of what it read.
func TestNoUpdateIsLost(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, `create project/p {"n":0}`)
	const writers, each = 8, 50
	var counters []func()
	for range writers {
		counters = append(counters, func() {
			for done := 0; done < each; {
				doc, err := s.Get(t.Context(), "project/p")
				if err != nil {
					t.Error(err)
					return
				}
				var n int
				if _, err := fmt.Sscanf(string(doc.Data), `{"n":%d}`, &n); err != nil {
					t.Error(err)
					return
				}
				_, err = s.Put(t.Context(), store.Operation{ID: "project/p", Data: parse(t, fmt.Sprintf(`{"n":%d}`, n+1)), IfMatch: []dovetail.ETag{doc.ETag()}})
				switch dovetail.CodeOf(err) {
				case "":
					done++
				case dovetail.CodeStale:
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	inParallel(counters...)
	doc, err := s.Get(t.Context(), "project/p")
	if want := fmt.Sprintf(`{"n":%d}`, writers*each); err != nil || string(doc.Data) != want || doc.Revision != writers*each+1 {
		t.Errorf("counted to %s at revision %d, want %s", doc.Data, doc.Revision, want)
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
