package solver

import (
	"cmp"
	"errors"
	"slices"

	"github.com/dovetail-store/dovetail/src/resolution/solver/sat"
)

// Unsat tells why there is no solution.
type Unsat struct {
	// Core are the indices of constraints that cannot hold together: what remains when constraints are
	// dropped, from the last to the first, whenever the rest stays unsatisfiable.
	Core    []int     `json:"core"`
	NoMatch []NoMatch `json:"noMatch"`
	Message string    `json:"message"` // at most MaxMessage bytes
	// Packages are those that the core and the facts are about, by name.
	Packages []string `json:"packages"`
	// Facts of the sources make the core impossible; without any of them it would be possible.
	Facts []Fact `json:"facts"`
	Fixes []Fix  `json:"fixes"`
	// Derivation proves step by step, from the core and the facts, that the core cannot hold; with Options.Explain, and where the proof
	// is short enough to be read.
	Derivation []Derivation `json:"derivation,omitempty"`
	// Obstacle is why there is no plan although the constraints can be satisfied; the core is empty then.
	Obstacle string `json:"obstacle,omitempty"`
	// Incomplete says that the time was over before all facts and fixes were found.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Stage is a filter of a selector. A selector passes them in the order of the constants.
type Stage string

// The stages.
const (
	StagePackage    Stage = "package"
	StageSource     Stage = "source"
	StageChannel    Stage = "channel"
	StageProvides   Stage = "provides"
	StageVersion    Stage = "version"
	StagePrerelease Stage = "prerelease" // as StageVersion, but pre-releases would have passed
)

// NoMatch is a requirement of a constraint of the core that no candidate fulfils.
type NoMatch struct {
	Constraint int   `json:"constraint"`
	Stage      Stage `json:"stage"` // the first that left nothing

	selector *selector
}

// Fix is a repair: a smallest set of constraints to remove, with one of the core, and what would then
// be selected.
type Fix struct {
	Without    []int    `json:"without"`
	Selections []string `json:"selections"`
}

// maxFixes is how many ways out are searched for.
const maxFixes = 8

// clash explains why the constraints cannot be satisfied, which the solver has just found.
func (e *encoding) clash() (*Unsat, error) {
	u := &Unsat{NoMatch: []NoMatch{}, Facts: []Fact{}, Fixes: []Fix{}}
	var err error
	if u.Core, err = e.core(nil, e.roots); err != nil {
		return nil, err
	}
	for _, i := range u.Core {
		if c := e.problem.spec.Constraints[i]; c.kind == isExpression {
			u.NoMatch = append(u.NoMatch, e.noMatch(i, c.expression)...)
		}
	}
	facts, err := e.minimalFacts(u.Core)
	if err == nil {
		u.Facts = e.describe(facts)
		err = e.fixes(u)
	}
	if err != nil && !errors.Is(err, errStopped) {
		return nil, err
	}
	u.Incomplete = err != nil
	u.Packages = e.mentioned(u, facts)
	u.Message = e.message(u)
	return u, nil
}

// noMatch returns what an expression requires and no candidate fulfils; of alternatives only if
// that holds for all.
func (e *encoding) noMatch(constraint int, x *expression) []NoMatch {
	var out []NoMatch
	switch x.operator {
	case required:
		if len(e.candidates(x.selector)) == 0 {
			out = append(out, NoMatch{constraint, e.stage(x.selector), x.selector})
		}
	case allOf:
		for _, part := range x.parts {
			out = append(out, e.noMatch(constraint, part)...)
		}
	case anyOf:
		for _, part := range x.parts {
			found := e.noMatch(constraint, part)
			if len(found) == 0 {
				return nil
			}
			out = append(out, found...)
		}
	}
	return out
}

// stage returns the first filter of a selector that leaves nothing.
func (e *encoding) stage(s *selector) Stage {
	partial := &selector{}
	for _, next := range []struct {
		stage Stage
		add   func()
	}{
		{StagePackage, func() { partial.name = s.name }},
		{StageSource, func() { partial.source = s.source }},
		{StageChannel, func() { partial.channel, partial.channels = s.channel, s.channels }},
		{StageProvides, func() {
			partial.provides, partial.versioned, partial.match, partial.rule = s.provides, s.versioned, s.match, s.rule
		}},
	} {
		next.add()
		if !e.anyMatch(partial, func(*Version) bool { return true }) {
			return next.stage
		}
	}
	if e.anyMatch(s, func(v *Version) bool { return v.version.Prerelease() != "" && e.wouldMatch(s.versions, v) }) {
		return StagePrerelease
	}
	return StageVersion
}

// wouldMatch reports whether a pre-release would be in a range if pre-releases counted.
func (e *encoding) wouldMatch(r *Range, v *Version) bool {
	if e.problem.spec.prereleases == prereleasesNamed {
		return r.withPre.Check(v.version)
	}
	return e.problem.ranges(r, v.version)
}

// anyMatch reports whether there is a version for which everything but the range of a selector holds, and what is asked.
func (e *encoding) anyMatch(s *selector, asked func(*Version) bool) bool {
	return e.anyVersion(s.name, func(source *Source, p *Package, v *Version) bool {
		return s.concerns(e.problem, source, p, v) && asked(v) && !e.problem.leavesOut(p, v)
	})
}

// anyVersion reports whether one is found among the versions of a package, or of all for the name "".
func (e *encoding) anyVersion(name string, found func(*Source, *Package, *Version) bool) bool {
	for _, source := range e.sources {
		packages := source.Packages
		if name != "" {
			packages = nil
			if p := source.byName[name]; p != nil {
				packages = []*Package{p}
			}
		}
		for _, p := range packages {
			if slices.ContainsFunc(p.Versions, func(v *Version) bool { return found(source, p, v) }) {
				return true
			}
		}
	}
	return false
}

// minimalFacts returns the facts that remain when those met on the way from the core's constraints, and from
// candidates that are impossible beside them, are dropped, from the last to the first, whenever that stays impossible:
// first the facts of whole packages, then single ones.
func (e *encoding) minimalFacts(core []int, beside ...*candidate) ([]fact, error) {
	whole := &factory{whole: true, byName: map[string]sat.Lit{}}
	coarse, err := encode(e.universe, e.stop, whole, core, beside...)
	if err != nil {
		return nil, err
	}
	e.reasoned += len(coarse.nodes)
	kept, err := coarse.core(coarse.together(core, beside), whole.lits)
	if err != nil {
		return nil, err
	}
	single := &factory{packages: map[string]bool{}}
	for _, i := range kept {
		single.packages[whole.names[i]] = true
	}
	fine, err := encode(e.universe, e.stop, single, core, beside...)
	if err != nil {
		return nil, err
	}
	if len(single.facts) == len(kept) { // one of each package, all of which are needed
		return single.facts, nil
	}
	kept, err = fine.core(fine.together(core, beside), single.lits)
	if err != nil {
		return nil, err
	}
	return pick(single.facts, kept), nil
}

// together returns the literals of constraints and candidates.
func (e *encoding) together(constraints []int, candidates []*candidate) []sat.Lit {
	list := pick(e.roots, constraints)
	for _, c := range candidates {
		list = append(list, e.of[c].lit)
	}
	return list
}

// fixes finds for each constraint of the core the ways out without it. Constraints that come first
// are kept before later ones.
func (e *encoding) fixes(u *Unsat) error {
	for _, out := range u.Core[:min(len(u.Core), maxFixes)] {
		kept, without, err := e.satisfiable(out)
		if err != nil {
			return err
		}
		if len(without) > 1 {
			possible, err := e.solve(append(pick(e.roots, kept), e.roots[out])...)
			if err != nil {
				return err
			}
			if possible { // the others were enough
				continue
			}
		}
		if _, err := e.solve(pick(e.roots, kept)...); err != nil {
			return err
		}
		selections, err := e.selections(kept, false)
		if err != nil {
			return err
		}
		fix := Fix{without, []string{}}
		for _, s := range withoutFacts(selections) {
			fix.Selections = append(fix.Selections, s.String())
		}
		same := func(other Fix) bool { return slices.Equal(other.Without, fix.Without) }
		if !slices.ContainsFunc(u.Fixes, same) {
			u.Fixes = append(u.Fixes, fix)
		}
	}
	return nil
}

// satisfiable keeps, from the first to the last, the constraints that can hold with those kept before,
// without the one given.
func (e *encoding) satisfiable(out int) (kept, without []int, err error) {
	others := slices.DeleteFunc(all(len(e.roots)), func(i int) bool { return i == out })
	possible, err := e.solve(pick(e.roots, others)...)
	if possible || err != nil {
		return others, []int{out}, err
	}
	for i := range e.roots {
		possible := false
		if i != out {
			if possible, err = e.solve(append(pick(e.roots, kept), e.roots[i])...); err != nil {
				return nil, nil, err
			}
		}
		if possible {
			kept = append(kept, i)
		} else {
			without = append(without, i)
		}
	}
	return kept, without, nil
}

// mentioned returns the packages that the core and the facts are about, by name.
func (e *encoding) mentioned(u *Unsat, facts []fact) []string {
	names := []string{}
	add := func(name string) {
		if name != "" {
			names = append(names, name)
		}
	}
	for _, i := range u.Core {
		e.problem.spec.Constraints[i].packages(add)
	}
	for _, f := range facts {
		add(f.pkg())
		for _, s := range f.selectors() {
			add(s.name)
		}
	}
	slices.SortFunc(names, cmp.Compare[string])
	return slices.Compact(names)
}

// pick returns the items at the places.
func pick[T any](items []T, places []int) []T {
	out := make([]T, len(places))
	for i, at := range places {
		out[i] = items[at]
	}
	return out
}
