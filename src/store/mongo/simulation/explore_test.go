package simulation

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/store"
)

var (
	states = flag.Int("states", rounds.Of(longStates/8, longStates), "how many states of each scenario are explored at most; 0 for all")
	worlds = flag.Int("worlds", rounds.Of(longWorlds/8, longWorlds), "how many random worlds are run")
	first  = flag.Uint64("seed", 1, "the first random world")
)

// TestExplore tries all schedules of the small scenarios, as far as -states allows.
func TestExplore(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			result := s.Explore(*states)
			t.Logf("%d states in %d runs, all of them: %v", result.States, result.Runs, result.Whole)
			if result.Violation != nil {
				t.Fatal(result.Violation)
			}
		})
	}
}

// TestExploreRefusals tries all schedules of a refusal beside a transaction on the same documents, where nothing goes wrong: they are
// too many with faults for TestExplore to come to those where the refusal is read while the intents of the other are set.
func TestExploreRefusals(t *testing.T) {
	const name = "a document that is created again while another is replaced, and a transaction on both"
	all := scenarios()
	s := all[slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name })]
	s.Faults, s.Expiries = 0, 0
	if result := s.Explore(0); !result.Whole || result.Violation != nil {
		t.Fatalf("all of them: %v: %v", result.Whole, result.Violation)
	}
}

// TestSample runs random schedules of random worlds: more processes, longer ones, more faults.
func TestSample(t *testing.T) {
	const schedules = 10
	for n := range *worlds {
		seed := *first + uint64(n)
		random := rand.New(rand.NewPCG(seed, 0))
		s := drawWorld(random)
		if result := s.Sample(random, schedules); result.Violation != nil {
			t.Fatalf("world %d: %v", seed, result.Violation)
		}
	}
}

// drawWorld makes a scenario of everything that the store does.
func drawWorld(random *rand.Rand) Scenario {
	s := Scenario{Name: "random", Documents: documents(parent, target, holder, hasX, claimOn(hasX)), Attempts: 3, Faults: random.IntN(4), Expiries: random.IntN(4)}
	names := []string{"A", "B", "C", "D"}
	for _, name := range names[:2+random.IntN(3)] {
		w := &writer{random: random, name: name}
		p := Process{Name: name, Lazy: random.IntN(2) == 0}
		if random.IntN(3) == 0 {
			p.Actions = append(p.Actions, Action{Reserve: true})
		}
		for range 1 + random.IntN(3) {
			p.Actions = append(p.Actions, w.draw())
		}
		s.Processes = append(s.Processes, p)
	}
	if random.IntN(2) == 0 {
		s.Processes = append(s.Processes, does("R", Action{Sweep: true}, Action{Purge: random.IntN(2) == 0, Sweep: true}))
	}
	snapshots := does("S", Action{Snapshot: true}, Action{Snapshot: true})
	switch random.IntN(4) {
	case 0:
		s.Processes = append(s.Processes, roams(late))
	case 1:
		s.Processes = append(s.Processes, roams(late, late))
	case 2:
		s.Processes = append(s.Processes, snapshots)
	case 3:
		s.Processes = append(s.Processes, snapshots, named(roams(late, late)))
	}
	return s
}

// writer makes the actions of one process.
type writer struct {
	random *rand.Rand
	name   string
	uids   int
}

func (w *writer) uid() string {
	w.uids++
	return fmt.Sprintf("%s%d", w.name, w.uids)
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func (w *writer) draw() Action {
	if w.random.IntN(4) == 0 {
		return w.claim(pick[dovetail.ID](w.random, "u/1", "u/2"))
	}
	id := pick[dovetail.ID](w.random, "p/1", "p/1/c/1", "p/1/c/2", "t/1", "t/2", "h/1", "h/2")
	switch w.random.IntN(6) {
	case 0:
		return read(id)
	case 1, 2:
		return create(w.fresh(id))
	case 3:
		second := pick[dovetail.ID](w.random, "p/2", "p/2/c/1", "h/3")
		return create(w.fresh(id), w.fresh(second))
	case 4:
		return Action{Change: &Reaction{id, w.revise(w.references(id))}}
	case 5:
		if w.random.IntN(2) == 0 {
			return Action{Remove: id}
		}
	}
	return Action{Change: &Reaction{id, w.discard(w.random.IntN(3) == 0)}}
}

func (w *writer) references(id dovetail.ID) []dovetail.ID {
	if id[0] != 'h' {
		return nil
	}
	refs := []dovetail.ID{"t/1", "t/2", "p/1"}
	return slices.Clone(refs[:w.random.IntN(len(refs)+1)])
}

func (w *writer) fresh(id dovetail.ID) *dovetail.Document {
	return document(id, w.uid(), 1, w.references(id)...)
}

// revise gives the document that is there other references.
func (w *writer) revise(references []dovetail.ID) func(*dovetail.Document) *store.Txn {
	return func(doc *dovetail.Document) *store.Txn {
		if doc == nil {
			return nil
		}
		next := document(doc.ID, doc.UID, doc.Revision+1, references...)
		txn := &store.Txn{Puts: documents(next), Require: []store.Condition{atVersion(doc.ID, doc.UID, doc.Revision)}}
		for _, ref := range references {
			held := slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return r.ID == ref })
			if !held {
				txn.Require = append(txn.Require, store.Condition{Test: store.Exists, ID: ref})
			}
		}
		return txn
	}
}

// discard deletes the document that is there, alone or while another is created.
func (w *writer) discard(replace bool) func(*dovetail.Document) *store.Txn {
	uid := w.uid()
	return func(doc *dovetail.Document) *store.Txn {
		if doc == nil {
			return nil
		}
		deletion := remove(doc)
		if replace {
			return combined(deletion, create(document("t/3", uid, 1))).Commit
		}
		return deletion.Commit
	}
}
