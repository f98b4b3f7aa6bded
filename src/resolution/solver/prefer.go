package solver

import (
	"cmp"
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
	var later []*requirement // the optional ones: after all that is needed
	for len(queue)+len(later) > 0 {
		var r *requirement
		if len(queue) > 0 {
			r, queue = queue[0], queue[1:]
			if r.optional {
				later = append(later, r)
				continue
			}
		} else {
			r, later = later[0], later[1:]
		}
		// In a plan each requirement has its way, even if a later option of it is there.
		chosen := e.planner == nil && slices.ContainsFunc(r.options, func(o option) bool { return o.node != nil && o.node.chosen })
		at := -1
		if !chosen {
			var err error
			if at, err = e.first(r, assumed); err != nil {
				return nil, err
			}
			if at < 0 {
				continue // an optional one that is not possible
			}
		}
		out.processed = append(out.processed, r)
		if chosen || e.planner != nil && r.options[at].node != nil && r.options[at].node.chosen {
			continue
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
	if e.planner != nil {
		return out, e.planner.leaveOut(out, assumed)
	}
	return out, nil
}

// first returns the first option of a requirement that is possible beside what is assumed. One is, unless it is optional: -1.
func (e *encoding) first(r *requirement, assumed []sat.Lit) (int, error) {
	for i, o := range r.options {
		if e.shows(o) {
			return i, nil
		}
		possible, err := e.solve(append(slices.Clone(assumed), o.lit())...)
		if possible || err != nil {
			return i, err
		}
	}
	if r.optional {
		if possible, err := e.solve(assumed...); err != nil || !possible { // for a model again
			return 0, cmp.Or(err, broken("what was possible is impossible"))
		}
		return -1, nil
	}
	return 0, broken("no option is possible")
}

// channel is that of the first requirement which names one and which the candidate satisfies, otherwise
// the best that it has.
func (p *preferred) channel(n *node) string {
	for _, r := range p.processed {
		for _, s := range r.channels {
			if p.problem.meets(s, n.source, n.pkg, n.version) {
				return s.channelOf(n.pkg, n.version)
			}
		}
	}
	return n.best
}
