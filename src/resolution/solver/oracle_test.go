package solver_test

import (
	"cmp"
	"slices"

	"github.com/Masterminds/semver/v3"
)

// link completes a problem and puts its sources in order of preference.
func (p *oProblem) link() {
	if !p.Listed {
		slices.SortStableFunc(p.Sources, func(a, b *oSource) int {
			return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
		})
	}
	for i, s := range p.Sources {
		s.rank, s.of = i, p
		for _, k := range s.Packages {
			k.source = s
			for _, v := range k.Versions {
				v.of, v.in = k, map[string]bool{}
			}
		}
	}
	for _, v := range p.versions() {
		v.of.prerelease = p.needsPrereleases(v.of.Name)
	}
}

// versions are all that the sources have.
func (p *oProblem) versions() []*oVersion {
	var all []*oVersion
	for _, s := range p.Sources {
		for _, k := range s.Packages {
			all = append(all, k.Versions...)
		}
	}
	return all
}

// candidates are the versions that may be selected.
func (p *oProblem) candidates() []*oVersion {
	return slices.DeleteFunc(p.versions(), p.barred)
}

// barred reports whether a version is withdrawn, and none of all constraints requires exactly it.
func (p *oProblem) barred(v *oVersion) bool {
	return v.Withdrawn && !slices.ContainsFunc(p.Constraints, func(c oConstraint) bool { return c.Kind == "" && c.Is.exactly(v) })
}

// exactly reports whether an expression requires this very version of a package, if only as an alternative.
func (x oExpression) exactly(v *oVersion) bool {
	if x.Op == "" {
		return slices.ContainsFunc(x.Is.asks(), func(a oAsk) bool { return a.name == v.of.Name && (a.text == "="+v.Version || a.text == v.Version) })
	}
	return x.Op != "not" && slices.ContainsFunc(x.Parts, func(part oExpression) bool { return part.exactly(v) })
}

func (x oExpression) holds(in []*oVersion) bool {
	has := func(x oExpression) bool { return x.holds(in) }
	switch x.Op {
	case "any":
		return slices.ContainsFunc(x.Parts, has)
	case "all":
		return !slices.ContainsFunc(x.Parts, func(part oExpression) bool { return !part.holds(in) })
	case "not":
		return !slices.ContainsFunc(x.Parts, has)
	case "optional":
		return true
	}
	return slices.ContainsFunc(in, x.Is.is)
}

func (c oConstraint) holds(in []*oVersion) bool {
	count := 0
	switch c.Kind {
	case "conflict":
		for _, a := range in {
			for _, b := range in {
				if a != b && c.Of[0].is(a) && c.Of[1].is(b) {
					return false
				}
			}
		}
	case "atMostOne":
		if c.GVK {
			seen := map[string]bool{}
			for _, v := range in {
				for _, gvk := range v.GVK {
					if seen[gvk] {
						return false
					}
					seen[gvk] = true
				}
			}
		}
		for _, v := range in {
			if slices.ContainsFunc(c.Of, func(s oSelector) bool { return s.is(v) }) {
				count++
			}
		}
		return count <= 1
	case "pinned", "upgradeFrom":
		for _, v := range in {
			if v.of.Name != c.Name {
				continue
			}
			same := v.Version == c.Version || v.plain() == c.Version
			if c.Source != "" && v.of.source.Name != c.Source || !same && (c.Kind == "pinned" || !c.follows(v)) {
				return false
			}
		}
	default:
		return c.Is.holds(in)
	}
	return true
}

// follows reports whether a version is a successor of the constraint's.
func (c oConstraint) follows(v *oVersion) bool {
	switch c.Policy {
	case "Semver":
		return v.inside("^"+c.Version) && semver.MustParse(v.Version).GreaterThan(semver.MustParse(c.Version))
	case "SelfCertified":
		return true
	}
	return v.Replaces == c.Version || slices.Contains(v.Skips, c.Version) || v.SkipRange != "" && inRange(v.SkipRange, c.Version)
}

// heeded reports whether a selection obeys what its members say, but not those of one package.
func heeded(in []*oVersion, but string) bool {
	for _, v := range in {
		if v.of.Name == but {
			continue
		}
		for _, need := range v.Needs {
			if !need.holds(in) {
				return false
			}
		}
		for _, s := range v.Conflicts {
			if slices.ContainsFunc(in, func(other *oVersion) bool { return other != v && s.is(other) }) {
				return false
			}
		}
	}
	return true
}

// selections returns all that the facts allow, those of one package left out if but names it.
func (p *oProblem) selections(but string) [][]*oVersion {
	byName := map[string][]*oVersion{}
	var order []string
	for _, v := range p.candidates() {
		if byName[v.of.Name] == nil {
			order = append(order, v.of.Name)
		}
		byName[v.of.Name] = append(byName[v.of.Name], v)
	}
	all := [][]*oVersion{nil}
	for _, name := range order {
		for _, base := range slices.Clone(all) {
			if name != but {
				for _, v := range byName[name] {
					all = append(all, append(slices.Clone(base), v))
				}
				continue
			}
			for bits := 1; bits < 1<<len(byName[name]); bits++ {
				some := slices.Clone(base)
				for i, v := range byName[name] {
					if bits>>i&1 == 1 {
						some = append(some, v)
					}
				}
				all = append(all, some)
			}
		}
	}
	return slices.DeleteFunc(all, func(in []*oVersion) bool { return !heeded(in, but) })
}

