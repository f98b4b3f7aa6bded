package solver

import (
	"cmp"
	"slices"
	"strings"
)

// ordering finds the order of steps to a target. Packages that no rule joins are ordered on their own, and the shortest
// orders of all are merged.
type ordering struct {
	planner *planner
	byName  map[string][]*candidate // all that may be there on the way
	matched map[string][]*candidate // by key of a selector
	rules   map[string][]*rule      // by name of a package that they speak of
	found   map[string]*order       // by what was asked
}

// rule is what has to hold while a candidate is there.
type rule struct {
	owner    *candidate
	need     *expression // or nil
	conflict *selector   // with candidates of the one package in names
	names    []string    // of the packages that the rule speaks of beside that of the owner
}

// order is the best order of steps, or none.
type order struct {
	steps    []hop
	possible bool
	broken   bool // what is installed breaks a rule: the first of all steps has to be one of these
}

// hop is a step.
type hop struct {
	name     string
	from, to *candidate
}

func (h hop) step() Step { return stepBetween(h.name, h.from, h.to) }

func stepBetween(name string, from, to *candidate) Step {
	text := func(c *candidate) string {
		if c == nil {
			return ""
		}
		return c.version.Text
	}
	step := Step{Package: name, From: text(from), To: text(to)}
	if to != nil {
		step.Source = to.source.Name
	}
	return step
}

// nameSources leaves the sources in those steps that could be taken for others without.
func (p *Problem) nameSources(steps []Step) {
	for i := range steps {
		n := 0
		for _, source := range p.sources {
			if p.find(Selection{Source: source.Name, Package: steps[i].Package, Version: steps[i].To}) != nil {
				n++
			}
		}
		if n < 2 {
			steps[i].Source = ""
		}
	}
}

// compare orders hops: by package, additions and upgrades before removals, the higher version first.
func (h hop) compare(other hop) int {
	if c := cmp.Compare(h.name, other.name); c != 0 {
		return c
	}
	if h.to == nil || other.to == nil {
		return compareBools(h.to == nil, other.to == nil)
	}
	return preferable(h.to, other.to)
}

func newOrdering(t *planner) *ordering {
	o := &ordering{planner: t, byName: map[string][]*candidate{}, matched: map[string][]*candidate{}, rules: map[string][]*rule{}, found: map[string]*order{}}
	for _, name := range t.names {
		for _, n := range t.byName[name] {
			o.byName[name] = append(o.byName[name], n.candidate)
		}
		if on := t.tracks[name]; on != nil {
			for c := range on.next {
				if t.of[c] == nil {
					o.byName[name] = append(o.byName[name], c)
				}
			}
		}
		slices.SortFunc(o.byName[name], preferable)
	}
	for _, name := range t.names {
		for _, c := range o.byName[name] {
			for _, need := range c.version.dependencies {
				o.addNeed(c, need)
			}
			for _, s := range c.version.conflicts {
				o.addConflict(c, s)
			}
		}
	}
	return o
}

// from is what is installed of a package, nil if there is nothing.
func (o *ordering) from(name string) *candidate {
	if on := o.planner.tracks[name]; on != nil {
		return on.from
	}
	return nil
}

func (o *ordering) addNeed(c *candidate, need *expression) {
	switch need.operator {
	case optional:
		return
	case allOf:
		for _, part := range need.parts {
			o.addNeed(c, part)
		}
		return
	case required, anyOf, noneOf:
	}
	var names []string
	need.each(func(s *selector) {
		for _, other := range o.matches(s) {
			names = append(names, other.pkg.Name)
		}
	})
	slices.Sort(names)
	o.add(&rule{owner: c, need: need, names: slices.Compact(names)})
}

func (o *ordering) addConflict(c *candidate, s *selector) {
	before := ""
	for _, other := range o.matches(s) {
		if name := other.pkg.Name; name != before && name != c.pkg.Name {
			before = name
			o.add(&rule{owner: c, conflict: s, names: []string{name}})
		}
	}
}

func (o *ordering) add(r *rule) {
	o.rules[r.owner.pkg.Name] = append(o.rules[r.owner.pkg.Name], r)
	for _, name := range r.names {
		if name != r.owner.pkg.Name {
			o.rules[name] = append(o.rules[name], r)
		}
	}
}

// matches are the candidates of a selector, by package. What is installed counts even if it was withdrawn.
func (o *ordering) matches(s *selector) []*candidate {
	list, known := o.matched[s.key]
	if known {
		return list
	}
	names := o.planner.names
	if s.name != "" {
		names = []string{s.name}
	}
	for _, name := range names {
		for _, c := range o.byName[name] {
			if o.planner.problem.meets(s, c.source, c.pkg, c.version) {
				list = append(list, c)
			}
		}
	}
	o.matched[s.key] = list
	return list
}

