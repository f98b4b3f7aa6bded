package solver

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
)

// solver is what this package needs of a SAT solver.
type solver interface {
	New() sat.Lit
	Add(lits ...sat.Lit)
	// Solve looks for a model under assumptions, until stop says to stop.
	Solve(stop func() bool, assumptions ...sat.Lit) sat.Status
	// Value tells the model of the last call.
	Value(sat.Lit) bool
	// Failed returns assumptions that are impossible together.
	Failed() []sat.Lit
	// Needed returns items that every impossible part of items and assumptions has, given one of which the last model is without.
	Needed(missing sat.Lit, items, assumptions []sat.Lit) []sat.Lit
}

// node is a candidate that can be reached from the constraints. Only such candidates have a
// variable: others may always be left out, as nothing but requirements wants a candidate.
type node struct {
	*candidate
	lit          sat.Lit
	requirements []*requirement // of its dependencies
	chosen       bool
	offered      *requirement // the last one that has it as an option
}

// requirement wants one of its options.
type requirement struct {
	owner      *node // nil for those of constraints
	constraint int   // whose requirement it is; -1 for those of dependencies
	need       *expression
	optional   bool // nothing is impossible for it
	options    []option
	channels   []*selector // those of its selectors that name a channel
}

// option is a candidate or a group of requirements and prohibitions.
type option struct {
	node  *node
	group *group
}

func (o option) lit() sat.Lit {
	if o.group != nil {
		return o.group.lit
	}
	return o.node.lit
}

// group is taken whole: lit says that it is.
type group struct {
	lit     sat.Lit
	members []*requirement
}

// ban is a prohibition; it holds when all the literals in when are false.
type ban struct {
	selectors []*selector
	when      []sat.Lit
}

// encoding is a problem as clauses.
type encoding struct {
	*universe
	solver       solver
	stop         func() bool
	facts        *factory
	roots        []sat.Lit        // of each constraint the literal that makes it hold
	requirements [][]*requirement // of each constraint
	nodes        []*node          // in the order in which they were reached
	of           map[*candidate]*node
	bans         []ban
	planner      *planner // nil without a plan
	reasoned     int      // how many candidates the problems had that were made to find facts
}

// encode makes the clauses of the constraints in only, nil meaning all, and of what they and the candidates in also
// lead to. It returns errStopped when stop says so.
func encode(u *universe, stop func() bool, facts *factory, only []int, also ...*candidate) (*encoding, error) {
	u.stop = stop
	e := &encoding{universe: u, solver: sat.New(), stop: stop, facts: facts, of: map[*candidate]*node{}}
	if facts != nil {
		facts.solver = e.solver
	}
	for _, c := range also {
		e.reach(c)
	}
	for i, c := range u.problem.spec.Constraints {
		lit := e.solver.New()
		e.roots = append(e.roots, lit)
		e.requirements = append(e.requirements, nil)
		if c.kind == isExpression && (only == nil || slices.Contains(only, i)) {
			e.requirements[i] = e.expand(c.expression, requirement{constraint: i, need: c.expression}, lit.Not())
		}
	}
	for done := 0; done < len(e.nodes); { // grows while candidates are reached
		if done%1024 == 0 && stop() {
			return nil, errStopped
		}
		e.depend(e.nodes[done])
		done++
	}
	e.prohibit(only)
	if stop() {
		return nil, errStopped
	}
	return e, nil
}

// depend adds the dependencies of a candidate.
func (e *encoding) depend(n *node) {
	for i, need := range n.version.dependencies {
		if when, ok := e.facts.guard(fact{kind: factNeeds, candidate: n.candidate, index: i}); ok {
			as := requirement{owner: n, constraint: -1, need: need}
			n.requirements = append(n.requirements, e.expand(need, as, append(when, n.lit.Not())...)...)
		}
	}
}

// expand adds what an expression asks for as long as all of when are false, and returns what it requires.
func (e *encoding) expand(x *expression, as requirement, when ...sat.Lit) []*requirement {
	switch x.operator {
	case noneOf:
		e.bans = append(e.bans, ban{x.selectors, when})
		return nil
	case allOf:
		var all []*requirement
		for _, part := range x.parts {
			all = append(all, e.expand(part, as, when...)...)
		}
		return all
	case optional: // it offers, and requires nothing
		r := &as
		r.optional = true
		e.offer(r, x.parts[0])
		return []*requirement{r}
	case required, anyOf:
	}
	r := &as
	e.offer(r, x)
	clause := append(make([]sat.Lit, 0, len(when)+len(r.options)), when...)
	for _, o := range r.options {
		clause = append(clause, o.lit())
	}
	e.solver.Add(clause...)
	return []*requirement{r}
}

// offer adds the options of an expression to a requirement.
func (e *encoding) offer(r *requirement, x *expression) {
	switch x.operator {
	case required:
		if x.selector.namesChannel() {
			r.channels = append(r.channels, x.selector)
		}
		var owner *candidate
		if r.owner != nil {
			owner = r.owner.candidate
		}
		list := e.candidatesOf(x.selector, owner)
		r.options = slices.Grow(r.options, len(list))
		for _, c := range list {
			if n := e.reach(c); n.offered != r {
				n.offered = r
				r.options = append(r.options, option{node: n})
			}
		}
	case anyOf:
		for _, part := range x.parts {
			e.offer(r, part)
		}
	default:
		g := &group{lit: e.solver.New()}
		g.members = e.expand(x, requirement{owner: r.owner, constraint: r.constraint, need: r.need}, g.lit.Not())
		r.options = append(r.options, option{group: g})
	}
}

func (e *encoding) reach(c *candidate) *node {
	n := e.of[c]
	if n == nil {
		n = &node{candidate: c, lit: e.solver.New()}
		e.of[c] = n
		e.nodes = append(e.nodes, n)
	}
	return n
}

// reached returns the candidates of a selector that can be reached.
func (e *encoding) reached(s *selector) []*node {
	var list []*node
	for _, c := range e.candidates(s) {
		if n := e.of[c]; n != nil {
			list = append(list, n)
		}
	}
	return list
}

// solve looks for a model; errStopped says that it gave up.
func (e *encoding) solve(assumptions ...sat.Lit) (bool, error) {
	for {
		if e.stop() {
			return false, errStopped
		}
		switch e.solver.Solve(e.stop, assumptions...) {
		case sat.Unsatisfiable:
			return false, nil
		case sat.Stopped:
			return false, errStopped
		case sat.Satisfiable:
		}
		if e.planner == nil {
			return true, nil
		}
		if accepted, err := e.planner.accepts(); accepted || err != nil {
			return accepted, err
		}
	}
}

// shows reports whether an option is taken in the last model that counted.
func (e *encoding) shows(o option) bool {
	if e.planner == nil {
		return e.solver.Value(o.lit())
	}
	return o.node != nil && e.planner.in[o.node] // the solver's own model may be one that was refused since
}
