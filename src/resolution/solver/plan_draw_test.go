package solver_test

import "math/rand/v2"

// generatePlan draws a small catalog with chains of upgrades, mostly of one source, and what is installed of it.
func generatePlan(r *rand.Rand) *oPlan {
	m := maker{r}
	p := &oPlan{oProblem: &oProblem{}, Installed: map[string]string{}, Upgrades: map[string]string{}, Policies: map[string]string{}, MaxChanges: -1}
	source := &oSource{Name: "main"}
	for _, name := range someNames[:min(4, len(someNames))] {
		k := &oPackage{Name: name, Default: m.one(someChannels), Deprecated: m.chance(5)}
		versions := []string{"1.0.0", "1.1.0", "2.0.0"}[:1+m.IntN(3)]
		for i, text := range versions {
			v := m.version(text)
			v.Withdrawn, v.Replaces = false, ""
			if i > 0 && m.chance(80) {
				v.Replaces = versions[i-1]
			}
			for n := range v.Needs {
				v.Needs[n] = m.plain(v.Needs[n])
			}
			for n := range v.Conflicts {
				v.Conflicts[n] = m.plain(oExpression{Is: v.Conflicts[n]}).Is
			}
			k.Versions = append(k.Versions, v)
		}
		source.Packages = append(source.Packages, k)
		if m.chance(65) {
			p.Installed[name] = m.one(versions)
			p.Upgrades[name] = m.one([]string{"", "", "", "catalog", "semver", "any"})
		}
	}
	p.Sources = []*oSource{source}
	if m.chance(30) { // another source has some of the versions too, or others, with needs of their own
		other := &oSource{Name: "other", Priority: m.IntN(3) - 1}
		for _, of := range source.Packages[:1+m.IntN(2)] {
			k := &oPackage{Name: of.Name, Default: of.Default}
			for _, text := range []string{"1.0.0", "1.1.0", "2.0.0"}[m.IntN(2):] {
				v := m.version(text)
				v.Withdrawn, v.Replaces = false, ""
				if text > "1.0.0" && m.chance(80) {
					v.Replaces = map[string]string{"1.1.0": "1.0.0", "2.0.0": "1.1.0"}[text]
				}
				for n := range v.Needs {
					v.Needs[n] = m.plain(v.Needs[n])
				}
				for n := range v.Conflicts {
					v.Conflicts[n] = m.plain(oExpression{Is: v.Conflicts[n]}).Is
				}
				k.Versions = append(k.Versions, v)
			}
			other.Packages = append(other.Packages, k)
		}
		p.Sources = append(p.Sources, other)
	}
	for range 1 + m.IntN(3) {
		c := oConstraint{Is: m.plain(m.expression(1))}
		if m.chance(10) {
			c = oConstraint{Kind: "pinned", Name: m.one(someNames), Version: "1.1.0"}
		}
		p.Constraints = append(p.Constraints, c)
	}
	p.Policy = m.one([]string{"latest", "minimal-change", "latest", "minimal-change", "frozen"})
	if m.chance(25) {
		p.Policies[source.Packages[0].Name] = m.one([]string{"latest", "minimal-change", "frozen"})
	}
	if m.chance(25) {
		p.MaxChanges = m.IntN(4)
	}
	p.link()
	return p
}

// plain leaves sources and needs that are optional out of an expression, and draws ranges of the few versions that there are.
func (m maker) plain(x oExpression) oExpression {
	x.Is.Source = ""
	if m.chance(80) { // otherwise few of them can be satisfied
		x.Is.Name, x.Is.Match, x.Is.Has, x.Is.GVK, x.Is.Rule = m.one(someNames[:4]), nil, nil, "", nil
	}
	if x.Is.Range != "" {
		x.Is.Range = m.one([]string{">=1.1.0", "<2.0.0", ">=2.0.0", "^1.0.0", "=1.0.0"})
	}
	for i := range x.Parts {
		x.Parts[i] = m.plain(x.Parts[i])
	}
	if x.Op == "optional" {
		return x.Parts[0]
	}
	return x
}
