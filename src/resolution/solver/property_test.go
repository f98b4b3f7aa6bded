package solver_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
	"github.com/dovetail-store/dovetail/src/value"
)

// answer is all of an outcome, as bytes.
func answer(t testing.TB, doc *value.Value) string {
	t.Helper()
	problem, err := parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{Explain: true, Timeout: 10 * time.Minute})
	if err != nil || out.TimedOut {
		t.Fatal(out, err)
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return problem.Digest() + string(data)
}

// shuffled returns the case with sources, packages and versions in another order.
func shuffled(doc *value.Value, r *rand.Rand) *value.Value {
	out := doc.Clone()
	mix := func(v *value.Value) []*value.Value {
		if v == nil {
			return nil
		}
		r.Shuffle(len(v.Items), func(i, j int) { v.Items[i], v.Items[j] = v.Items[j], v.Items[i] })
		return v.Items
	}
	for _, source := range mix(out.Get("sources")) {
		for _, pkg := range mix(source.Get("packages")) {
			mix(pkg.Get("versions"))
		}
	}
	return out
}

// TestSameBytes resolves large catalogs again, in another order, and many at once.
func TestSameBytes(t *testing.T) {
	for _, c := range []synthetic.Options{
		{Packages: 600, Versions: 5, Roots: 20, Seed: 3, Mode: synthetic.Sat},
		{Packages: 600, Versions: 7, Roots: 20, Seed: 4, Mode: synthetic.Unsat},
		{Packages: 100, Versions: 5, Roots: 10, Seed: 5, Mode: synthetic.Maze, Pigeons: 5},
	} {
		t.Run(string(c.Mode), func(t *testing.T) {
			doc := synthetic.Problem(c)
			want := answer(t, doc)
			var group sync.WaitGroup
			got := make([]string, 6)
			for i := range got {
				other := doc
				if i > 2 {
					other = shuffled(doc, rand.New(rand.NewPCG(uint64(i), 1)))
				}
				group.Go(func() { got[i] = answer(t, other) })
			}
			group.Wait()
			for i := range got {
				if got[i] != want {
					t.Errorf("run %d differs: %.300s\nfrom %.300s", i, got[i], want)
				}
			}
		})
	}
}

// TestLarge checks answers on large catalogs by their rules.
func TestLarge(t *testing.T) {
	for seed := range uint64(12) {
		for _, m := range []synthetic.Mode{synthetic.Sat, synthetic.Unsat} {
			problem, err := parse(synthetic.Problem(synthetic.Options{Packages: 300, Versions: 5, Roots: 20, Seed: seed, Mode: m}))
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			switch {
			case err != nil:
				t.Fatal(err)
			case m == synthetic.Sat:
				if err := solver.Verify(problem, out.Selections); err != nil || !out.Resolved() {
					t.Errorf("seed %d: %v", seed, err)
				}
			case out.Unsat == nil || !slices.Equal(out.Unsat.Core, []int{20, 21}):
				t.Errorf("seed %d: the core is not the two clashing roots: %+v", seed, out.Unsat)
			}
		}
	}
}

// TestBaseline holds the number of selections that the generator's README tells for seed 1.
func TestBaseline(t *testing.T) {
	for packages, want := range map[int]int{100: 66, 1000: 206, 5000: 240} {
		problem, err := parse(synthetic.Problem(synthetic.Options{Packages: packages, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Sat}))
		if err != nil {
			t.Fatal(err)
		}
		out, err := solver.Resolve(t.Context(), problem, solver.Options{})
		if err != nil || len(out.Selections) != want {
			t.Errorf("%d packages: %s, %v, want %d", packages, out.Message, err, want)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	problem, err := parse(synthetic.Problem(synthetic.Options{Packages: 50, Versions: 5, Roots: 5, Seed: 1, Mode: synthetic.Maze, Pigeons: 14}))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		deadline time.Duration // from the beginning
		pause    time.Duration // each time
		message  string
	}{
		{"time limit", 0, 0, "no answer within 1h0m0s"},
		{"deadline", time.Minute, 30 * time.Second, "no answer in time: of it, other resolutions took 30s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			began := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
			now := began
			options := solver.Options{Timeout: time.Hour, Now: func() time.Time { now = now.Add(20 * time.Second); return now },
				Pause: func() (time.Duration, error) { now = now.Add(test.pause); return test.pause, nil }}
			if test.deadline > 0 {
				options.Deadline = began.Add(test.deadline)
			}
			out, err := solver.Resolve(t.Context(), problem, options)
			if err != nil || !out.TimedOut || out.Resolved() || out.Unsat != nil || out.Message != test.message {
				t.Errorf("got %+v, %v", out, err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	problem, err := parse(synthetic.Problem(synthetic.Options{Packages: 50, Versions: 5, Roots: 5, Seed: 1, Mode: synthetic.Maze, Pigeons: 14}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := contextThatEnds(t)
	defer cancel()
	if _, err := solver.Resolve(ctx, problem, solver.Options{}); err == nil || codeOf(err) != "canceled" {
		t.Errorf("got %v", err)
	}
}

// small draws a small problem.
func small(t *rapid.T) *value.Value {
	p := generate(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9)))
	return p.document()
}

func resolved(t *rapid.T, doc *value.Value) *solver.Outcome {
	problem, err := parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// withConstraints returns the case with other constraints.
func withConstraints(doc *value.Value, constraints []*value.Value) *value.Value {
	out := doc.Clone()
	out.Get("spec").Set("constraints", value.NewList(constraints...))
	return out
}

// TestPinningTheAnswerKeepsIt adds a pin for each selection: what was impossible stays so, and the choices possible.
func TestPinningTheAnswerKeepsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := small(t)
		first := resolved(t, doc)
		if !first.Resolved() {
			return
		}
		constraints := slices.Clone(doc.At("spec", "constraints").Items)
		for _, s := range first.Selections {
			constraints = append(constraints, fromJSON(object{"pinned": object{"name": s.Package, "version": s.Version, "source": s.Source}}))
		}
		again := resolved(t, withConstraints(doc, constraints))
		if !slices.Equal(names(first.Selections), names(again.Selections)) {
			t.Fatalf("%s\nbecame %s", names(first.Selections), names(again.Selections))
		}
	})
}

// TestCoreIsMinimal resolves the core alone, and without each of its members.
func TestCoreIsMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := small(t)
		first := resolved(t, doc)
		if first.Unsat == nil {
			return
		}
		var core []*value.Value
		for _, i := range first.Unsat.Core {
			core = append(core, doc.At("spec", "constraints").Items[i])
		}
		alone := resolved(t, withConstraints(doc, core))
		if alone.Unsat == nil || len(alone.Unsat.Core) != len(core) {
			t.Fatalf("the core alone: %s", alone.Message)
		}
		for i := range core {
			if out := resolved(t, withConstraints(doc, slices.Delete(slices.Clone(core), i, i+1))); !out.Resolved() {
				t.Fatalf("the core %v without member %d: %s", first.Unsat.Core, i, out.Message)
			}
		}
	})
}

// TestOrderOfDocumentsDoesNotMatter shuffles small problems with all kinds of constraints.
func TestOrderOfDocumentsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := small(t)
		other := shuffled(doc, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 2)))
		a, _ := json.Marshal(resolved(t, doc))
		b, _ := json.Marshal(resolved(t, other))
		if string(a) != string(b) {
			t.Fatalf("%s\nbecame %s", a, b)
		}
	})
}
