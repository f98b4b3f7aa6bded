package solver_test

import (
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// TestWithdrawn holds which constraints require exactly a withdrawn version.
func TestWithdrawn(t *testing.T) {
	sources := []any{object{"name": "cat", "packages": []any{object{"name": "a", "versions": []any{
		object{"version": "1.0.0", "channels": []any{"main"}, "withdrawn": true},
		object{"version": "0.9.0", "channels": []any{"main"}},
	}}}}}
	name, exact := object{"name": "a"}, object{"versionRange": "=1.0.0"}
	match := func(m any) object { return object{"required": object{"match": m}} }
	for _, test := range []struct {
		name       string
		constraint any
		selected   bool
	}{
		{"a range that has it", `required("a", ">=0.9.0")`, false},
		{"exactly it", `required("a", "=1.0.0")`, true},
		{"as an alternative", `any(required("b"), required("a", "=1.0.0"))`, true},
		{"in a condition", match(object{"name": "a", "versionRange": "=1.0.0"}), true},
		{"beside the name", match(object{"all": []any{name, exact}}), true},
		{"below the name", match(object{"all": []any{name, object{"any": []any{exact, object{"versionRange": "=3.0.0"}}}}}), true},
		{"in a selector with the name", object{"required": object{"name": "a", "match": exact}}, true},
		{"ruled out", match(object{"all": []any{name, object{"not": []any{exact}}}}), false},
		{"without a name", match(object{"any": []any{name, exact}}), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			problem, err := parse(fromJSON(object{"sources": sources, "spec": object{"constraints": []any{test.constraint}}}))
			if err != nil {
				t.Fatal(err)
			}
			got, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if selected := slices.Equal(names(got.Selections), []string{"cat:a:1.0.0:main"}); selected != test.selected {
				t.Errorf("selected %s, %s", names(got.Selections), got.Message)
			}
		})
	}
}
