package solver

import (
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/internal/decode"
)

// prereleases says which pre-releases count.
type prereleases string

const (
	// prereleasesNamed are those of ranges that name one, and all where there is no range.
	prereleasesNamed prereleases = ""
	// prereleasesLast are all that a range does not end before, after every other version.
	prereleasesLast prereleases = "last"
	// prereleasesIfNecessary are those of packages that have no other versions, or of which a constraint names one.
	prereleasesIfNecessary prereleases = "if-necessary"
)

// prereleases reads the policy of a spec.
func (s *Spec) readPrereleases(f decode.Field) {
	text, ok := f.AnyText()
	if !ok {
		return
	}
	switch text {
	case "named":
	case string(prereleasesLast), string(prereleasesIfNecessary):
		s.prereleases = prereleases(text)
	default:
		f.Fail("use named, last or if-necessary", "there is no policy for pre-releases %s", decode.Quote(text))
	}
}

// admits says whether a version of a package in a source may be selected for a selector.
func (p *Problem) admits(s *selector, source *Source, of *Package, v *Version) bool {
	return p.meets(s, source, of, v) && !p.withdraws(of, v)
}

// meets is admits of a version that is there already, withdrawn or not.
func (p *Problem) meets(s *selector, source *Source, of *Package, v *Version) bool {
	return s.concerns(source, of, v) && p.within(s.versions, of, v)
}

// within says whether a version is in a range, by the policy for pre-releases.
func (p *Problem) within(r *Range, of *Package, v *Version) bool {
	if p.spec.prereleases == prereleasesNamed || v.version.Prerelease() == "" {
		return r.admits(v.version)
	}
	if p.spec.prereleases == prereleasesIfNecessary && !p.needs[of.Name] {
		return false
	}
	return r == anyVersion || r.admitsExclusively(v.version)
}

// findNeeded finds the packages that have nothing but pre-releases, or of which a constraint names one.
func (p *Problem) findNeeded() {
	if p.spec.prereleases != prereleasesIfNecessary {
		return
	}
	stable := make(map[string]bool)
	for _, source := range p.sources {
		for _, of := range source.Packages {
			for _, v := range of.Versions {
				stable[of.Name] = stable[of.Name] || v.version.Prerelease() == ""
			}
		}
	}
	p.needs = make(map[string]bool)
	for name, has := range stable {
		p.needs[name] = !has
	}
	for _, c := range p.spec.Constraints {
		if c.expression != nil {
			c.expression.each(func(s *selector) {
				if s.name != "" && prereleaseIn.MatchString(s.versions.text) {
					p.needs[s.name] = true
				}
			})
		}
	}
}

var (
	prereleaseIn = regexp.MustCompile(`[0-9]-[0-9A-Za-z]`)
	strictUpper  = regexp.MustCompile(`<\s*v?([0-9]+\.[0-9]+\.[0-9]+)(?:[\s,]|$)`)
)

// admitsExclusively is admits by plain precedence, except that what ends before a version ends before its pre-releases, too.
func (r *Range) admitsExclusively(v *semver.Version) bool {
	core := semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
	for group := range strings.SplitSeq(r.text, "||") {
		parsed, err := semver.NewConstraint(strings.TrimSpace(group))
		if err != nil {
			continue // the whole was parsed: this cannot be
		}
		parsed.IncludePrerelease = true
		ends := false
		for _, upper := range strictUpper.FindAllStringSubmatch(group, -1) {
			ends = ends || upper[1] == core.String()
		}
		if !ends && parsed.Check(v) {
			return true
		}
	}
	return false
}
