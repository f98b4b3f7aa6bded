package solver_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	return ctx, cancel
}

func codeOf(err error) dovetail.Code { return dovetail.CodeOf(err) }

// TestVerify breaks a solution in every way that the rules know.
func TestVerify(t *testing.T) {
	const text = `
sources:
- name: cat
  packages:
  - name: app
    versions:
    - {version: 1.0.0, channels: [main], dependencies: [{any: [{name: lib, versionRange: ^1}, {all: [{name: x}, {name: y}]}]}, {not: {name: bad}}]}
  - name: lib
    versions:
    - {version: 1.0.0, channels: [main], conflicts: [{name: foe}], properties: [{type: slot, value: 1}]}
    - {version: 2.0.0, channels: [main]}
    - {version: 1.5.0, channels: [main], replaces: 1.1.0}
  - {name: bad, versions: [{version: 1.0.0, channels: [main]}]}
  - {name: foe, versions: [{version: 1.0.0, channels: [main]}]}
  - {name: x, versions: [{version: 1.0.0, channels: [main], properties: [{type: slot, value: 1.0}]}]}
  - {name: y, versions: [{version: 1.0.0, channels: [main]}]}
  - {name: z, versions: [{version: 1.0.0, channels: [main]}]}
spec:
  constraints:
  - required("app")
  - pinned("foe", "2.0.0")
  - conflict("x", "z")
  - atMostOne("y", "z")
  - atMostOne: {property: slot}
  - upgradeFrom("lib", "1.0.0")
  - prohibited("bad", ">=5.0.0")
`
	docs, err := yaml.Parse("case", []byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	problem, err := parse(docs[0])
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil || !slices.Equal(names(out.Selections), []string{"cat:app:1.0.0:main", "cat:lib:1.0.0:main"}) {
		t.Fatal(names(out.Selections), err)
	}
	app, lib := out.Selections[0], out.Selections[1]
	pick := func(name, version string) solver.Selection {
		return solver.Selection{Source: "cat", Package: name, Version: version, Channel: "main"}
	}
	elsewhere := lib
	elsewhere.Channel = "other"
	for _, c := range []struct {
		name       string
		selections []solver.Selection
		want       string
	}{
		{"as it is", []solver.Selection{app, lib}, ""},
		{"the group instead", []solver.Selection{app, pick("x", "1.0.0"), pick("y", "1.0.0")}, ""},
		{"unknown", []solver.Selection{pick("app", "9.0.0")}, "cat:app:9.0.0:main is no candidate"},
		{"a constraint", nil, "constraint 0 is broken"},
		{"a dependency", []solver.Selection{app}, "dependency 0 of app 1.0.0 is broken"},
		{"half a group", []solver.Selection{app, pick("x", "1.0.0")}, "dependency 0 of app 1.0.0 is broken"},
		{"what is not allowed", []solver.Selection{app, lib, pick("bad", "1.0.0")}, "dependency 1 of app 1.0.0 is broken"},
		{"two versions", []solver.Selection{app, lib, pick("lib", "2.0.0")}, "lib is selected twice"},
		{"another channel", []solver.Selection{app, elsewhere}, "cat:lib:1.0.0:other is not in its channel"},
		{"a pin", []solver.Selection{app, lib, pick("foe", "1.0.0")}, "constraint 1 is broken"},
		{"a conflict of two", []solver.Selection{app, lib, pick("x", "1.0.0"), pick("z", "1.0.0")}, "constraint 2 is broken"},
		{"one of two", []solver.Selection{app, lib, pick("y", "1.0.0"), pick("z", "1.0.0")}, "constraint 3 is broken"},
		{"one of a property", []solver.Selection{app, lib, pick("x", "1.0.0")}, "constraint 4 is broken"},
		{"no successor", []solver.Selection{app, pick("lib", "1.5.0")}, "constraint 5 is broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := solver.Verify(problem, c.selections); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	free, err := solver.ParseSpec(fromJSON(object{"constraints": []any{}}))
	if err != nil {
		t.Fatal(err)
	}
	unbound, err := solver.NewProblem(free, problem.Sources())
	if err != nil {
		t.Fatal(err)
	}
	if err := solver.Verify(unbound, []solver.Selection{lib, pick("foe", "1.0.0")}); err == nil || err.Error() != "conflict 0 of lib 1.0.0 is broken" {
		t.Errorf("got %v", err)
	}
}
