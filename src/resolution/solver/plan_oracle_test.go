package solver_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// oPlan asks for a plan. The oracle goes through all states and all ways between them.
type oPlan struct {
	*oProblem
	Installed  map[string]string // version by package
	Upgrades   map[string]string
	Policy     string
	Policies   map[string]string
	MaxChanges int // -1 for any number
}

// oState is a consistent state by package.
type oState map[string]*oVersion

func (s oState) key() string {
	var text []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text = append(text, name+"="+s[name].of.source.Name+":"+s[name].Version)
	}
	return strings.Join(text, " ")
}

// meets reports whether a version is one that an expression asks for, given what is there.
func (x oExpression) meets(v *oVersion, in []*oVersion) bool {
	meets := func(part oExpression) bool { return part.meets(v, in) }
	switch x.Op {
	case "":
		return x.Is.is(v)
	case "any":
		return slices.ContainsFunc(x.Parts, meets)
	case "all":
		return x.holds(in) && slices.ContainsFunc(x.Parts, meets)
	}
	return false
}

// onlyNeeded reports whether all of a state meets a requirement, or a need of something that is needed.
func (p *oPlan) onlyNeeded(in []*oVersion) bool {
	needed := map[*oVersion]bool{}
	for range in {
		for _, v := range in {
			asked := slices.ContainsFunc(p.Constraints, func(c oConstraint) bool { return c.Kind == "" && c.Is.meets(v, in) })
			for by := range needed {
				asked = asked || slices.ContainsFunc(by.Needs, func(x oExpression) bool { return x.meets(v, in) })
			}
			if asked {
				needed[v] = true
			}
		}
	}
	return len(needed) == len(in)
}

func (p *oPlan) policy(name string) string { return cmp.Or(p.Policies[name], p.Policy) }

// changes returns the names of packages that differ from what is installed.
func (p *oPlan) changes(target oState) []string {
	var names []string
	begin := p.begin()
	for _, name := range someNames {
		if target[name] != begin[name] {
			names = append(names, name)
		}
	}
	return names
}

// leads reports whether a version of a package may follow another one.
func (p *oPlan) leads(from string, to *oVersion) bool {
	switch {
	case from == to.Version:
		return false
	case p.Upgrades[to.of.Name] == "any":
		return true
	case p.Upgrades[to.of.Name] == "semver":
		return to.inside("^"+from) && semver.MustParse(to.Version).GreaterThan(semver.MustParse(from))
	}
	return to.Replaces == from || slices.Contains(to.Skips, from) || to.SkipRange != "" && inRange(to.SkipRange, from)
}

// steps are those from a state, in order.
func (p *oPlan) steps(from, target oState, states map[string]oState) []solver.Step {
	var steps []solver.Step
	begin := p.begin()
	try := func(step solver.Step, v *oVersion) {
		if v != nil && p.isOfSeveral(v) {
			step.Source = v.of.source.Name
		}
		if _, possible := states[from.with(step.Package, v).key()]; possible {
			steps = append(steps, step)
		}
	}
	for _, name := range slices.Sorted(slices.Values(someNames)) {
		is, to := from[name], target[name]
		switch {
		case p.Installed[name] == "":
			if is == nil && to != nil {
				try(solver.Step{Package: name, To: to.Version}, to)
			}
		case is == nil || to != nil && to == begin[name]:
		default:
			var next []*oVersion
			for _, v := range p.candidates() {
				if v.of.Name == name && p.leads(is.Version, v) {
					next = append(next, v)
				}
			}
			slices.SortFunc(next, preferred)
			for _, v := range next {
				try(solver.Step{Package: name, From: is.Version, To: v.Version}, v)
			}
			if to == nil {
				try(solver.Step{Package: name, From: is.Version}, nil)
			}
		}
	}
	return steps
}

func (s oState) with(name string, v *oVersion) oState {
	out := maps.Clone(s)
	if delete(out, name); v != nil {
		out[name] = v
	}
	return out
}

// version is that of a source, or of the first one that has it.
func (p *oPlan) version(name, version, source string) *oVersion {
	for _, of := range p.Sources {
		for _, v := range p.candidates() {
			if v.of.source == of && v.of.Name == name && v.Version == version && (source == "" || source == of.Name) {
				return v
			}
		}
	}
	return nil
}

// isOfSeveral reports whether several sources have a version.
func (p *oPlan) isOfSeveral(v *oVersion) bool {
	n := 0
	for _, other := range p.versions() {
		if other.of.Name == v.of.Name && other.Version == v.Version {
			n++
		}
	}
	return n > 1
}

