package solver

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
)

// prohibit adds the clauses that forbid, once all candidates are known that can be reached.
func (e *encoding) prohibit(only []int) {
	for _, b := range e.bans {
		for _, s := range b.selectors {
			for _, n := range e.reached(s) {
				e.clause(b.when, n.lit.Not())
			}
		}
	}
	for i, c := range e.problem.spec.Constraints {
		if only == nil || slices.Contains(only, i) {
			e.forbid(c, []sat.Lit{e.roots[i].Not()})
		}
	}
	some := map[string]sat.Lit{} // by key of a selector: that one of its candidates is selected
	for _, n := range e.nodes {
		for i, s := range n.version.conflicts {
			if when, ok := e.facts.guard(fact{kind: factConflicts, candidate: n.candidate, index: i}); ok {
				e.apart(n, s, some, when)
			}
		}
	}
	e.oneVersion()
}

// oneVersion lets at most one candidate of each name be selected.
func (e *encoding) oneVersion() {
	var names []string
	var byName [][]sat.Lit
	places := map[string]int{}
	for _, n := range e.nodes {
		at, known := places[n.pkg.Name]
		if !known {
			at = len(names)
			places[n.pkg.Name] = at
			names = append(names, n.pkg.Name)
			byName = append(byName, nil)
		}
		byName[at] = append(byName[at], n.lit)
	}
	for i, name := range names {
		if len(byName[i]) > 1 {
			if when, ok := e.facts.guard(fact{kind: factOneVersion, name: name}); ok {
				e.atMostOne(byName[i], when)
			}
		}
	}
}

// forbid adds what a constraint forbids, besides the bans of expressions.
func (e *encoding) forbid(c *Constraint, when []sat.Lit) {
	switch c.kind {
	case isPinned, isUpgrade:
		for _, n := range e.nodes {
			if c.excludes(n.source, n.pkg, n.version) {
				e.clause(when, n.lit.Not())
			}
		}
	case isConflict:
		e.conflict(e.reached(c.selectors[0]), e.reached(c.selectors[1]), when)
	case isAtMostOne:
		if c.property != "" {
			e.atMostOneOfProperty(c.property, when)
			return
		}
		var all []*node
		for _, s := range c.selectors {
			all = append(all, e.reached(s)...)
		}
		e.atMostOne(lits(distinct(all)), when)
	}
}

// conflict lets no two different candidates be selected together, one of each list.
func (e *encoding) conflict(left, right []*node, when []sat.Lit) {
	in := func(list []*node) map[*node]bool {
		set := make(map[*node]bool, len(list))
		for _, n := range list {
			set[n] = true
		}
		return set
	}
	inLeft, inRight := in(left), in(right)
	both := slices.DeleteFunc(slices.Clone(left), func(n *node) bool { return !inRight[n] })
	onlyRight := slices.DeleteFunc(slices.Clone(right), func(n *node) bool { return inLeft[n] })
	anyRight, anyOnlyRight := e.some(right), e.some(onlyRight)
	for _, n := range left {
		if inRight[n] {
			e.clause(when, n.lit.Not(), anyOnlyRight.Not())
		} else {
			e.clause(when, n.lit.Not(), anyRight.Not())
		}
	}
	e.atMostOne(lits(both), when)
}

// some returns a literal that is true if one of the candidates is selected.
func (e *encoding) some(list []*node) sat.Lit {
	lit := e.solver.New()
	for _, n := range list {
		e.solver.Add(n.lit.Not(), lit)
	}
	return lit
}

// apart adds a conflict that a candidate has by itself: with all candidates of a selector but itself.
func (e *encoding) apart(n *node, s *selector, some map[string]sat.Lit, when []sat.Lit) {
	list := e.reached(s)
	if slices.Contains(list, n) {
		for _, other := range list {
			if other != n {
				e.clause(when, n.lit.Not(), other.lit.Not())
			}
		}
		return
	}
	if len(list) == 0 {
		return
	}
	if some[s.key] == 0 {
		some[s.key] = e.some(list)
	}
	e.clause(when, n.lit.Not(), some[s.key].Not())
}

// atMostOneOfProperty does so for each value of a property.
func (e *encoding) atMostOneOfProperty(kind string, when []sat.Lit) {
	var values []property
	having := map[property][]*node{}
	for _, n := range e.nodes {
		for _, p := range n.version.properties {
			if p.kind != kind {
				continue
			}
			if having[p] == nil {
				values = append(values, p)
			}
			having[p] = append(having[p], n)
		}
	}
	for _, p := range values {
		e.atMostOne(lits(distinct(having[p])), when)
	}
}

// fewToPair is up to how many literals are excluded pair by pair.
const fewToPair = 6

// atMostOne lets at most one of the literals be true. Many are done along a chain of variables that
// tell whether one before was true.
func (e *encoding) atMostOne(list []sat.Lit, when []sat.Lit) {
	if len(list) <= fewToPair {
		for i, a := range list {
			for _, b := range list[:i] {
				e.clause(when, a.Not(), b.Not())
			}
		}
		return
	}
	before := list[0]
	for i, a := range list[1:] {
		e.clause(when, before.Not(), a.Not())
		if i < len(list)-2 {
			next := e.solver.New()
			e.solver.Add(before.Not(), next)
			e.solver.Add(a.Not(), next)
			before = next
		}
	}
}

func (e *encoding) clause(when []sat.Lit, more ...sat.Lit) {
	if len(when) > 0 {
		more = append(more, when...)
	}
	e.solver.Add(more...)
}

func lits(nodes []*node) []sat.Lit {
	list := make([]sat.Lit, len(nodes))
	for i, n := range nodes {
		list[i] = n.lit
	}
	return list
}

// distinct drops repetitions.
func distinct(nodes []*node) []*node {
	seen := map[*node]bool{}
	return slices.DeleteFunc(slices.Clone(nodes), func(n *node) bool {
		was := seen[n]
		seen[n] = true
		return was
	})
}
