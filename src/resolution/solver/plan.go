package solver

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
)

// Step changes one package. From is "" where it is added, To where it is removed; they are null in JSON. Source is that of the version To where several
// of the sources have it, which may be different there.
type Step struct {
	Package, From, To, Source string
}

// MarshalJSON writes {package, from, to, source?}.
func (s Step) MarshalJSON() ([]byte, error) {
	text := func(version string) *string {
		if version == "" {
			return nil
		}
		return &version
	}
	return json.Marshal(struct {
		Package string  `json:"package"`
		From    *string `json:"from"`
		To      *string `json:"to"`
		Source  string  `json:"source,omitempty"`
	}{s.Package, text(s.From), text(s.To), s.Source})
}

// String is "add db 1.2.0", "remove db 1.2.0" or "db 1.0.0 -> 1.2.0", with " of SOURCE" where that is said.
func (s Step) String() string {
	of := ""
	if s.Source != "" {
		of = " of " + s.Source
	}
	switch "" {
	case s.From:
		return "add " + s.Package + " " + s.To + of
	case s.To:
		return "remove " + s.Package + " " + s.From
	}
	return s.Package + " " + s.From + " -> " + s.To + of
}

// planner makes an encoding accept only targets: solutions that have nothing but what is needed, to which a plan leads from
// what is installed, and with as few changes as the policies ask for. What of that is not known as clauses beforehand it
// finds in models, and adds.
type planner struct {
	*encoding
	tracks  map[string]*track // of the installed packages
	names   []string          // of all packages that are installed or can be reached
	byName  map[string][]*node
	support map[*node][]support
	order   *ordering

	in     map[*node]bool // the last target that was accepted
	plan   []Step         // to it
	locked []Step         // changes of which the first target that was refused could not do one after the other
}

// resolvePlan finds the preferred target and the plan to it; the constraints alone can be satisfied.
func (e *encoding) resolvePlan() (*Outcome, error) {
	t := newPlanner(e)
	possible, err := t.limitChanges()
	if err != nil {
		return nil, err
	}
	if !possible {
		unsat, err := t.obstacle()
		if err != nil {
			return nil, err
		}
		return &Outcome{Unsat: unsat, Message: unsat.Message}, nil
	}
	selections, err := e.selections(all(len(e.roots)), false)
	if err != nil {
		return nil, err
	}
	if err := VerifyPlan(e.problem, selections, t.plan); err != nil {
		return nil, broken("%s", err)
	}
	selections = withoutFacts(selections)
	back := e.problem.rollback(t.plan)
	if back != nil {
		e.problem.nameSources(back.Steps)
	}
	e.problem.nameSources(t.plan)
	message := fmt.Sprintf("selected %s for %s, in %s from what is installed", count(len(selections), "package"), count(len(e.roots), "constraint"), count(len(t.plan), "step"))
	return &Outcome{Selections: selections, Plan: t.plan, Rollback: back, Message: message}, nil
}

// support is for what a candidate may be selected.
type support struct {
	by  *node   // whose need it meets; nil for a constraint
	lit sat.Lit // that the need is there; 0 for always
}

// newPlanner adds to an encoding, whose constraints can be satisfied, what is known of targets beforehand.
func newPlanner(e *encoding) *planner {
	t := &planner{encoding: e, tracks: map[string]*track{}, byName: map[string][]*node{}, support: map[*node][]support{}}
	for i := range e.problem.spec.installed {
		of := &e.problem.spec.installed[i]
		t.tracks[of.name] = newTrack(e.universe, of)
		t.names = append(t.names, of.name)
	}
	for _, n := range e.nodes {
		t.byName[n.pkg.Name] = append(t.byName[n.pkg.Name], n)
		t.names = append(t.names, n.pkg.Name)
	}
	slices.Sort(t.names)
	t.names = slices.Compact(t.names)
	for _, n := range e.nodes { // an installed package keeps to its upgrades
		if on := t.tracks[n.pkg.Name]; on != nil && !on.reaches(n.candidate) {
			e.solver.Add(n.lit.Not())
		}
	}
	t.needOnlyNeeded()
	t.order = newOrdering(t)
	e.planner = t
	return t
}

// needOnlyNeeded lets only what something asks for be selected. That may go round in circles: founded looks for these.
func (t *planner) needOnlyNeeded() {
	for _, list := range t.requirements {
		t.supportAll(list, support{})
	}
	for _, n := range t.nodes {
		t.supportAll(n.requirements, support{n, n.lit})
	}
	for _, n := range t.nodes {
		t.onlyWith([]*node{n}, t.support[n])
	}
}

// supportAll notes what requirements support, as long as they are there themselves.
func (t *planner) supportAll(list []*requirement, by support) {
	for _, r := range list {
		for _, o := range r.options {
			if o.node != nil {
				t.support[o.node] = append(t.support[o.node], by)
				continue
			}
			within := support{by.by, t.solver.New()} // the group is taken, and is there to be taken
			t.solver.Add(within.lit.Not(), o.group.lit)
			if by.lit != 0 {
				t.solver.Add(within.lit.Not(), by.lit)
			}
			t.supportAll(o.group.members, within)
		}
	}
}

