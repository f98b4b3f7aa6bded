package solver

import (
	"fmt"
	"slices"
)

// VerifyPlan checks, by the rules alone, that steps lead from what is installed to the selections: that each adds, removes or
// upgrades one package, that everything installed has what it needs after each of them, and that the policies admit the
// changes. It does not check that there is no better plan. It returns nil or says what is broken.
func VerifyPlan(p *Problem, selections []Selection, plan []Step) error {
	now, want := map[string]*candidate{}, map[string]*candidate{}
	upgrades := map[string]*subject{}
	for i := range p.spec.installed {
		of := &p.spec.installed[i]
		upgrades[of.name] = of
		now[of.name] = p.installed(of)
	}
	for _, s := range selections {
		want[s.Package] = p.find(s)
	}
	if err := p.checkChanges(now, want); err != nil {
		return err
	}
	removed := map[string]bool{}
	for i, step := range plan {
		from, to := now[step.Package], want[step.Package]
		of := upgrades[step.Package]
		switch {
		case textOf(from) != step.From:
			return fmt.Errorf("step %d: %s is not %q", i, step.Package, step.From)
		case removed[step.Package]:
			return fmt.Errorf("step %d: %s was removed", i, step.Package)
		case step.To == "":
			removed[step.Package] = true
			to = nil
		case step.From == "":
			if textOf(to) != step.To {
				return fmt.Errorf("step %d: %s is added in another version than it is to have", i, step.Package)
			}
		case of == nil:
			return fmt.Errorf("step %d: %s was added before", i, step.Package)
		default:
			if to = p.upgradeOf(of, from, step); to == nil {
				return fmt.Errorf("step %d: no upgrade leads from %s %s to %s", i, step.Package, step.From, step.To)
			}
		}
		if delete(now, step.Package); to != nil {
			now[step.Package] = to
		}
		v := verifier{problem: p, admits: p.meets}
		for _, c := range now {
			v.selected = append(v.selected, c)
		}
		if err := v.consistent(); err != nil {
			return fmt.Errorf("after step %d: %w", i, err)
		}
	}
	for _, name := range namesOf(now, want) {
		if !same(now[name], want[name]) {
			return fmt.Errorf("the plan does not lead to %s %s", name, textOf(want[name]))
		}
	}
	return nil
}

// checkChanges says which policy does not admit the changes.
func (p *Problem) checkChanges(now, want map[string]*candidate) error {
	changed := 0
	for _, name := range namesOf(now, want) {
		if same(now[name], want[name]) {
			continue
		}
		if changed++; p.spec.policyFor(name) == Frozen {
			return fmt.Errorf("%s is frozen", name)
		}
	}
	if p.spec.maxChanges != anyNumber && changed > p.spec.maxChanges {
		return fmt.Errorf("%d packages change", changed)
	}
	return nil
}

// installed is the candidate that is installed, or one of which nothing but the version is known.
func (p *Problem) installed(of *subject) *candidate {
	for _, source := range p.sources {
		if of.source != "" && of.source != source.Name {
			continue
		}
		if c := p.find(Selection{Source: source.Name, Package: of.name, Version: of.version.Original()}); c != nil {
			return c
		}
	}
	return &candidate{source: &Source{}, pkg: &Package{Name: of.name}, version: &Version{Text: of.version.Original(), version: of.version}}
}

// upgradeOf is the version that an upgrade leads to, nil if none does. Where the step does not say of which source, the first counts that has it.
func (p *Problem) upgradeOf(of *subject, from *candidate, step Step) *candidate {
	for _, source := range p.sources {
		c := p.find(Selection{Source: source.Name, Package: of.name, Version: step.To})
		if c != nil && (step.Source == "" || step.Source == source.Name) && (of.source == "" || of.source == source.Name) && of.leads(from.version.version, c.version) {
			return c
		}
	}
	return nil
}

func textOf(c *candidate) string {
	if c == nil {
		return ""
	}
	return c.version.Text
}

// same reports whether both are the same version of one source, or none.
func same(a, b *candidate) bool {
	return textOf(a) == textOf(b) && (a == nil || a.source.Name == b.source.Name)
}

func namesOf(states ...map[string]*candidate) []string {
	var names []string
	for _, in := range states {
		for name := range in {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
