package solver

import "slices"

// Rollback is the way back from the selections of a plan to what was installed before: the steps of the plan undone, the last
// one first, so that it comes through the same states.
type Rollback struct {
	Steps []Step `json:"steps,omitempty"`
	// Impossible says why there is no way back; then there are no steps.
	Impossible string `json:"impossible,omitempty"`
}

// rollback is the way back of a plan, nil of one without steps.
func (p *Problem) rollback(plan []Step) *Rollback {
	if len(plan) == 0 {
		return nil
	}
	before := verifier{problem: p, admits: p.meets}
	for i := range p.spec.installed {
		of := &p.spec.installed[i]
		c := p.installed(of)
		before.selected = append(before.selected, c)
		changes := slices.ContainsFunc(plan, func(s Step) bool { return s.Package == of.name })
		switch {
		case changes && c.source.Name == "":
			return &Rollback{Impossible: "no source has " + c.name() + " any more"}
		case changes && p.unfit(c.version) != "":
			return &Rollback{Impossible: c.name() + " " + p.unfit(c.version)}
		case changes && p.withdraws(c.pkg, c.version):
			return &Rollback{Impossible: c.name() + " is withdrawn"}
		}
	}
	if err := before.consistent(); err != nil {
		return &Rollback{Impossible: "what is installed does not hold together: " + err.Error()}
	}
	of := make(map[string]string) // the source of what there is of a package before each step
	for _, c := range before.selected {
		of[c.pkg.Name] = c.source.Name
	}
	back := &Rollback{}
	for _, s := range plan {
		undone := Step{Package: s.Package, From: s.To, To: s.From}
		if s.From != "" {
			undone.Source = of[s.Package]
		}
		of[s.Package] = s.Source
		back.Steps = append(back.Steps, undone)
	}
	slices.Reverse(back.Steps)
	return back
}
