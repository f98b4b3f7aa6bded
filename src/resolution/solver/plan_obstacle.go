package solver

import (
	"fmt"
	"slices"
	"strings"
)

// The obstacles of plans.
const (
	ObstaclePolicy     = "policy"     // frozen packages would have to change
	ObstacleMaxChanges = "maxChanges" // more packages would have to change
	ObstacleUpgrades   = "upgrades"   // no steps lead to what the constraints allow
)

// obstacle explains why no target counts although the constraints can be satisfied.
func (t *planner) obstacle() (*Unsat, error) {
	u := &Unsat{Core: []int{}, NoMatch: []NoMatch{}, Packages: []string{}, Facts: []Fact{}, Fixes: []Fix{}, Obstacle: ObstacleUpgrades}
	changed, err := t.fewestChanges(false)
	if err != nil {
		return nil, err
	}
	if changed != nil {
		u.Obstacle, u.Packages = ObstacleMaxChanges, packagesOf(changed)
		u.Message = fmt.Sprintf("maxChanges is %d, and at least %s would have to change: %s", t.problem.spec.maxChanges, count(len(changed), "package"), listSteps(changed))
		return u, nil
	}
	if changed, err = t.fewestChanges(true); err != nil {
		return nil, err
	}
	if changed == nil {
		u.Packages = packagesOf(t.locked)
		u.Message = "no steps lead from what is installed to anything that the constraints allow" + t.unreachable()
		return u, nil
	}
	changed = slices.DeleteFunc(changed, func(s Step) bool { return t.problem.spec.policyFor(s.Package) != Frozen })
	u.Obstacle, u.Packages = ObstaclePolicy, packagesOf(changed)
	u.Message = "what is frozen would have to change: " + listSteps(changed)
	return u, nil
}

// fewestChanges are those that are needed whatever maxChanges says, in frozen packages only if these may thaw; nil if no plan
// does it.
func (t *planner) fewestChanges(thaw bool) ([]Step, error) {
	spec := *t.problem.spec
	spec.policy, spec.policies, spec.maxChanges = MinimalChange, map[string]ChangePolicy{}, anyNumber
	for _, name := range t.names {
		if !thaw && t.problem.spec.policyFor(name) == Frozen {
			spec.policies[name] = Frozen
		}
	}
	free := &Problem{&spec, t.problem.whole, t.problem.sources, t.problem.needs}
	e, err := encode(newUniverse(free), t.stop, nil, nil)
	if err != nil {
		return nil, err
	}
	other := newPlanner(e)
	if possible, err := other.limitChanges(); !possible || err != nil {
		return nil, err
	}
	selections, err := e.selections(all(len(e.roots)), false)
	return free.netChanges(selections), err
}

// unreachable says what is in the way.
func (t *planner) unreachable() string {
	if t.locked != nil {
		return ": these changes need each other, and only one package changes at a time: " + listSteps(t.locked)
	}
	for _, name := range t.names {
		on := t.tracks[name]
		if on == nil || len(t.byName[name]) == 0 || slices.ContainsFunc(t.byName[name], func(n *node) bool { return on.reaches(n.candidate) }) {
			continue
		}
		return fmt.Sprintf(": no upgrade leads from %s to %s", on.from.name(), t.byName[name][0].name())
	}
	return ""
}

// netChanges are the packages whose version differs from what is installed, by name.
func (p *Problem) netChanges(selections []Selection) []Step {
	from, to := map[string]*candidate{}, map[string]*candidate{}
	for i := range p.spec.installed {
		from[p.spec.installed[i].name] = p.installed(&p.spec.installed[i])
	}
	for _, s := range selections {
		to[s.Package] = p.find(s)
	}
	list := []Step{}
	for _, name := range namesOf(from, to) {
		if !same(from[name], to[name]) {
			list = append(list, Step{Package: name, From: textOf(from[name]), To: textOf(to[name])})
		}
	}
	return list
}

func packagesOf(steps []Step) []string {
	names := []string{}
	for _, s := range steps {
		names = append(names, s.Package)
	}
	return names
}

func listSteps(steps []Step) string {
	var list []string
	for _, s := range steps {
		list = append(list, s.String())
	}
	return cutList(list)
}

// maxListedSteps is how many steps a message lists.
const maxListedSteps = 8

func cutList(list []string) string {
	if more := len(list) - maxListedSteps; more > 0 {
		return strings.Join(list[:maxListedSteps], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(list, ", ")
}
