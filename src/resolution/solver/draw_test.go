package solver_test

import (
	"math/rand/v2"
	"slices"
)

var (
	someNames    = []string{"a", "b", "c", "d", "e"}
	someVersions = []string{"1.0.0", "1.1.0", "2.0.0-a", "2.0.0-rc.1", "2.0.0", "3.1.0"}
	someBuilds   = []string{"1.0.0", "1.1.0", "1.1.0+7", "1.1.0+12", "2.0.0"}
	someChannels = []string{"fast", "main", "stable"}
	someGVKs     = []string{"K", "L"}
	shortRanges  = []string{"<2", "<2.0", ">=1.0.0, <2.x", "1.0.0 - 2.0", "<=1.1", "1.x || =<2.0.0", "<2.0.0+7", "!=1.1.0+7-a"}
	someTypes    = []string{"capability", "feature"}
	someOffers   = []string{"x", "y"}
)

// maker draws the parts of small problems.
type maker struct{ *rand.Rand }

func (m maker) one(of []string) string { return of[m.IntN(len(of))] }

func (m maker) chance(percent int) bool { return m.IntN(100) < percent }

func (m maker) rangeText() string {
	v := m.one(someVersions)
	return []string{"", "", ">=" + v, "<" + v, "^" + v, "!=" + v, "=" + v, ">=1.0.0-0 <" + v, "<1.1.0 || >=" + v, "~" + v, m.one(shortRanges)}[m.IntN(11)]
}

func (m maker) maybeSource() string {
	if m.chance(8) {
		return m.one([]string{"north", "south"})
	}
	return ""
}

func (m maker) selector() oSelector {
	s := oSelector{Name: m.one(someNames), Range: m.rangeText()}
	switch m.IntN(12) {
	case 0:
		s.Channel = m.one(someChannels)
	case 1:
		s.Channels = []string{m.one(someChannels), m.one(someChannels)}
	}
	s.Source = m.maybeSource()
	if m.chance(12) {
		s.GVK = m.one(someGVKs)
		if m.chance(70) {
			s.Name = ""
		}
	}
	if m.chance(10) {
		s.Match = m.match(0)
		if m.chance(60) {
			s.Name = ""
		}
		if m.chance(60) {
			s.Range = ""
		}
	}
	if m.chance(8) {
		s.Rule = &oRule{}
		switch m.IntN(5) {
		case 0:
			s.Rule.GVK = m.one(someGVKs)
		case 1:
		default:
			s.Rule.Since = m.one(someVersions)
		}
		if m.chance(60) {
			s.Name = ""
		}
	}
	if m.chance(12) {
		s.Has = &oHas{m.one(someTypes), m.one(someOffers), m.rangeText()}
		if m.chance(70) {
			s.Name, s.Range = "", ""
		}
	}
	return s
}

// match draws a condition. A leaf may be a range alone.
func (m maker) match(depth int) *oMatch {
	if depth > 1 || m.chance(30) {
		leaf := m.selector()
		if m.chance(40) && leaf.Range != "" {
			leaf.Name = ""
		}
		return &oMatch{Is: leaf}
	}
	if m.chance(20) {
		return &oMatch{Op: "all", Parts: []*oMatch{{Is: oSelector{Name: m.one(someNames)}}, {Is: oSelector{Range: "=" + m.one(someVersions)}}}}
	}
	of := &oMatch{Op: m.one([]string{"all", "all", "any", "not"})}
	for range 1 + m.IntN(3) {
		of.Parts = append(of.Parts, m.match(depth+1))
	}
	return of
}

func (m maker) expression(depth int) oExpression {
	switch {
	case depth > 2 || m.chance(60):
		return oExpression{Is: m.selector()}
	case m.chance(15):
		return oExpression{Op: "optional", Parts: []oExpression{m.expression(depth + 1)}}
	case m.chance(25):
		x := oExpression{Op: "not"}
		for range 1 + m.IntN(2) {
			x.Parts = append(x.Parts, oExpression{Is: m.selector()})
		}
		return x
	}
	x := oExpression{Op: m.one([]string{"any", "any", "all"})}
	for range 1 + m.IntN(3) {
		x.Parts = append(x.Parts, m.expression(depth+1))
	}
	return x
}

func (m maker) constraint() oConstraint {
	switch m.IntN(10) {
	case 0:
		return oConstraint{Kind: "conflict", Of: []oSelector{m.selector(), m.selector()}}
	case 1:
		if m.chance(40) {
			return oConstraint{Kind: "atMostOne", GVK: true}
		}
		return oConstraint{Kind: "atMostOne", Of: []oSelector{m.selector(), m.selector(), m.selector()}}
	case 2:
		return oConstraint{Kind: "pinned", Name: m.one(someNames), Version: m.one(slices.Concat(someVersions, someBuilds)), Source: m.maybeSource()}
	case 3:
		return oConstraint{Kind: "upgradeFrom", Name: m.one(someNames), Version: m.one(someVersions), Source: m.maybeSource(), Policy: m.one([]string{"", "CatalogProvided", "Semver", "SelfCertified"})}
	case 4, 5, 6:
		return oConstraint{Is: m.expression(0)}
	}
	return oConstraint{Is: oExpression{Is: m.selector()}}
}

func (m maker) version(text string) *oVersion {
	v := &oVersion{Version: text, Deprecated: m.chance(10), Withdrawn: m.chance(12)}
	for _, c := range someChannels {
		if m.chance(40) {
			v.Channels = append(v.Channels, c)
		}
	}
	if len(v.Channels) == 0 {
		v.Channels = []string{"main"}
	}
	for _, gvk := range someGVKs {
		if m.chance(15) {
			v.GVK = append(v.GVK, gvk)
		}
	}
	for range m.IntN(6) / 3 {
		o := oOffer{Type: m.one(someTypes), Name: m.one(someOffers), Version: m.one(slices.Concat(someVersions, []string{"", ""}))}
		o.Bare = o.Version == "" && m.chance(50)
		v.Offers = append(v.Offers, o)
	}
	if m.chance(30) {
		v.Replaces = m.one(someVersions)
	}
	if m.chance(15) {
		v.SkipRange = ">=1.0.0 <" + text
	}
	if m.chance(15) {
		v.Skips = []string{m.one(someVersions), m.one(someVersions)}
	}
	for range m.IntN(8) / 3 {
		v.Needs = append(v.Needs, m.expression(0))
	}
	if m.chance(20) {
		v.Conflicts = append(v.Conflicts, m.selector())
	}
	return v
}

func generate(r *rand.Rand) *oProblem {
	m := maker{r}
	p := &oProblem{Listed: m.chance(30), Prereleases: m.one([]string{"", "", "named", "last", "if-necessary"})}
	candidates := 0
	for _, name := range []string{"south", "north"} {
		s := &oSource{Name: name, Priority: m.IntN(2) * 5}
		for _, of := range someNames {
			if m.chance(35) {
				continue
			}
			k := &oPackage{Name: of, Deprecated: m.chance(5)}
			if m.chance(50) {
				k.Default = m.one(someChannels)
			}
			versions := someVersions
			if m.chance(15) {
				versions = someBuilds
			}
			for _, text := range versions {
				if m.chance(40) && candidates < 14 {
					candidates++
					k.Versions = append(k.Versions, m.version(text))
				}
			}
			s.Packages = append(s.Packages, k)
		}
		p.Sources = append(p.Sources, s)
	}
	for range 1 + m.IntN(4) {
		p.Constraints = append(p.Constraints, m.constraint())
	}
	p.link()
	return p
}
