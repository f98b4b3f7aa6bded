package solver

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
)

// choice is a step on the way to the preferred solution.
type choice struct {
	by      *requirement
	option  option
	skipped []option  // what would have been preferred
	earlier []sat.Lit // what was assumed when it was skipped: constraints, then earlier choices
}

// preferred is the preferred solution.
type preferred struct {
	choices   []choice       // in order
	processed []*requirement // in order
	problem   *Problem
}

// within says whether a version is in the range of a selector.
func (p *preferred) within(s *selector, n *node) bool {
	return p.problem.within(s.versions, n.pkg, n.version)
}

// prefer makes the preferred solution of the constraints in the list; they must be satisfiable, and
// the solver's model one of them.
//
// Requirements wait in a queue. Each that no candidate fulfils that is chosen already gets its first
// option with which all can still be satisfied. That is tried by the solver, unless the model at hand
// shows it.
func (e *encoding) prefer(constraints []int) (*preferred, error) {
	out := &preferred{problem: e.problem}
	var assumed []sat.Lit
	var queue []*requirement
	for _, i := range constraints {
		assumed = append(assumed, e.roots[i])
		queue = append(queue, e.requirements[i]...)
	}
	for _, n := range e.nodes {
		n.chosen = false
	}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		out.processed = append(out.processed, r)
		if slices.ContainsFunc(r.options, func(o option) bool { return o.node != nil && o.node.chosen }) {
			continue
		}
		at, err := e.first(r.options, assumed)
		if err != nil {
			return nil, err
		}
		o := r.options[at]
		out.choices = append(out.choices, choice{r, o, r.options[:at], slices.Clip(assumed)})
		assumed = append(assumed, o.lit())
		if o.group != nil {
			queue = append(queue, o.group.members...)
			continue
		}
		o.node.chosen = true
		queue = append(queue, o.node.requirements...)
	}
	return out, nil
}

// first returns the first option that is possible beside what is assumed. One is.
func (e *encoding) first(options []option, assumed []sat.Lit) (int, error) {
	for i, o := range options {
		if e.solver.Value(o.lit()) {
			return i, nil
		}
		possible, err := e.solve(append(slices.Clone(assumed), o.lit())...)
		if possible || err != nil {
			return i, err
		}
	}
	return 0, broken("no option is possible")
}

// channel is that of the first requirement which names one and which the candidate satisfies, otherwise
// the best that it has.
func (p *preferred) channel(n *node) string {
	for _, r := range p.processed {
		for _, s := range r.channels {
			if s.concerns(n.source, n.pkg, n.version) && p.within(s, n) {
				return s.channelOf(n.pkg, n.version)
			}
		}
	}
	return n.best
}
