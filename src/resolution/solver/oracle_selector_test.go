package solver_test

import (
	"cmp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// The oracle answers small problems by going through all selections and by the letter of the
// definitions. It shares nothing with the package: neither how input is read nor how it is matched.

type oSelector struct {
	Name, Range, Channel, Source, GVK string

	Channels []string // instead of Channel
	Has      *oHas
	Match    *oMatch
	Rule     *oRule
}

// oRule is a rule of CEL: the version is at least Since, or has the API GVK; with neither it reads what is not there, and matches nothing.
type oRule struct{ Since, GVK string }

func (r *oRule) is(v *oVersion) bool {
	switch {
	case r.Since != "":
		return !semver.MustParse(v.Version).LessThan(semver.MustParse(r.Since))
	case r.GVK != "":
		return slices.Contains(v.GVK, r.GVK)
	}
	return false
}

func (r *oRule) text() string {
	switch {
	case r.Since != "":
		return `properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '` + r.Since + `') >= 0)`
	case r.GVK != "":
		return `properties.exists_one(p, p.type == "olm.gvk" && p.value.kind == "` + r.GVK + `")`
	}
	return `properties[0].value.none == "x"`
}

// oMatch is a condition on one version: a selector (Op ""), or Op is any, all or not, which is none of them.
type oMatch struct {
	Op    string
	Is    oSelector
	Parts []*oMatch
}

// oHas wants a capability by its name, in a range of its own versions if Range is not "".
type oHas struct{ Type, Name, Range string }

// oExpression is a selector (Op ""), or Op is any, all, not or, of one part, optional.
type oExpression struct {
	Op    string
	Is    oSelector
	Parts []oExpression
}

type oVersion struct {
	Version             string
	Channels            []string
	Deprecated          bool
	Withdrawn           bool
	GVK                 []string
	Offers              []oOffer
	Replaces, SkipRange string
	Skips               []string
	Needs               []oExpression
	Conflicts           []oSelector

	of *oPackage
	in map[string]bool // ranges that were asked for before
}

// oOffer is a capability that a version has. One that is Bare is a name alone, otherwise a name with a version or without.
type oOffer struct {
	Type, Name, Version string
	Bare                bool
}

type oPackage struct {
	Name, Default string
	Deprecated    bool
	Versions      []*oVersion

	source     *oSource
	prerelease bool // with the policy if-necessary: whether pre-releases of its name count
}

type oSource struct {
	Name     string
	Priority int
	Packages []*oPackage

	rank int
	of   *oProblem
}

// oConstraint is an expression (Kind ""), or Kind is conflict, atMostOne, pinned or upgradeFrom.
type oConstraint struct {
	Kind          string
	Is            oExpression
	Of            []oSelector
	GVK           bool // atMostOne: one provider of each
	Name, Version string
	Source        string
	Policy        string
}

type oProblem struct {
	Sources     []*oSource
	Listed      bool // in the order of the list, otherwise by priority and name
	Constraints []oConstraint
	Prereleases string // the policy
}

func inRange(text, version string) bool {
	if text == "" {
		return true
	}
	c, err := semver.NewConstraint(text)
	return err == nil && c.Check(semver.MustParse(version))
}

// inside reports whether the version is in a range.
func (v *oVersion) inside(text string) bool {
	is, known := v.in[text]
	if !known {
		is = inRange(text, v.Version)
		v.in[text] = is
	}
	return is
}

func (s oSelector) is(v *oVersion) bool {
	return (s.Name == "" || s.Name == v.of.Name) && (s.Source == "" || s.Source == v.of.source.Name) &&
		(len(s.named()) == 0 || len(s.common(v)) > 0) && (s.GVK == "" || slices.Contains(v.GVK, s.GVK)) &&
		(s.Has == nil || slices.ContainsFunc(v.Offers, s.Has.is)) && (s.Match == nil || s.Match.is(v)) && (s.Rule == nil || s.Rule.is(v)) && v.fits(s.Range)
}

func (m *oMatch) is(v *oVersion) bool {
	some, every := false, true
	for _, part := range m.Parts {
		is := part.is(v)
		some, every = some || is, every && is
	}
	switch m.Op {
	case "any":
		return some
	case "all":
		return every
	case "not":
		return !some
	}
	return m.Is.is(v)
}

// oAsk is a range and the package that it is about, "" where that is open.
type oAsk struct{ name, text string }

// asks are the ranges that a selector asks for: its own and those of its condition, but not what that rules out. A range that stands
// alone is about the package that is named beside or around it.
func (s oSelector) asks() []oAsk {
	list := []oAsk{{s.Name, s.Range}}
	if s.Match != nil {
		inner := s.Match.asks()
		if one := s.Match.only(); s.Name == "" {
			list[0].name = one
		}
		list = append(list, about(list[0].name, inner)...)
	}
	return list
}

func (m *oMatch) asks() (list []oAsk) {
	switch m.Op {
	case "":
		return m.Is.asks()
	case "not":
		return nil
	}
	for _, part := range m.Parts {
		list = append(list, part.asks()...)
	}
	if m.Op == "all" {
		list = about(m.only(), list)
	}
	return list
}

// only is the package that a condition names for all of its parts.
func (m *oMatch) only() string {
	name := ""
	switch m.Op {
	case "":
		name = m.Is.asks()[0].name
	case "all":
		for _, part := range slices.Backward(m.Parts) {
			name = cmp.Or(part.only(), name)
		}
	}
	return name
}

func about(name string, list []oAsk) []oAsk {
	for i := range list {
		list[i].name = cmp.Or(list[i].name, name)
	}
	return list
}

func (h oHas) is(o oOffer) bool {
	return h.Type == o.Type && h.Name == o.Name && (h.Range == "" || o.Version != "" && inRange(h.Range, o.Version))
}

// named are the channels that the selector names.
func (s oSelector) named() []string {
	if s.Channel != "" {
		return []string{s.Channel}
	}
	return s.Channels
}

// common are those of them that a version is in.
func (s oSelector) common(v *oVersion) []string {
	return slices.DeleteFunc(slices.Clone(v.Channels), func(c string) bool { return !slices.Contains(s.named(), c) })
}

func (v *oVersion) old() bool { return v.Deprecated || v.of.Deprecated }

// best is the channel of the version that comes first: the default, then by name.
func (v *oVersion) best() string { return v.bestOf(v.Channels) }

// bestOf is the best of some of its channels.
func (v *oVersion) bestOf(channels []string) string {
	if slices.Contains(channels, v.of.Default) {
		return v.of.Default
	}
	return slices.Min(channels)
}

// before is the order of a selector's candidates.
func (s oSelector) before(a, b *oVersion, owner *oVersion) int {
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	foreign := func(v *oVersion) int { return number(owner != nil && v.of.source != owner.of.source) }
	c := cmp.Or(number(a.old())-number(b.old()), foreign(a)-foreign(b), a.of.source.rank-b.of.source.rank, cmp.Compare(a.of.Name, b.of.Name))
	if c == 0 && len(s.named()) == 0 {
		other := func(v *oVersion) int { return number(v.best() != v.of.Default) }
		c = cmp.Or(other(a)-other(b), cmp.Compare(a.best(), b.best()))
	}
	if c == 0 && (a.of.source.of.Prereleases == "last" || s.Name != "" && s.Range == "" && len(s.named()) == 0) {
		pre := func(v *oVersion) int { return number(semver.MustParse(v.Version).Prerelease() != "") }
		c = pre(a) - pre(b)
	}
	// Build parts are numbers here: of two that differ the longer one is greater.
	return cmp.Or(c, semver.MustParse(b.Version).Compare(semver.MustParse(a.Version)), len(b.Version)-len(a.Version), cmp.Compare(b.Version, a.Version))
}

// plain is the version without its build part.
func (v *oVersion) plain() string {
	text, _, _ := strings.Cut(v.Version, "+")
	return text
}
