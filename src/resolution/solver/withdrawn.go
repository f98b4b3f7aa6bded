package solver

import "strings"

// withdraws reports whether a version is withdrawn, and no constraint requires exactly this one.
func (p *Problem) withdraws(of *Package, v *Version) bool {
	if !v.Withdrawn {
		return false
	}
	for _, c := range p.whole.Constraints {
		if c != nil && c.expression != nil && c.expression.requires(of.Name, v.Text) {
			return false
		}
	}
	return true
}

// requires reports whether the expression requires exactly one version of a package.
func (e *expression) requires(name, version string) bool {
	found := false
	e.asks(func(of string, versions *Range) {
		found = found || of == name && strings.TrimSpace(strings.TrimPrefix(versions.text, "=")) == version
	})
	return found
}