// satisfying keeps the selections that obey some of the constraints.
func (p *oProblem) satisfying(selections [][]*oVersion, constraints []int) [][]*oVersion {
	var out [][]*oVersion
	for _, in := range selections {
		if !slices.ContainsFunc(constraints, func(i int) bool { return !p.Constraints[i].holds(in) }) {
			out = append(out, in)
		}
	}
	return out
}

// core drops constraints from the last to the first.
func (p *oProblem) core(selections [][]*oVersion) []int {
	var kept []int
	for i := range p.Constraints {
		kept = append(kept, i)
	}
	for i := len(kept) - 1; i >= 0; i-- {
		rest := slices.Delete(slices.Clone(kept), i, i+1)
		if len(p.satisfying(selections, rest)) == 0 {
			kept = rest
		}
	}
	return kept
}

// oRequirement waits in the queue.
type oRequirement struct {
	is    oExpression
	owner *oVersion
}

// options returns the candidates and groups of a requirement, in order.
func (p *oProblem) options(r oRequirement) (options []any) {
	switch r.is.Op {
	case "":
		var found []*oVersion
		for _, v := range p.candidates() {
			if r.is.Is.is(v) {
				found = append(found, v)
			}
		}
		slices.SortStableFunc(found, func(a, b *oVersion) int { return r.is.Is.before(a, b, r.owner) })
		for _, v := range found {
			options = append(options, v)
		}
	case "any":
		for _, part := range r.is.Parts {
			options = append(options, p.options(oRequirement{part, r.owner})...)
		}
	default:
		options = append(options, r.is)
	}
	return options
}

// queue takes apart what is wanted at the top of a list.
func queue(x oExpression, owner *oVersion) []oRequirement {
	switch x.Op {
	case "not":
		return nil
	case "all":
		var all []oRequirement
		for _, part := range x.Parts {
			all = append(all, queue(part, owner)...)
		}
		return all
	}
	return []oRequirement{{x, owner}}
}

// prefer returns the preferred solution of some of the constraints as source:name:version:channel. solutions are all there are.
func (p *oProblem) prefer(constraints []int, solutions [][]*oVersion) []string {
	var waiting []oRequirement
	for _, i := range constraints {
		if c := p.Constraints[i]; c.Kind == "" {
			waiting = append(waiting, queue(c.Is, nil)...)
		}
	}
	var chosen []*oVersion
	var channels []oSelector
	var optional []oRequirement // in the order in which they were met
	for len(waiting)+len(optional) > 0 {
		var r oRequirement
		if len(waiting) == 0 {
			r, optional = optional[0], optional[1:]
		} else if r, waiting = waiting[0], waiting[1:]; r.is.Op == "optional" {
			optional = append(optional, r)
			continue
		}
		is := r.is
		if is.Op == "optional" {
			is = is.Parts[0]
		}
		channels = append(channels, named(is)...)
		options := p.options(oRequirement{is, r.owner})
		if slices.ContainsFunc(options, func(o any) bool { v, ok := o.(*oVersion); return ok && slices.Contains(chosen, v) }) {
			continue
		}
		for _, o := range options {
			var still [][]*oVersion
			for _, in := range solutions {
				v, ok := o.(*oVersion)
				if ok && slices.Contains(in, v) || !ok && o.(oExpression).holds(in) {
					still = append(still, in)
				}
			}
			if len(still) == 0 {
				continue
			}
			solutions = still
			if v, ok := o.(*oVersion); ok {
				chosen = append(chosen, v)
				for _, need := range v.Needs {
					waiting = append(waiting, queue(need, v)...)
				}
			} else {
				waiting = append(waiting, queue(o.(oExpression), r.owner)...)
			}
			break
		}
	}
	var out []string
	for _, v := range chosen {
		out = append(out, v.of.source.Name+":"+v.of.Name+":"+v.Version+":"+v.channelFor(channels))
	}
	return out
}

// channelFor is the channel that a selection shows, given the selectors that name one.
func (v *oVersion) channelFor(processed []oSelector) string {
	if at := slices.IndexFunc(processed, func(s oSelector) bool { return s.is(v) }); at >= 0 {
		return v.bestOf(processed[at].common(v))
	}
	return v.best()
}

// named returns the selectors of a requirement that name a channel; groups have requirements of their own.
func named(x oExpression) []oSelector {
	switch {
	case x.Op == "" && len(x.Is.named()) > 0:
		return []oSelector{x.Is}
	case x.Op != "any":
		return nil
	}
	var all []oSelector
	for _, part := range x.Parts {
		all = append(all, named(part)...)
	}
	return all
}
