package solver_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// TestPlansWithWithdrawnAndOptional plans over catalogs in which versions are withdrawn and needs are optional, which the definition of plans takes as
// that of resolutions does: optional needs decide neither whether there is a plan, nor does a plan lead to, or over, what is withdrawn.
func TestPlansWithWithdrawnAndOptional(t *testing.T) {
	rounds.Checks(t, 400, 20000)
	resolved, withdrawn, optional := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := maker{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 25))}
		p := generatePlan(m.Rand)
		for _, v := range p.versions() {
			v.Withdrawn = m.chance(20)
		}
		p.MaxChanges = -1
		plain := resolvePlan(t, p)
		for _, v := range p.versions() {
			if m.chance(40) {
				v.Needs = append(v.Needs, oExpression{Op: "optional", Parts: []oExpression{{Is: oSelector{Name: m.one(someNames[:4]), Range: m.one([]string{"", ">=1.1.0", "=2.0.0"})}}}})
			}
		}
		got := resolvePlan(t, p)
		if plain.Resolved() && !got.Resolved() {
			t.Fatalf("what is only optional makes it %s\n%s", got.Message, p.document().JSON())
		}
		if !got.Resolved() {
			return
		}
		resolved++
		if slices.ContainsFunc(got.Selections, func(s solver.Selection) bool {
			return !slices.ContainsFunc(plain.Selections, func(o solver.Selection) bool { return o.Package == s.Package })
		}) {
			optional++
		}
		for _, s := range got.Selections {
			if v := p.stored(s.Package, s.Version, s.Source); v.Withdrawn {
				withdrawn++
				if p.barred(v) {
					t.Fatalf("%s is withdrawn, and nothing requires exactly it\n%s", s, p.document().JSON())
				}
			}
		}
		for _, step := range got.Plan {
			if v := p.stored(step.Package, step.To, step.Source); v != nil && p.barred(v) {
				t.Fatalf("%s leads over what is withdrawn\n%s", step, p.document().JSON())
			}
		}
	})
	t.Logf("%d have a plan, %d of them with something optional, %d select what is withdrawn and required", resolved, optional, withdrawn)
	if resolved == 0 || optional == 0 {
		t.Errorf("%d have a plan, %d with something optional, which tests too little", resolved, optional)
	}
}

// resolvePlan resolves a problem, and verifies its plan.
func resolvePlan(t *rapid.T, p *oPlan) *solver.Outcome {
	doc := p.document()
	problem, err := parse(doc)
	if err != nil {
		t.Fatalf("%v\n%s", err, doc.JSON())
	}
	got, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, doc.JSON())
	}
	return got
}

// stored is a version of a source, or of the first one that has it, be it withdrawn or not.
func (p *oPlan) stored(name, version, source string) *oVersion {
	for _, of := range p.Sources {
		for _, v := range p.versions() {
			if v.of.source == of && v.of.Name == name && v.Version == version && (source == "" || source == of.Name) {
				return v
			}
		}
	}
	return nil
}
