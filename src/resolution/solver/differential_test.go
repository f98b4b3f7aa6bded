package solver_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// TestAgainstDefinition compares with the oracle.
func TestAgainstDefinition(t *testing.T) {
	problems := rounds.Of(1000, 10000)
	unsat := 0
	for seed := range uint64(problems) {
		p := generate(rand.New(rand.NewPCG(seed, 4)))
		doc := p.document()
		problem, err := parse(doc)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, doc.JSON())
		}
		got, err := solver.Resolve(t.Context(), problem, solver.Options{Explain: seed%4 == 0})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, doc.JSON())
		}
		selections := p.selections("")
		var constraints []int
		for i := range p.Constraints {
			constraints = append(constraints, i)
		}
		solutions := p.satisfying(selections, constraints)
		switch {
		case len(solutions) == 0 && got.Unsat == nil:
			t.Errorf("seed %d: there is no solution, got %s", seed, names(got.Selections))
		case len(solutions) == 0:
			unsat++
			checkClash(t, p, selections, got.Unsat)
		case !slices.Equal(names(got.Selections), p.prefer(constraints, solutions)) || !got.Resolved():
			t.Errorf("seed %d: got %s %s, want %s", seed, names(got.Selections), got.Message, p.prefer(constraints, solutions))
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, doc.JSON())
		}
	}
	if unsat < problems/5 || unsat > problems*4/5 {
		t.Errorf("%d of %d have no solution, which tests too little of one kind", unsat, problems)
	}
	t.Logf("%d of %d have no solution", unsat, problems)
}

func checkClash(t *testing.T, p *oProblem, selections [][]*oVersion, got *solver.Unsat) {
	t.Helper()
	if core := p.core(selections); !slices.Equal(got.Core, core) {
		t.Errorf("core %v, want %v", got.Core, core)
		return
	}
	seen := map[string]bool{}
	for _, v := range p.candidates() {
		if name := v.of.Name; !seen[name] {
			seen[name] = true
			if len(p.satisfying(p.selections(name), got.Core)) > 0 && !slices.Contains(got.Packages, name) {
				t.Errorf("without the facts of %s the core is satisfiable, but %s is about %v", name, got.Message, got.Packages)
			}
		}
	}
	for _, fix := range got.Fixes {
		var kept []int
		for i := range p.Constraints {
			if !slices.Contains(fix.Without, i) {
				kept = append(kept, i)
			}
		}
		if solutions := p.satisfying(selections, kept); len(solutions) == 0 {
			t.Errorf("giving up %v does not help", fix.Without)
		} else if want := p.prefer(kept, solutions); !slices.Equal(fix.Selections, want) {
			t.Errorf("giving up %v: got %s, want %s", fix.Without, fix.Selections, want)
		}
		for _, i := range fix.Without {
			if len(p.satisfying(selections, append(slices.Clone(kept), i))) > 0 {
				t.Errorf("giving up %v is too much", fix.Without)
			}
		}
	}
	if len(got.Fixes) == 0 || len(got.Message) > solver.MaxMessage || got.Incomplete {
		t.Errorf("%d fixes, message of %d bytes", len(got.Fixes), len(got.Message))
	}
}
