package solver_test

import (
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// fits reports whether the version is in the range of a selector, by the policy for pre-releases.
func (v *oVersion) fits(text string) bool {
	policy := v.of.source.of.Prereleases
	if policy == "" || policy == "named" || !isPrerelease(v.Version) {
		return v.inside(text)
	}
	if policy == "if-necessary" && !v.of.prerelease {
		return false
	}
	return text == "" || slices.ContainsFunc(strings.Split(text, "||"), func(group string) bool { return precedes(group, v.Version) })
}

// precedes reports whether a pre-release is in a group of comparisons by precedence; what is below a version is below its pre-releases.
func precedes(group, version string) bool {
	is := semver.MustParse(version)
	if lower, upper, isHyphen := strings.Cut(group, " - "); isHyphen {
		group = ">=" + lower + " <=" + upper
	}
	for _, comparison := range strings.FieldsFunc(group, func(r rune) bool { return r == ' ' || r == ',' }) {
		c, err := semver.NewConstraint(comparison)
		if err != nil {
			panic(err)
		}
		c.IncludePrerelease = true
		if !c.Check(is) {
			return false
		}
		bound, below := strings.CutPrefix(comparison, "<")
		if below && !strings.HasPrefix(bound, "=") && !isPrerelease(bound) && whole(bound) == whole(version) {
			return false
		}
	}
	return true
}

// whole is the version without its pre-release and build parts, parts that are missing or x being 0.
func whole(version string) string {
	version, _, _ = strings.Cut(version, "+")
	version, _, _ = strings.Cut(version, "-")
	parts := strings.Split(version, ".")
	for i, part := range parts {
		if part == "x" {
			parts[i] = "0"
		}
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return strings.Join(parts, ".")
}

func isPrerelease(version string) bool {
	version, _, _ = strings.Cut(version, "+")
	return strings.Contains(version, "-")
}

// needsPrereleases reports whether a package has nothing else, or a constraint requires it by a range that names one.
func (p *oProblem) needsPrereleases(name string) bool {
	others := slices.ContainsFunc(p.versions(), func(v *oVersion) bool { return v.of.Name == name && !isPrerelease(v.Version) })
	return !others || slices.ContainsFunc(p.Constraints, func(c oConstraint) bool { return c.Kind == "" && c.Is.namesPrerelease(name) })
}

func (x oExpression) namesPrerelease(of string) bool {
	if x.Op == "" {
		return slices.ContainsFunc(x.Is.asks(), func(a oAsk) bool {
			return a.name == of && slices.ContainsFunc(strings.FieldsFunc(strings.ReplaceAll(a.text, " - ", " "), func(r rune) bool { return strings.ContainsRune(" ,|", r) }), isPrerelease)
		})
	}
	return x.Op != "not" && slices.ContainsFunc(x.Parts, func(part oExpression) bool { return part.namesPrerelease(of) })
}
