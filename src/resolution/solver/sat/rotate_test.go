package sat

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNeeded: what Needed returns is needed: without it the others are possible together. Problems are drawn until many have been looked
// at in which more is found than what the model shows by itself.
func TestNeeded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	further := 0
	for further < 200 {
		p := drawGuarded(random)
		s := New()
		vars := p.load(s)
		high := len(p.items)
		for high > 0 && s.Solve(nil, lits(vars, p.items[:high])...) == Unsatisfiable {
			high--
		}
		if high == len(p.items) || high == 0 {
			continue
		}
		items := p.items[:high+1] // impossible, and possible without the last, under which the model is
		found := s.Needed(lits(vars, items)[high], lits(vars, items), nil)
		for _, l := range found {
			at := slices.Index(vars, l)
			if without := slices.DeleteFunc(slices.Clone(items), func(x int) bool { return x == at }); !p.satisfiable(without) {
				t.Fatalf("%v of %v is not needed: %v", at, items, p.clauses)
			}
		}
		if len(found) > 1 {
			further++
		}
	}
}

// guarded is a problem with items, each of which makes some clauses hold.
type guarded struct {
	problem
	items []int
}

func drawGuarded(random *rand.Rand) guarded {
	variables, items := 3+random.IntN(5), 2+random.IntN(6)
	p := guarded{problem: problem{n: variables + items}}
	for i := range items {
		item := variables + 1 + i
		p.items = append(p.items, item)
		for range 1 + random.IntN(2) {
			p.clauses = append(p.clauses, append(drawClause(random, variables), -item))
		}
	}
	for range random.IntN(3 * variables) {
		p.clauses = append(p.clauses, drawClause(random, variables))
	}
	return p
}

func drawClause(random *rand.Rand, variables int) []int {
	var c []int
	for range 1 + random.IntN(3) {
		x := 1 + random.IntN(variables)
		if random.IntN(2) == 0 {
			x = -x
		}
		c = append(c, x)
	}
	return c
}
