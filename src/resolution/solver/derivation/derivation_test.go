package derivation_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver/derivation"
)

// problem is facts about packages with few versions.
type problem struct {
	sizes []int
	facts []*derivation.Incompatibility
}

func draw(random *rand.Rand) problem {
	p := problem{}
	for range 1 + random.IntN(4) {
		p.sizes = append(p.sizes, 2+random.IntN(3))
	}
	for fact := range 1 + random.IntN(10) {
		var terms []derivation.Term
		for range 1 + random.IntN(3) {
			pkg := random.IntN(len(p.sizes))
			var states []int
			for state := range p.sizes[pkg] {
				if random.IntN(2) == 0 {
					states = append(states, state)
				}
			}
			if set := derivation.NewStates(p.sizes[pkg], states...); len(states) > 0 && len(states) < p.sizes[pkg] {
				terms = append(terms, derivation.Term{Package: pkg, States: set})
			}
		}
		if len(terms) > 0 {
			p.facts = append(p.facts, derivation.New(fact, terms...))
		}
	}
	return p
}

// worlds yields all states of all packages together.
func (p problem) worlds(yield func([]int) bool) {
	world := make([]int, len(p.sizes))
	var from func(int) bool
	from = func(pkg int) bool {
		if pkg == len(world) {
			return yield(world)
		}
		for state := range p.sizes[pkg] {
			world[pkg] = state
			if !from(pkg + 1) {
				return false
			}
		}
		return true
	}
	from(0)
}

func allows(i *derivation.Incompatibility, world []int) bool {
	return slices.ContainsFunc(i.Terms, func(t derivation.Term) bool { return !t.States.Has(world[t.Package]) })
}

func allowsAll(of []*derivation.Incompatibility, world []int) bool {
	return !slices.ContainsFunc(of, func(i *derivation.Incompatibility) bool { return !allows(i, world) })
}

// TestAgainstEnumeration: there is a proof just where no states of the packages are allowed by all facts, and each of its steps follows from
// its reasons.
func TestAgainstEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	contradictions := 0
	for range 20_000 {
		p := draw(random)
		possible := false
		for world := range p.worlds {
			possible = possible || allowsAll(p.facts, world)
		}
		proof := derivation.Contradiction(p.sizes, p.facts, 1_000_000)
		if (proof == nil) != possible {
			t.Fatalf("possible is %v, but the proof %v of %v", possible, proof, p)
		}
		if proof == nil {
			continue
		}
		contradictions++
		byFact := map[int][]*derivation.Incompatibility{}
		for _, i := range p.facts {
			byFact[i.Fact] = append(byFact[i.Fact], i)
		}
		steps := derivation.Steps(proof, func(fact int) bool { return fact%2 == 0 })
		for at, step := range steps {
			var because []*derivation.Incompatibility
			for _, r := range step.Because {
				switch {
				case r.Step >= at:
					t.Fatalf("step %d follows from step %d", at, r.Step)
				case r.Step >= 0:
					because = append(because, steps[r.Step].Therefore)
				case r.Fact >= 0:
					because = append(because, byFact[r.Fact]...)
				}
				for _, fact := range r.Chain {
					because = append(because, byFact[fact]...)
				}
			}
			for world := range p.worlds {
				if allowsAll(because, world) && !allows(step.Therefore, world) {
					t.Fatalf("step %d does not follow: %v allow %v, %v does not", at, because, world, step.Therefore)
				}
			}
		}
		if last := steps[len(steps)-1]; len(last.Therefore.Terms) > 0 {
			t.Fatalf("the last step says %v", last.Therefore)
		}
	}
	if contradictions < 1000 {
		t.Fatalf("only %d contradictions", contradictions)
	}
}
