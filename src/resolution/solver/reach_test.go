package solver_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// changed returns a problem in which one thing of the sources is another.
func changed(doc *value.Value, r *rand.Rand) *value.Value {
	out := doc.Clone()
	sources := out.Get("sources").Items
	source := sources[r.IntN(len(sources))]
	packages := source.Get("packages")
	if packages == nil || len(packages.Items) == 0 {
		return out
	}
	at := r.IntN(len(packages.Items))
	pkg := packages.Items[at]
	versions := pkg.Get("versions")
	switch r.IntN(4) {
	case 0: // a package goes
		packages.Items = slices.Delete(packages.Items, at, at+1)
	case 1: // another one comes, which needs the first and provides what that provides
		other := pkg.Clone()
		other.Set("name", value.NewString("other"))
		packages.Items = append(packages.Items, other)
	case 2: // a version goes
		if len(versions.Items) > 1 {
			versions.Items = slices.Delete(versions.Items, 0, 1)
		}
	case 3:
		pkg.Set("deprecated", value.NewBool(pkg.Get("deprecated") == nil))
	}
	return out
}

// TestReach changes sources: what a problem does not look at decides nothing of its selections.
func TestReach(t *testing.T) {
	outside, inside := 0, 0
	for seed := range uint64(rounds.Of(3000, 100_000)) {
		r := rand.New(rand.NewPCG(seed, 17))
		doc := generate(r).document()
		problem, err := parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		next := changed(doc, r)
		other, err := parse(next)
		if err != nil || value.Equal(doc, next) {
			continue
		}
		reach := problem.Reach()
		if !reach.Same(problem.Spec(), problem.Sources()) || reach.Digest() != problem.Digest() {
			t.Fatalf("seed %d: the reach is not that of its own sources", seed)
		}
		if !reach.Same(problem.Spec(), other.Sources()) {
			inside++
			continue
		}
		if other.Digest() != problem.Digest() {
			t.Errorf("seed %d: two digests of what is the same", seed)
		}
		before, err := solver.Resolve(t.Context(), problem, solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		after, err := solver.Resolve(t.Context(), other, solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if before.Resolved() != after.Resolved() || !slices.EqualFunc(before.Selections, after.Selections, func(a, b solver.Selection) bool { return a.String() == b.String() && a.Why == b.Why }) {
			t.Errorf("seed %d: %v became %v", seed, before.Selections, after.Selections)
		}
		outside++
	}
	if outside < 100 || inside < 100 {
		t.Errorf("%d changes outside of the reach and %d inside", outside, inside)
	}
}
