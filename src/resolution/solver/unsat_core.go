package solver

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
)

// core returns which of the items remain when items are dropped, from the last to the first, whenever
// the rest together with the fixed literals stays impossible. All together must be impossible.
//
// The last that remains is the one that makes the list impossible when it is read from the
// beginning; then the same holds for what stands before it, that one kept. It is searched for from the end in steps
// that double, since in a chain each is the next, and then by halving. What is seen to remain on the way is not looked for again.
func (e *encoding) core(fixed, items []sat.Lit) ([]int, error) {
	fixed = slices.Clone(fixed)
	switch possible, err := e.solve(append(slices.Clone(fixed), items...)...); {
	case err != nil:
		return nil, err
	case possible:
		return nil, broken("what was impossible is possible")
	}
	var kept []int
	certain := make([]int, len(items)+1) // of the first so many items: how many there are up to the last one that is known to remain
	for high := needed(items, e.solver.Failed()); ; {
		low := certain[high]
		for step := 1; low < high; { // the least impossible beginning is one of low to high long
			middle := (low + high) / 2
			if step > 0 {
				middle = max(middle, high-step)
				step *= 2
			}
			possible, err := e.solve(append(slices.Clone(fixed), items[:middle]...)...)
			switch {
			case err != nil:
				return nil, err
			case possible:
				low, step = middle+1, 0
				if low == high {
					e.foresee(certain, fixed, items[:high])
				}
			default:
				high = needed(items[:middle], e.solver.Failed())
			}
		}
		if low == 0 {
			slices.Reverse(kept)
			return kept, nil
		}
		kept = append(kept, low-1)
		fixed = append(fixed, items[low-1])
		high = low - 1
	}
}

// fewItems is up to how many items each is examined by itself.
const fewItems = 16

// foresee notes which of the items will remain, as far as the last model shows it, in which all hold but the last one.
func (e *encoding) foresee(certain []int, fixed, items []sat.Lit) {
	if len(items) <= fewItems || e.planner != nil || certain[len(items)-1] == len(items)-1 { // the next one is known already
		return
	}
	remain := make(map[sat.Lit]bool)
	for _, l := range e.solver.Needed(items[len(items)-1], items, fixed) {
		remain[l] = true
	}
	for i, l := range items {
		if remain[l] {
			certain[i+1] = i + 1
		} else {
			certain[i+1] = max(certain[i+1], certain[i])
		}
	}
}

// needed returns the length of the shortest beginning of items that has all of failed that are items.
func needed(items, failed []sat.Lit) int {
	in := make(map[sat.Lit]bool, len(failed))
	for _, l := range failed {
		in[l] = true
	}
	for i := len(items) - 1; i >= 0; i-- {
		if in[items[i]] {
			return i + 1
		}
	}
	return 0
}
