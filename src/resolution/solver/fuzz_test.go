package solver_test

import (
	"testing"
	"unicode/utf8"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// FuzzConstraint reads string forms. What is accepted keeps its text, and can be resolved.
func FuzzConstraint(f *testing.F) {
	for _, seed := range []string{
		`required("a", ">=1.0.0", "stable")`, `pinned("a", "1.0.0")`, `any(required("a"), all(required("b"), not(required("c"))))`,
		`conflict("a", required("b", "<2.0.0"))`, `atMostOne("a", "b", "c")`, `upgradeFrom("a", "1.0.0")`, `prohibited("a\u0062\"", "^1")`,
		`required("a"`, ` required ( "a" , "" ) x`, `not("a")`, `any()`, `required("a\`,
	} {
		f.Add(seed)
	}
	sources := []*solver.Source{solver.NewParser().Source(fromJSON(object{"name": "cat", "packages": []any{
		object{"name": "a", "versions": []any{object{"version": "1.0.0", "channels": []string{"stable"}}}},
		object{"name": "b", "versions": []any{object{"version": "1.0.0", "channels": []string{"stable"}}}},
	}}))}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := solver.ParseSpec(value.NewMap(value.Member{Name: "constraints", Value: value.NewList(value.NewString(text))}))
		if err != nil {
			if reason, index, ok := solver.FaultOf(err); !ok || reason != solver.ReasonInvalidConstraint || index != 0 {
				t.Fatalf("%s %d: %v", reason, index, err)
			}
			return
		}
		if spec.Constraints[0].String() != text {
			t.Fatalf("%q became %q", text, spec.Constraints[0])
		}
		problem, err := solver.NewProblem(spec, sources)
		if err != nil {
			t.Fatal(err)
		}
		out, err := solver.Resolve(t.Context(), problem, solver.Options{Explain: true})
		if err != nil || out.Resolved() == (out.Unsat != nil) || len(out.Message) > solver.MaxMessage {
			t.Fatalf("%+v, %v", out, err)
		}
	})
}

// FuzzRange reads ranges, and compares what the string form and the map form select by them.
func FuzzRange(f *testing.F) {
	for _, seed := range []string{"", " ", "*", ">= 1.0.0 < 1.2.0", ">=1.0.0, <1.2.0", "^1.2.3 || ~2.1", "1.2.x", "1.0 - 2.0", "!=1.0.0-rc.1+b", ">=1.0.0 && <2", "=v1.0.0"} {
		f.Add(seed, "1.1.0")
	}
	f.Fuzz(func(t *testing.T, text, version string) {
		if _, err := semver.StrictNewVersion(version); err != nil || !utf8.ValidString(text) {
			return
		}
		source := object{"name": "cat", "packages": []any{object{"name": "a", "versions": []any{object{"version": version, "channels": []string{"stable"}}}}}}
		resolve := func(constraint any) string {
			v := fromJSON(object{"sources": []any{source}, "spec": object{"constraints": []any{constraint}}})
			problem, err := parse(v)
			if err != nil {
				return "refused"
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if out.Unsat != nil {
				return string(out.Unsat.NoMatch[0].Stage)
			}
			return out.Selections[0].String()
		}
		asMap := resolve(object{"required": object{"name": "a", "versionRange": text}})
		asText := resolve("required(\"a\", " + string(value.NewString(text).JSON()) + ")")
		if asMap != asText {
			t.Fatalf("%q: %s as a map, %s as a text", text, asMap, asText)
		}
	})
}