// preferred orders versions of one package.
func preferred(a, b *oVersion) int {
	return cmp.Or(semver.MustParse(b.Version).Compare(semver.MustParse(a.Version)), cmp.Compare(a.of.source.rank, b.of.source.rank))
}

// shortest searches the steps to a target breadth first; the first way that is found is the first of the shortest.
func (p *oPlan) shortest(installed, target oState, states map[string]oState) ([]solver.Step, bool) {
	type way struct {
		at    oState
		steps []solver.Step
	}
	seen := map[string]bool{installed.key(): true}
	for waiting := []way{{installed, []solver.Step{}}}; len(waiting) > 0; waiting = waiting[1:] {
		w := waiting[0]
		if w.at.key() == target.key() {
			return w.steps, true
		}
		for _, step := range p.steps(w.at, target, states) {
			next := w.at.with(step.Package, p.version(step.Package, step.To, step.Source))
			if !seen[next.key()] {
				seen[next.key()] = true
				waiting = append(waiting, way{next, append(slices.Clone(w.steps), step)})
			}
		}
	}
	return nil, false
}

// answer is the preferred target with its plan, or nothing.
func (p *oPlan) answer() (target oState, channels map[string]string, plan []solver.Step, found bool) {
	states, all := p.states()
	installed := p.begin()
	plans := map[string][]solver.Step{}
	var constraints []int
	for i := range p.Constraints {
		constraints = append(constraints, i)
	}
	all = slices.DeleteFunc(all, func(s oState) bool {
		in := slices.Collect(maps.Values(s))
		if len(p.satisfying([][]*oVersion{in}, constraints)) == 0 || !p.onlyNeeded(in) || p.MaxChanges >= 0 && len(p.changes(s)) > p.MaxChanges ||
			slices.ContainsFunc(p.changes(s), func(name string) bool { return p.policy(name) == "frozen" }) {
			return true
		}
		plan, possible := p.shortest(installed, s, states)
		plans[s.key()] = plan
		return !possible
	})
	counted := func(s oState) (n int) {
		for _, name := range p.changes(s) {
			if p.policy(name) == "minimal-change" {
				n++
			}
		}
		return n
	}
	fewest := 1 << 20
	for _, s := range all {
		fewest = min(fewest, counted(s))
	}
	all = slices.DeleteFunc(all, func(s oState) bool { return counted(s) > fewest })
	if len(all) == 0 {
		return nil, nil, nil, false
	}
	target, channels = p.preferTarget(all)
	return target, channels, plans[target.key()], true
}

// preferTarget goes through the requirements, then through what they leave open. channels are those that the selections show.
func (p *oPlan) preferTarget(all []oState) (target oState, channels map[string]string) {
	var waiting []oRequirement
	for _, c := range p.Constraints {
		if c.Kind == "" {
			waiting = append(waiting, queue(c.Is, nil)...)
		}
	}
	keep := func(holds func(oState) bool) bool {
		still := slices.DeleteFunc(slices.Clone(all), func(s oState) bool { return !holds(s) })
		if len(still) > 0 {
			all = still
		}
		return len(still) > 0
	}
	chosen := map[*oVersion]bool{}
	var processed []oSelector
	for ; len(waiting) > 0; waiting = waiting[1:] {
		r := waiting[0]
		processed = append(processed, named(r.is)...)
		for _, o := range p.options(r) {
			v, ok := o.(*oVersion)
			if !keep(func(s oState) bool {
				if ok {
					return s[v.of.Name] == v
				}
				return o.(oExpression).holds(slices.Collect(maps.Values(s)))
			}) {
				continue
			}
			if !ok {
				waiting = append(waiting, queue(o.(oExpression), r.owner)...)
			} else if !chosen[v] {
				chosen[v] = true
				for _, need := range v.Needs {
					waiting = append(waiting, queue(need, v)...)
				}
			}
			break
		}
	}
	for _, name := range slices.Sorted(slices.Values(someNames)) {
		if keep(func(s oState) bool { return s[name] == nil }) {
			continue
		}
		var versions []*oVersion
		for _, v := range p.candidates() {
			if v.of.Name == name {
				versions = append(versions, v)
			}
		}
		slices.SortFunc(versions, preferred)
		for _, v := range versions {
			if keep(func(s oState) bool { return s[name] == v }) {
				break
			}
		}
	}
	channels = map[string]string{}
	for name, v := range all[0] {
		channels[name] = v.channelFor(processed)
	}
	return all[0], channels
}

