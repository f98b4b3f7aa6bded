package catalog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestPlanOfRealCatalog plans upgrades of the oldest versions of many packages at once.
func TestPlanOfRealCatalog(t *testing.T) {
	source := realSource(t)
	text := value.NewString
	for _, policy := range []string{"latest", "minimal-change"} {
		t.Run(policy, func(t *testing.T) {
			installed, constraints := value.NewList(), value.NewList()
			for _, p := range source.Packages {
				oldest := p.Versions[len(p.Versions)-1]
				need := value.NewMap(value.Member{Name: "name", Value: text(p.Name)})
				alone := value.NewMap(value.Member{Name: "constraints", Value: value.NewList(value.NewMap(value.Member{Name: "required", Value: need}))})
				if !plannable(t, source, alone, p.Name, oldest.Text) {
					continue
				}
				installed.Items = append(installed.Items, value.NewMap(value.Member{Name: "name", Value: text(p.Name)}, value.Member{Name: "version", Value: text(oldest.Text)}))
				constraints.Items = append(constraints.Items, value.NewMap(value.Member{Name: "required", Value: need}))
			}
			spec := value.NewMap(value.Member{Name: "constraints", Value: constraints}, value.Member{Name: "installed", Value: installed}, value.Member{Name: "policy", Value: text(policy)})
			began := time.Now()
			out := planned(t, source, spec)
			t.Logf("%d installed, %d steps, %s: %s", len(installed.Items), len(out.Plan), time.Since(began), strings.SplitN(out.Message, ":", 2)[0])
			if !out.Resolved() {
				t.Error(out.Message)
			}
		})
	}
}

// plannable reports whether a package alone can be installed in a version without anything else.
func plannable(t *testing.T, source *solver.Source, spec *value.Value, name, version string) bool {
	t.Helper()
	spec.Set("installed", value.NewList(value.NewMap(value.Member{Name: "name", Value: value.NewString(name)}, value.Member{Name: "version", Value: value.NewString(version)})))
	spec.Set("policy", value.NewString("frozen"))
	return planned(t, source, spec).Resolved()
}

func planned(t *testing.T, source *solver.Source, spec *value.Value) *solver.Outcome {
	t.Helper()
	parsed, err := solver.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	problem, err := solver.NewProblem(parsed, []*solver.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
