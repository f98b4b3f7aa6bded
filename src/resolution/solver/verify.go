package solver

import (
	"fmt"
	"slices"
)

// Verify checks, by the rules alone, that selections are a solution of a problem: that each is a
// candidate, no package is a duplicate, and every constraint, dependency and conflict is heeded. It does
// not check that there is no better one. It returns nil or says what is broken.
func Verify(p *Problem, selections []Selection) error {
	var list []*candidate
	names := map[string]bool{}
	for _, s := range selections {
		c := p.find(s)
		switch {
		case c == nil:
			return fmt.Errorf("%s is no candidate", s)
		case names[s.Package]:
			return fmt.Errorf("%s is selected twice", s.Package)
		case p.withdraws(c.pkg, c.version):
			return fmt.Errorf("%s is withdrawn", s)
		case p.unfit(c.version) != "":
			return fmt.Errorf("%s %s", s, p.unfit(c.version))
		case !slices.Contains(c.version.Channels, s.Channel):
			return fmt.Errorf("%s is not in its channel", s)
		}
		names[s.Package] = true
		list = append(list, c)
	}
	v := verifier{p, list, p.admits}
	for i, c := range p.spec.Constraints {
		if !v.heeds(c) {
			return fmt.Errorf("constraint %d is broken", i)
		}
	}
	return v.consistent()
}

// consistent says which dependency or conflict of what is selected is broken.
func (v verifier) consistent() error {
	for _, c := range v.selected {
		for i, d := range c.version.dependencies {
			if !v.holds(d) {
				return fmt.Errorf("dependency %d of %s is broken", i, c.name())
			}
		}
		for i, s := range c.version.conflicts {
			if slices.ContainsFunc(v.of(s), func(other *candidate) bool { return other != c }) {
				return fmt.Errorf("conflict %d of %s is broken", i, c.name())
			}
		}
	}
	return nil
}

// find returns the candidate of a selection, nil if there is none.
func (p *Problem) find(s Selection) *candidate {
	for _, source := range p.sources {
		if of := source.byName[s.Package]; source.Name == s.Source && of != nil {
			for _, v := range of.Versions {
				if v.Text == s.Version {
					return &candidate{source: source, pkg: of, version: v}
				}
			}
		}
	}
	return nil
}

// verifier is what is selected.
type verifier struct {
	problem  *Problem
	selected []*candidate
	admits   func(*selector, *Source, *Package, *Version) bool
}

// of returns what a selector admits.
func (v verifier) of(s *selector) []*candidate {
	var list []*candidate
	for _, c := range v.selected {
		if v.admits(s, c.source, c.pkg, c.version) {
			list = append(list, c)
		}
	}
	return list
}

func (v verifier) holds(x *expression) bool {
	switch x.operator {
	case required:
		return len(v.of(x.selector)) > 0
	case anyOf:
		return slices.ContainsFunc(x.parts, v.holds)
	case allOf:
		return !slices.ContainsFunc(x.parts, func(part *expression) bool { return !v.holds(part) })
	case optional:
		return true
	case noneOf:
	}
	return !slices.ContainsFunc(x.selectors, func(s *selector) bool { return len(v.of(s)) > 0 })
}

func (v verifier) heeds(c *Constraint) bool {
	switch c.kind {
	case isConflict:
		for _, a := range v.of(c.selectors[0]) {
			for _, b := range v.of(c.selectors[1]) {
				if a != b {
					return false
				}
			}
		}
		return true
	case isAtMostOne:
		if c.property != "" {
			return v.onePerValue(c.property)
		}
		seen := map[*candidate]bool{}
		for _, s := range c.selectors {
			for _, one := range v.of(s) {
				seen[one] = true
			}
		}
		return len(seen) <= 1
	case isPinned, isUpgrade:
		return !slices.ContainsFunc(v.selected, func(one *candidate) bool { return c.excludes(one.source, one.pkg, one.version) })
	}
	return v.holds(c.expression)
}

func (v verifier) onePerValue(kind string) bool {
	having := map[property]*candidate{}
	for _, c := range v.selected {
		for _, p := range c.version.properties {
			if p.kind != kind {
				continue
			}
			if other := having[p]; other != nil && other != c {
				return false
			}
			having[p] = c
		}
	}
	return true
}