// states are all consistent states, by their keys and in order.
func (p *oPlan) states() (byKey map[string]oState, all []oState) {
	byKey = map[string]oState{}
	for _, in := range p.selections("") {
		s := oState{}
		for _, v := range in {
			s[v.of.Name] = v
		}
		byKey[s.key()] = s
		all = append(all, s)
	}
	return byKey, all
}

// begin is what is installed.
func (p *oPlan) begin() oState {
	installed := oState{}
	for name, version := range p.Installed {
		installed[name] = p.version(name, version, "")
	}
	return installed
}

// goesBack says what is wrong with the way back from a target: it has to lead to what is installed, through consistent states, and there
// has to be one where what is installed is such a state.
func (p *oPlan) goesBack(back *solver.Rollback, from oState) string {
	states, _ := p.states()
	_, consistent := states[p.begin().key()]
	if back == nil {
		back = &solver.Rollback{}
	}
	if consistent == (back.Impossible != "") {
		return "it is " + back.Impossible
	}
	if !consistent {
		return ""
	}
	at := from
	for _, s := range back.Steps {
		if v := at[s.Package]; s.From == "" && v != nil || s.From != "" && (v == nil || v.Version != s.From) {
			return s.String() + " from " + at.key()
		}
		next := oState{}
		maps.Copy(next, at)
		if delete(next, s.Package); s.To != "" {
			next[s.Package] = p.version(s.Package, s.To, s.Source)
		}
		if at = next; states[at.key()] == nil {
			return s.String() + " to " + at.key()
		}
	}
	if at.key() != p.begin().key() {
		return "it leads to " + at.key()
	}
	return ""
}

func (p *oPlan) document() *value.Value {
	doc := p.oProblem.document()
	installed := []any{}
	for _, name := range slices.Sorted(maps.Keys(p.Installed)) {
		installed = append(installed, object{"name": name, "version": p.Installed[name]}.with("upgrades", p.Upgrades[name]))
	}
	spec := doc.Get("spec")
	spec.Set("installed", fromJSON(installed))
	spec.Set("policy", fromJSON(p.Policy))
	if len(p.Policies) > 0 {
		spec.Set("policy", fromJSON(object{"default": p.Policy, "packages": p.Policies}))
	}
	if p.MaxChanges >= 0 {
		spec.Set("maxChanges", fromJSON(p.MaxChanges))
	}
	return doc
}

// TestPlansAgainstDefinition compares plans with those of the oracle.
func TestPlansAgainstDefinition(t *testing.T) {
	rounds.Checks(t, 600, 20000)
	possible, walked, asked := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := generatePlan(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 24)))
		doc := p.document()
		problem, err := parse(doc)
		if err != nil {
			t.Fatalf("%v\n%s", err, doc.JSON())
		}
		got, err := solver.Resolve(t.Context(), problem, solver.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, doc.JSON())
		}
		asked++
		target, channels, plan, found := p.answer()
		switch {
		case !found && got.Unsat == nil:
			t.Fatalf("there is no plan, got %s %v\n%s", names(got.Selections), got.Plan, doc.JSON())
		case !found:
			return
		case !got.Resolved():
			t.Fatalf("want %s %v, got %s\n%s", target.key(), plan, got.Message, doc.JSON())
		}
		possible++
		if len(plan) > 1 {
			walked++
		}
		selected := oState{}
		for _, s := range got.Selections {
			selected[s.Package] = p.version(s.Package, s.Version, s.Source)
			if s.Channel != channels[s.Package] {
				t.Fatalf("got %s, want channel %s\n%s", s, channels[s.Package], doc.JSON())
			}
		}
		if selected.key() != target.key() || !slices.Equal(got.Plan, plan) {
			t.Fatalf("got %s %v, want %s %v\n%s", selected.key(), got.Plan, target.key(), plan, doc.JSON())
		}
		if wrong := p.goesBack(got.Rollback, target); wrong != "" && len(plan) > 0 {
			t.Fatalf("way back %+v of %v: %s\n%s", got.Rollback, plan, wrong, doc.JSON())
		}
	})
	if possible < asked/10 || walked < asked/20 {
		t.Errorf("%d of %d have a plan, %d more than one step, which tests too little", possible, asked, walked)
	}
	t.Logf("%d of %d have a plan, %d of them more than one step", possible, asked, walked)
}