// onlyWith lets candidates be selected only with one of the supports.
func (t *planner) onlyWith(nodes []*node, supports []support) {
	var one []sat.Lit
	for _, s := range supports {
		if s.lit == 0 {
			return
		}
		one = append(one, s.lit)
	}
	for _, n := range nodes {
		t.solver.Add(append([]sat.Lit{n.lit.Not()}, one...)...)
	}
}

// accepts reports whether the solver's model is a target. If it is none, clauses were added that say why.
func (t *planner) accepts() (bool, error) {
	in := make(map[*node]bool)
	for _, n := range t.nodes {
		if t.solver.Value(n.lit) {
			in[n] = true
		}
	}
	if circle := t.unfounded(in); circle != nil {
		var outside []support
		for _, n := range circle {
			for _, s := range t.support[n] {
				if s.by == nil || !slices.Contains(circle, s.by) {
					outside = append(outside, s)
				}
			}
		}
		t.onlyWith(circle, outside)
		return false, nil
	}
	to := make(map[string]*candidate, len(in))
	for n := range in {
		to[n.pkg.Name] = n.candidate
	}
	plan, stuck, err := t.order.plan(to)
	if err != nil {
		return false, err
	}
	if stuck != nil {
		t.refuse(stuck, to)
		return false, nil
	}
	t.in, t.plan = in, plan
	return true, nil
}

// unfounded are the selected candidates that only need each other.
func (t *planner) unfounded(in map[*node]bool) []*node {
	founded := make(map[*node]bool, len(in))
	var rest []*node
	for _, n := range t.nodes {
		if in[n] {
			rest = append(rest, n)
		}
	}
	for before := -1; before != len(rest) && len(rest) > 0; {
		before = len(rest)
		rest = slices.DeleteFunc(rest, func(n *node) bool {
			for _, s := range t.support[n] {
				if s.lit == 0 || t.solver.Value(s.lit) && (s.by == nil || founded[s.by]) {
					founded[n] = true
					return true
				}
			}
			return false
		})
	}
	if len(rest) == 0 {
		return nil
	}
	return rest
}

// refuse excludes all targets that have the same of some packages: no plan leads to these.
func (t *planner) refuse(stuck []string, to map[string]*candidate) {
	var clause []sat.Lit
	var steps []Step
	for _, name := range stuck {
		c, from := to[name], t.order.from(name)
		if c != from {
			steps = append(steps, stepBetween(name, from, c))
		}
		if c != nil {
			clause = append(clause, t.of[c].lit.Not())
			continue
		}
		clause = append(clause, lits(t.byName[name])...)
	}
	if t.locked == nil {
		t.problem.nameSources(steps)
		t.locked = steps
	}
	t.solver.Add(clause...)
}

// leaveOut decides what the requirements left open, by package name: none before a version, a higher one before a lower one.
func (t *planner) leaveOut(out *preferred, assumed []sat.Lit) error {
	chosen := map[string]bool{}
	for _, c := range out.choices {
		if c.option.node != nil {
			chosen[c.option.node.pkg.Name] = true
		}
	}
	for _, name := range t.names {
		if chosen[name] || len(t.byName[name]) == 0 {
			continue
		}
		nodes := slices.SortedFunc(slices.Values(t.byName[name]), func(a, b *node) int { return preferable(a.candidate, b.candidate) })
		none := slices.Clone(assumed)
		for _, n := range nodes {
			none = append(none, n.lit.Not())
		}
		possible := !slices.ContainsFunc(nodes, func(n *node) bool { return t.in[n] })
		if !possible {
			var err error
			if possible, err = t.solve(none...); err != nil {
				return err
			}
		}
		if possible {
			assumed = none
			continue
		}
		for _, n := range nodes {
			possible := t.in[n]
			if !possible {
				var err error
				if possible, err = t.solve(append(slices.Clone(assumed), n.lit)...); err != nil {
					return err
				}
			}
			if possible {
				assumed = append(assumed, n.lit)
				out.choices = append(out.choices, choice{by: t.wantedBy(n), option: option{node: n}})
				break
			}
		}
	}
	return nil
}

// wantedBy is a requirement that a selected candidate meets.
func (t *planner) wantedBy(n *node) *requirement {
	for _, list := range t.requirements {
		if r := offering(list, n); r != nil {
			return r
		}
	}
	for _, other := range t.nodes {
		if t.in[other] {
			if r := offering(other.requirements, n); r != nil {
				return r
			}
		}
	}
	return nil
}

// offering is the first requirement that has a candidate as an option.
func offering(list []*requirement, n *node) *requirement {
	for _, r := range list {
		for _, o := range r.options {
			if o.node == n {
				return r
			}
			if o.group != nil {
				if inner := offering(o.group.members, n); inner != nil {
					return inner
				}
			}
		}
	}
	return nil
}

// preferable orders candidates of one package: the higher version first, then the preferred source.
func preferable(a, b *candidate) int {
	if c := compareVersions(b.version.version, a.version.version); c != 0 {
		return c
	}
	return a.rank - b.rank
}
