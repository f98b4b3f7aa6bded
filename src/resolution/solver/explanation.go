package solver

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
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
// all constraints and choices before, those with which such an option is impossible, the earliest ones, and, of the
// first options, by what facts.
func (e *encoding) ruledOut(s *Selection, c *choice, constraints []int, before []choice) error {
	e.unfitFor(s, c)
	shown := min(len(c.skipped), maxRuled)
	s.More += len(c.skipped) - shown
	for _, o := range c.skipped[:shown] {
		kept, err := e.core([]sat.Lit{o.lit()}, c.earlier)
		if err != nil {
			return err
		}
		ruled := Ruled{Candidate: "an alternative that is a group"}
		nodes := []*node{o.node}
		if o.node != nil {
			ruled.Candidate = o.node.source.Name + ":" + o.node.pkg.Name + ":" + o.node.version.Text
		}
		var with []string
		for _, i := range kept {
			if i < len(constraints) {
				at := constraints[i]
				ruled.Constraints = append(ruled.Constraints, at)
				with = append(with, "["+index(at)[1:]+"] "+e.problem.spec.Constraints[at].Label())
				continue
			}
			n := before[i-len(constraints)].option.node
			nodes = append(nodes, n)
			if n == nil {
				with = append(with, "the choice of a group before")
			} else {
				ruled.Choices = append(ruled.Choices, n.name())
				with = append(with, "the choice of "+n.name())
			}
		}
		ruled.Text = "cannot hold with " + join(with)
		if len(with) == 0 {
			ruled.Text = "what it needs cannot be fulfilled"
		}
		if missing := e.nothingFor(o.node); missing != "" {
			ruled.Text = missing
		} else if ruled.Text, err = e.because(ruled.Text, ruled.Constraints, nodes); err != nil {
			return err
		}
		s.Ruled = append(s.Ruled, ruled)
	}
	return nil
}

// unfitFor names the newer versions that a selection's need would take, and that do not fit the cluster.
func (e *encoding) unfitFor(s *Selection, c *choice) {
	if e.problem.spec.facts == nil || c.by.need.operator != required || c.option.node == nil {
		return
	}
	selected, of := c.option.node, c.by.need.selector
	for _, source := range e.sources {
		p := source.byName[s.Package]
		if p == nil {
			continue
		}
		for _, v := range p.Versions {
			why := e.problem.unfit(v)
			if why == "" || compareVersions(v.version, selected.version.version) <= 0 || !of.concerns(e.problem, source, p, v) || !e.inRange(of, p, v) {
				continue
			}
			if len(s.Ruled) == maxRuled {
				s.More++
				continue
			}
			s.Ruled = append(s.Ruled, Ruled{Candidate: source.Name + ":" + p.Name + ":" + v.Text, Text: why})
		}
	}
}

// nothingFor describes a dependency of a candidate that no version satisfies, "" if there is none.
func (e *encoding) nothingFor(n *node) string {
	if n != nil {
		at := slices.IndexFunc(n.requirements, func(r *requirement) bool { return len(r.options) == 0 })
		if at >= 0 {
			need := n.requirements[at].need
			return "needs " + need.text() + cmp.Or(e.unfulfilled(need), ", which nothing fulfils")
		}
	}
	return ""
}

const (
	maxReasoned = 20_000 // after so many candidates no more reasons are searched for, as each takes a problem of its own
	maxReasons  = 400    // bytes of the reasons for one option
)

// because adds the facts that make constraints and candidates impossible together to a text, if there are some that can
// be said in a few words. A nil among the nodes is a group, of which they are not known.
func (e *encoding) because(text string, constraints []int, nodes []*node) (string, error) {
	if e.reasoned >= maxReasoned || slices.Contains(nodes, nil) {
		return text, nil
	}
	candidates := make([]*candidate, len(nodes))
	for i, n := range nodes {
		candidates[i] = n.candidate
	}
	facts, err := e.minimalFacts(constraints, candidates...)
	if err != nil {
		return "", err
	}
	described := e.describe(facts)
	reasons := strings.Join(e.reasons(described), "; ")
	if len(reasons) > maxReasons {
		reasons = strings.Join(e.contracted(described), "; ")
	}
	if reasons == "" || len(reasons) > maxReasons {
		return text, nil
	}
	return text + ": " + reasons, nil
}
