package solver_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// checkDerivation demands a derivation of what cannot be satisfied that says why all of the core and of the facts matter, and refers
// only to steps before.
//
// A derivation takes for granted that only one version of a package is selected. Where that is not among the facts, another fact may stand
// for it, and need not be used: that is an error only where it is strict.
func checkDerivation(t *testing.T, problem *solver.Problem, strict bool) (checked int) {
	t.Helper()
	got, err := solver.Resolve(t.Context(), problem, solver.Options{Explain: true})
	if err != nil || got.Unsat == nil || got.Unsat.Obstacle != "" {
		return 0
	}
	u := got.Unsat
	if len(u.Derivation) == 0 {
		t.Errorf("no derivation of %s", u.Message)
		return 0
	}
	var constraints, facts, steps []int
	for i, d := range u.Derivation {
		constraints = append(constraints, d.Constraints...)
		facts = append(facts, d.Facts...)
		for _, step := range d.Steps {
			if step > i {
				t.Errorf("step %d follows from step %d", i+1, step)
			}
		}
		steps = append(steps, d.Steps...)
	}
	for _, i := range u.Core {
		if !slices.Contains(constraints, i) {
			t.Errorf("no step is about [%d]: %v", i, u.Derivation)
		}
	}
	single := map[string]bool{}
	for _, f := range u.Facts {
		single[f.Package] = single[f.Package] || len(f.Candidates) == 0
	}
	for i, f := range u.Facts {
		if len(f.Candidates) > 0 && (strict || single[f.Package]) && !slices.Contains(facts, i) {
			t.Errorf("no step is about %q: %v", f.Text, u.Derivation)
		}
	}
	for i := range len(u.Derivation) - 1 {
		if !slices.Contains(steps, i+1) {
			t.Errorf("nothing follows from step %d: %v", i+1, u.Derivation)
		}
	}
	return 1
}

func TestDerivations(t *testing.T) {
	t.Run("cases", func(t *testing.T) {
		files, err := filepath.Glob("testdata/deppy/cases/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		checked := 0
		for _, file := range files {
			if problem, err := parse(readCase(t, file)); err == nil {
				checked += checkDerivation(t, problem, true)
			}
		}
		if checked < 15 {
			t.Errorf("only %d of the cases cannot be satisfied", checked)
		}
	})
	t.Run("corpora", func(t *testing.T) {
		files, err := filepath.Glob("testdata/corpora/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			for _, c := range readCase(t, file).Get("cases").Items {
				if expect := c.Get("expect"); text(c.Get("scope")) == "out" || expect.Get("unsatisfiable") == nil {
					continue
				}
				t.Run(text(c.Get("id")), func(t *testing.T) {
					t.Parallel()
					problem, err := translate(c)
					if err != nil {
						t.Fatal(err)
					}
					if checkDerivation(t, problem, true) == 0 {
						t.Error("it can be satisfied")
					}
				})
			}
		}
	})
	t.Run("random", func(t *testing.T) {
		checked, all := 0, rounds.Of(500, 5000)
		for seed := range uint64(all) {
			problem, err := parse(generate(rand.New(rand.NewPCG(seed, 9))).document())
			if err != nil {
				t.Fatal(err)
			}
			if checked += checkDerivation(t, problem, false); t.Failed() {
				t.Fatalf("seed %s", strconv.FormatUint(seed, 10))
			}
		}
		if checked < all/5 {
			t.Errorf("only %d of %d cannot be satisfied", checked, all)
		}
	})
}
