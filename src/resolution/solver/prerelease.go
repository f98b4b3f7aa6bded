package solver

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
)

// prereleases says which pre-releases count.
type prereleases string

const (
	// prereleasesNamed are those of ranges that name one, and all if there is no range.
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

// admits reports whether a version of a package in a source may be selected for a selector.
func (p *Problem) admits(s *selector, source *Source, of *Package, v *Version) bool {
	return p.meets(s, source, of, v) && !p.leavesOut(of, v)
}

// meets is admits of a version that is there already, withdrawn or not.
func (p *Problem) meets(s *selector, source *Source, of *Package, v *Version) bool {
	return s.concerns(p, source, of, v) && p.within(s.versions, of, v)
}

// within reports whether a version is in a range, by the policy for pre-releases.
func (p *Problem) within(r *Range, of *Package, v *Version) bool {
	return p.counts(of, v) && p.ranges(r, v.version)
}

// counts reports whether a version is no pre-release, or one of a package whose pre-releases count.
func (p *Problem) counts(of *Package, v *Version) bool {
	return p.spec.prereleases != prereleasesIfNecessary || v.version.Prerelease() == "" || p.needs[of.Name]
}

// ranges reports whether a version that counts is in a range.
func (p *Problem) ranges(r *Range, v *semver.Version) bool {
	if p.spec.prereleases == prereleasesNamed || v.Prerelease() == "" {
		return r.admits(v)
	}
	return r == anyVersion || r.admitsExclusively(v)
}

// findNeeded finds the packages that have nothing but pre-releases, or of which a constraint requires a range that names one.
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
			c.expression.asks(func(name string, versions *Range) {
				if name != "" && versions.namesPrerelease() {
					p.needs[name] = true
				}
			})
		}
	}
}

// comparison is one of a range: its operator, the numbers of its version, and the beginning of a pre-release part.
var (
	comparison = regexp.MustCompile(`([=!<>~^]*)\s*v?([0-9]+)(?:\.([0-9]+|[xX*]))?(?:\.([0-9]+|[xX*]))?(-?)`)
	buildPart  = regexp.MustCompile(`\+[0-9A-Za-z.-]+`)
)

// comparisons are those of a range, or of a group of it.
func comparisons(text string) [][]string {
	return comparison.FindAllStringSubmatch(buildPart.ReplaceAllString(text, ""), -1)
}

// namesPrerelease reports whether a comparison of the range is with a pre-release.
func (r *Range) namesPrerelease() bool {
	return slices.ContainsFunc(comparisons(r.text), func(c []string) bool { return c[5] != "" })
}

// admitsExclusively is admits by plain precedence, except that what ends before a version ends before its pre-releases, too.
func (r *Range) admitsExclusively(v *semver.Version) bool {
	for group := range strings.SplitSeq(r.text, "||") {
		parsed, err := semver.NewConstraint(strings.TrimSpace(group))
		if err != nil {
			continue // the whole was parsed: this cannot be
		}
		parsed.IncludePrerelease = true
		ends := slices.ContainsFunc(comparisons(group), func(c []string) bool {
			return c[1] == "<" && c[5] == "" && isCore(c[2:5], v)
		})
		if !ends && parsed.Check(v) {
			return true
		}
	}
	return false
}

// isCore reports whether numbers are those of a version; what is left open of them counts as 0.
func isCore(numbers []string, v *semver.Version) bool {
	open := false
	for i, is := range []uint64{v.Major(), v.Minor(), v.Patch()} {
		n, err := strconv.ParseUint(numbers[i], 10, 64)
		if open = open || err != nil; open {
			n = 0
		}
		if n != is {
			return false
		}
	}
	return true
}
