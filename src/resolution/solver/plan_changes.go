package solver

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
)

// changes are the packages of a policy whose versions in the target may differ from those that are installed.
type changes struct {
	certain int       // those that differ in every target
	lits    []sat.Lit // that others differ
}

// changed finds the changes of some policies.
func (t *planner) changed(policies ...ChangePolicy) changes {
	var found changes
	for _, name := range t.names {
		if !slices.Contains(policies, t.problem.spec.policyFor(name)) {
			continue
		}
		nodes := t.byName[name]
		switch on := t.tracks[name]; {
		case on != nil && t.of[on.from] != nil:
			found.lits = append(found.lits, t.of[on.from].lit.Not())
		case on != nil:
			found.certain++
		case len(nodes) == 1:
			found.lits = append(found.lits, nodes[0].lit)
		default:
			found.lits = append(found.lits, t.some(nodes))
		}
	}
	return found
}

// limitChanges lets only targets count that the policies and maxChanges admit. It returns false if there is none.
func (t *planner) limitChanges() (bool, error) {
	frozen := t.changed(Frozen)
	if frozen.certain > 0 {
		return false, nil
	}
	for _, l := range frozen.lits {
		t.solver.Add(l.Not())
	}
	if most := t.problem.spec.maxChanges; most != anyNumber {
		every := t.changed(Latest, MinimalChange, Frozen)
		if every.certain > most {
			return false, nil
		}
		if over := t.atLeast(every.lits, most-every.certain+1); len(over) > most-every.certain {
			t.solver.Add(over[most-every.certain].Not())
		}
	}
	return t.fewest(t.changed(MinimalChange))
}

// fewest lets as few changes be made as possible, and reports whether there is a target at all.
func (t *planner) fewest(c changes) (bool, error) {
	if possible, err := t.solve(t.roots...); !possible || err != nil || len(c.lits) == 0 {
		return possible, err
	}
	low, err := t.disjointReasons(c.lits)
	if err != nil {
		return false, err
	}
	var over []sat.Lit // over[n] is true where more than n change
	for n := low; n < len(c.lits); n++ {
		if n >= len(over) {
			over = t.atLeast(c.lits, 2*n+4)
		}
		possible, err := t.solve(append(slices.Clone(t.roots), over[n].Not())...)
		if err != nil {
			return false, err
		}
		if possible {
			t.solver.Add(over[n].Not())
			return true, nil
		}
	}
	return t.solve(t.roots...)
}

// disjointReasons counts reasons for changes that have no change in common: at least as many are made.
func (t *planner) disjointReasons(lits []sat.Lit) (int, error) {
	rest := slices.Clone(lits)
	for n := 0; ; n++ {
		assumed := slices.Clone(t.roots)
		for _, l := range rest {
			assumed = append(assumed, l.Not())
		}
		possible, err := t.solve(assumed...)
		if possible || err != nil {
			return n, err
		}
		failed := t.solver.Failed()
		before := len(rest)
		rest = slices.DeleteFunc(rest, func(l sat.Lit) bool { return slices.Contains(failed, l.Not()) })
		if len(rest) == before { // without any change, too
			return n, nil
		}
	}
}

// atLeast returns literals of which the one at n is true if more than n of the given ones are, for numbers up to most.
func (t *planner) atLeast(list []sat.Lit, most int) []sat.Lit {
	if len(list) <= 1 {
		return list
	}
	left, right := t.atLeast(list[:len(list)/2], most), t.atLeast(list[len(list)/2:], most)
	sum := make([]sat.Lit, min(most, len(left)+len(right)))
	for i := range sum {
		sum[i] = t.solver.New()
	}
	for i := -1; i < len(left); i++ {
		for j := -1; j < len(right); j++ {
			at := min(i+j+1, len(sum)-1)
			switch {
			case i < 0 && j < 0:
			case i < 0:
				t.solver.Add(right[j].Not(), sum[at])
			case j < 0:
				t.solver.Add(left[i].Not(), sum[at])
			default:
				t.solver.Add(left[i].Not(), right[j].Not(), sum[at])
			}
		}
	}
	return sum
}
