package solver

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
)

// TestCoreOfMany compares the core of many items, some of which are foreseen, with its definition: items are dropped one by one, from the
// last to the first.
func TestCoreOfMany(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for impossible := 0; impossible < 300; {
		e := &encoding{solver: sat.New(), stop: func() bool { return false }}
		items := drawItems(random, e.solver)
		if possible, err := e.solve(items...); err != nil || possible {
			continue
		}
		impossible++
		want := make([]int, len(items))
		for i := range want {
			want[i] = i
		}
		for i := len(items) - 1; i >= 0; i-- {
			without := slices.DeleteFunc(slices.Clone(want), func(at int) bool { return at == i })
			if possible, err := e.solve(pick(items, without)...); err != nil {
				t.Fatal(err)
			} else if !possible {
				want = without
			}
		}
		if got, err := e.core(nil, items); err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v %v, want %v", got, err, want)
		}
	}
}

// drawItems makes items that each want a few clauses of two literals, so that long chains are among them.
func drawItems(random *rand.Rand, solver solver) []sat.Lit {
	const variables = 24
	literals := make([]sat.Lit, variables)
	for i := range literals {
		literals[i] = solver.New()
	}
	draw := func() sat.Lit {
		l := literals[random.IntN(variables)]
		if random.IntN(2) == 0 {
			return l.Not()
		}
		return l
	}
	items := make([]sat.Lit, 2*fewItems+random.IntN(40))
	for i := range items {
		items[i] = solver.New()
		for range 1 + random.IntN(2) {
			solver.Add(items[i].Not(), draw(), draw())
		}
	}
	return items
}