// plan finds the steps to a target. Where there are none it returns the packages whose versions are the reason.
func (o *ordering) plan(to map[string]*candidate) (steps []Step, stuck []string, err error) {
	var orders []*order
	groups := o.groups(to)
	for _, changing := range groups {
		around := o.around(changing, to)
		if stuck, err = o.stuck(changing, around, to); stuck != nil || err != nil {
			return nil, stuck, err
		}
		found, err := o.order(around, to)
		if err != nil {
			return nil, nil, err
		}
		orders = append(orders, found)
	}
	return merge(orders), nil, nil
}

// merge takes always the first of the next steps, and at the very first one that repairs what is installed.
func merge(orders []*order) []Step {
	steps := []Step{}
	var left [][]hop
	for _, o := range orders {
		next := o.steps
		if o.broken {
			steps = append(steps, next[0].step())
			next = next[1:]
		}
		left = append(left, next)
	}
	for {
		next := -1
		for i, hops := range left {
			if len(hops) > 0 && (next < 0 || hops[0].compare(left[next][0]) < 0) {
				next = i
			}
		}
		if next < 0 {
			return steps
		}
		steps = append(steps, left[next][0].step())
		left[next] = left[next][1:]
	}
}

// groups are the packages that change, those together that rules join. What is installed may break the rules of one
// group only, as a single step has to repair them all: such groups are one.
func (o *ordering) groups(to map[string]*candidate) [][]string {
	leader := map[string]string{}
	var find func(name string) string
	find = func(name string) string {
		if leader[name] != name {
			leader[name] = find(leader[name])
		}
		return leader[name]
	}
	var changing []string
	for _, name := range o.planner.names {
		if o.from(name) != to[name] {
			changing = append(changing, name)
			leader[name] = name
		}
	}
	first := ""
	join := func(name string) {
		if leader[name] == "" {
			return
		}
		if first == "" {
			first = name
		}
		leader[find(name)] = find(first)
	}
	for _, name := range changing {
		for _, r := range o.rules[name] {
			if owner := r.owner.pkg.Name; leader[owner] == "" && r.owner != to[owner] {
				continue // it is never there
			}
			first = ""
			join(r.owner.pkg.Name)
			for _, of := range r.names {
				join(of)
			}
		}
	}
	installed := state{}
	for name, on := range o.planner.tracks {
		installed[name] = on.from
	}
	first = ""
	for _, name := range changing {
		for _, r := range o.rules[name] {
			if installed[r.owner.pkg.Name] == r.owner && !o.holds(r, installed) {
				join(name)
			}
		}
	}
	var groups [][]string
	places := map[string]int{}
	for _, name := range changing {
		at, known := places[find(name)]
		if !known {
			at = len(groups)
			places[find(name)] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], name)
	}
	return groups
}

// around are packages that change and all those that rules join to them and that stay as they are, in order.
func (o *ordering) around(changing []string, to map[string]*candidate) []string {
	names := slices.Clone(changing)
	for _, name := range changing {
		for _, r := range o.rules[name] {
			names = append(append(names, r.owner.pkg.Name), r.names...)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return o.from(name) != to[name] && !slices.Contains(changing, name) // only what is never there joins it
	})
}

// stuck looks for few packages whose versions in the target no order of steps leads to, whatever becomes of the others; nil
// means that there is an order. What one rule speaks of is examined first, as that is quick and mostly the reason.
func (o *ordering) stuck(changing, around []string, to map[string]*candidate) ([]string, error) {
	for _, name := range changing {
		for _, r := range o.rules[name] {
			few := append([]string{r.owner.pkg.Name}, r.names...)
			slices.Sort(few)
			few = slices.Compact(few)
			if len(few) == len(around) {
				continue
			}
			if found, err := o.order(few, to); err != nil || !found.possible {
				return few, err
			}
		}
	}
	found, err := o.order(around, to)
	if err != nil || found.possible {
		return nil, err
	}
	for size := (len(around) + 1) / 2; size > 0; size /= 2 { // leave out what is not the reason
		for at := 0; at < len(around); {
			rest := slices.Delete(slices.Clone(around), at, min(at+size, len(around)))
			found, err := o.order(rest, to)
			if err != nil {
				return nil, err
			}
			if found.possible {
				at += size
			} else {
				around = rest
			}
		}
	}
	return around, nil
}

// order finds the best order of steps of some packages, by the rules that speak of no others.
func (o *ordering) order(names []string, to map[string]*candidate) (*order, error) {
	var key strings.Builder
	for _, name := range names {
		key.WriteString(name + "\x00")
		if c := to[name]; c != nil {
			key.WriteString(c.version.Text + "\x00" + c.source.Name)
		}
		key.WriteByte('\x01')
	}
	if known := o.found[key.String()]; known != nil {
		return known, nil
	}
	made, err := newWalk(o, names, to).shortest()
	if err == nil {
		o.found[key.String()] = made
	}
	return made, err
}
