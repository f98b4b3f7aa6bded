package resolution

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/resolution/sat"
)

// Why tells for what a version was selected: for a constraint, or for a dependency of another selection.
type Why struct {
	Constraint int    `json:"constraint"`   // its index, -1 for a dependency
	By         string `json:"by,omitempty"` // the depending package and version: "app 1.2.0"
	Need       string `json:"need"`         // what was wanted: "lib >=2.0.0"
}

// Ruled is a candidate, or a group of alternatives, that would have been preferred, and what ruled it out.
type Ruled struct {
	Candidate   string   `json:"candidate"`             // source:name:version, or the group
	Constraints []int    `json:"constraints,omitempty"` // with which it cannot hold
	Choices     []string `json:"choices,omitempty"`     // selections made before, with which it cannot hold
	Text        string   `json:"text"`
}

// maxRuled is how many candidates are explained for one selection.
const maxRuled = 5

func (e *encoding) why(r *requirement) Why {
	w := Why{Constraint: r.constraint, Need: r.need.text()}
	if r.owner != nil {
		w.By = r.owner.name()
	}
	return w
}

// ruledOut tells for a selection what ruled out the options that would have been preferred: of
// all constraints and choices before, those with which such an option is impossible, the earliest ones.
func (e *encoding) ruledOut(s *Selection, c *choice, constraints []int, before []choice) error {
	s.More = max(0, len(c.skipped)-maxRuled)
	for _, o := range c.skipped[:len(c.skipped)-s.More] {
		ruled := Ruled{Candidate: "an alternative that is a group"}
		if o.node != nil {
			ruled.Candidate = o.node.source.Name + ":" + o.node.pkg.Name + ":" + o.node.version.Text
		}
		kept, err := e.core([]sat.Lit{o.lit()}, c.earlier)
		if err != nil {
			return err
		}
		var with []string
		for _, i := range kept {
			if i < len(constraints) {
				at := constraints[i]
				ruled.Constraints = append(ruled.Constraints, at)
				with = append(with, "["+index(at)[1:]+"] "+e.problem.spec.Constraints[at].label())
			} else if n := before[i-len(constraints)].option.node; n != nil {
				ruled.Choices = append(ruled.Choices, n.name())
				with = append(with, "the choice of "+n.name())
			} else {
				with = append(with, "the choice of a group before")
			}
		}
		ruled.Text = "cannot hold with " + join(with)
		if len(with) == 0 {
			ruled.Text = e.neverPossible(o.node)
		}
		s.Ruled = append(s.Ruled, ruled)
	}
	return nil
}

// neverPossible tells why a candidate is impossible by itself.
func (e *encoding) neverPossible(n *node) string {
	if n != nil {
		at := slices.IndexFunc(n.requirements, func(r *requirement) bool { return len(r.options) == 0 })
		if at >= 0 {
			return "needs " + n.requirements[at].need.text() + ", which nothing fulfils"
		}
	}
	return "what it needs cannot be fulfilled"
}
