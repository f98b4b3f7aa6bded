package solver_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// TestPrereleases holds which pre-releases count by the policies, and what is said where none does.
func TestPrereleases(t *testing.T) {
	version := func(v, channel string) object { return object{"version": v, "channels": []any{channel}} }
	sources := []any{object{"name": "cat", "packages": []any{
		object{"name": "a", "versions": []any{version("1.0.0", "main"), version("2.0.0-rc.1", "beta")}},
		object{"name": "only", "versions": []any{version("2.0.0-rc.1", "main")}},
	}}}
	match := func(parts ...any) object { return object{"required": object{"match": object{"all": parts}}} }
	for _, test := range []struct {
		name, policy string
		constraint   any
		want         string // the version, or the stage and the end of the first part of the message
	}{
		{"below the end", "last", `required("only", "<2.0.0")`, "version: no version of only is in <2.0.0, there is 2.0.0-rc.1"},
		{"below a short end", "last", `required("only", "<2")`, "version: no version of only is in <2, there is 2.0.0-rc.1"},
		{"below an open end", "last", `required("only", ">=1, <2.0.x")`, "version: no version of only is in >=1, <2.0.x, there is 2.0.0-rc.1"},
		{"below the end with a build part", "last", `required("only", "<2.0.0+7")`, "version: no version of only is in <2.0.0+7, there is 2.0.0-rc.1"},
		{"up to the end", "last", `required("only", "=<2.0.0")`, "2.0.0-rc.1"},
		{"in a condition, last", "last", match(object{"name": "a"}, object{"versionRange": ">1.0.0"}), "2.0.0-rc.1"},
		{"in a condition, named", "named", match(object{"name": "a"}, object{"versionRange": ">1.0.0"}), "provides: no version of what is asked for is a and >1.0.0"},
		{"named by a condition", "if-necessary", match(object{"name": "a"}, object{"versionRange": ">1.0.0-0"}), "2.0.0-rc.1"},
		{"named", "if-necessary", `required("a", ">1.0.0-0")`, "2.0.0-rc.1"},
		{"no part that is none", "if-necessary", `required("a", ">1.0.0+7-a")`, "prerelease: only pre-releases of a would do, which do not count as it has other versions"},
		{"named to rule it out", "if-necessary", `all(required("a"), prohibited("a", "<1.0.0-0"), prohibited("a", "=1.0.0"))`, ""},
		{"in a channel", "if-necessary", `required("a", "", "beta")`, "prerelease: only pre-releases of a would do, which do not count as it has other versions"},
		{"all there is", "if-necessary", `required("only", ">=1.0.0")`, "2.0.0-rc.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := object{"constraints": []any{test.constraint}, "prereleases": test.policy}
			problem, err := parse(fromJSON(object{"sources": sources, "spec": spec}))
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			switch {
			case out.Unsat == nil:
				got = out.Selections[0].Version
			case len(out.Unsat.NoMatch) > 0:
				_, said, _ := strings.Cut(out.Message, " cannot hold: ")
				said, _, _ = strings.Cut(said, "; without")
				got = string(out.Unsat.NoMatch[0].Stage) + ": " + said
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
