package solver_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

const planCatalog = `
sources:
- name: main
  packages:
  - name: app
    versions:
    - {version: 1.0.0, channels: [main], dependencies: [{name: lib, versionRange: "<2.0.0"}]}
    - {version: 2.0.0, channels: [main], replaces: 1.0.0, dependencies: [{name: lib, versionRange: ">=2.0.0"}]}
  - name: lib
    versions:
    - {version: 1.0.0, channels: [main]}
    - {version: 2.0.0, channels: [main], replaces: 1.0.0}
  - name: tool
    versions:
    - {version: 1.0.0, channels: [main]}
    - {version: 2.0.0, channels: [main], replaces: 1.0.0}
    - {version: 3.0.0, channels: [main]}
`

// TestPlanRefused checks where the parts of a plan's question are refused.
func TestPlanRefused(t *testing.T) {
	for _, c := range []struct{ name, spec, want string }{
		{"an unknown policy", `policy: lates`, `/policy: there is no policy "lates"`},
		{"a policy without default", `policy: {packages: {app: frozen}}`, `/policy/default: default is missing`},
		{"a policy of no package", `policy: {default: latest, packages: {ap: frozen}}`, `/policy/packages/ap: there is no package "ap"`},
		{"an unknown member", `policy: {default: latest, package: {}}`, `/policy/package: policy has the unknown member "package"`},
		{"maxChanges below 0", `{policy: latest, maxChanges: -1}`, `/maxChanges: maxChanges must be a whole number of packages`},
		{"maxChanges without a policy", `maxChanges: 1`, `/maxChanges: maxChanges needs a policy`},
		{"an installed package twice", `{policy: latest, installed: [{name: lib, version: 1.0.0}, {name: lib, version: 2.0.0}]}`, `/installed/1: duplicate installed package "lib"`},
		{"no version", `{policy: latest, installed: [{name: lib}]}`, `/installed/0/version: version is missing`},
		{"a wrong version", `{policy: latest, installed: [{name: lib, version: "1"}]}`, `/installed/0/version: "1" is not a version`},
		{"unknown upgrades", `{policy: latest, installed: [{name: lib, version: 1.0.0, upgrades: always}]}`, `/installed/0/upgrades: there is no kind of upgrades "always"`},
		{"a misspelt member", `{policy: latest, installed: [{name: lib, versions: 1.0.0}]}`, `/installed/0/versions: an installed version has the unknown member "versions"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := document(t, planCatalog)
			doc.Set("spec", document(t, c.spec))
			if _, err := parse(doc); !strings.Contains(told(err), c.want) {
				t.Errorf("got %s, want %s", told(err), c.want)
			}
		})
	}
}

// TestObstacles checks why there is no plan although the constraints can be satisfied.
func TestObstacles(t *testing.T) {
	const both = `installed: [{name: app, version: 1.0.0}, {name: lib, version: 1.0.0}], `
	for _, c := range []struct{ name, spec, obstacle, want string }{
		{"frozen", `{policy: frozen, installed: [{name: tool, version: 1.0.0}], constraints: ['required("tool", ">=2.0.0")']}`,
			solver.ObstaclePolicy, "what is frozen would have to change: tool 1.0.0 -> 2.0.0"},
		{"too many changes", `{policy: latest, maxChanges: 1, constraints: ['required("tool")', 'required("lib")']}`,
			solver.ObstacleMaxChanges, "maxChanges is 1, and at least 2 packages would have to change: add lib 2.0.0, add tool 3.0.0"},
		{"no upgrade", `{policy: latest, installed: [{name: tool, version: 1.0.0}], constraints: ['required("tool", ">=3.0.0")']}`,
			solver.ObstacleUpgrades, "no steps lead from what is installed to anything that the constraints allow: no upgrade leads from tool 1.0.0 to tool 3.0.0"},
		{"in one step only", `{policy: latest, ` + both + `constraints: ['required("app", ">=2.0.0")']}`,
			solver.ObstacleUpgrades, "no steps lead from what is installed to anything that the constraints allow: " +
				"these changes need each other, and only one package changes at a time: app 1.0.0 -> 2.0.0, lib 1.0.0 -> 2.0.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := document(t, planCatalog)
			doc.Set("spec", document(t, c.spec))
			problem, err := parse(doc)
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil || out.Unsat == nil {
				t.Fatal(out, err)
			}
			if out.Unsat.Obstacle != c.obstacle || out.Message != c.want {
				t.Errorf("got %s: %s, want %s: %s", out.Unsat.Obstacle, out.Message, c.obstacle, c.want)
			}
		})
	}
}

// TestPinReason checks that a conflict shows why a version is pinned, and that an empty reason is refused.
func TestPinReason(t *testing.T) {
	doc := document(t, planCatalog)
	doc.Set("spec", document(t, `constraints: [{pinned: {name: tool, version: 1.0.0, reason: "2.0.0 loses data"}}, 'required("tool", ">=2.0.0")']`))
	problem, err := parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil || !strings.Contains(out.Message, "[0] pinned tool 1.0.0 (2.0.0 loses data)") {
		t.Error(out, err)
	}
	doc.Set("spec", document(t, `constraints: [{pinned: {name: tool, version: 1.0.0, reason: ""}}]`))
	if _, err := parse(doc); told(err) != "/constraints/0/pinned/reason: reason is empty" {
		t.Error(told(err))
	}
}

// TestPlanVerified checks that the verification refuses what is no plan.
func TestPlanVerified(t *testing.T) {
	doc := document(t, planCatalog)
	doc.Set("spec", document(t, `{policy: {default: latest, packages: {lib: frozen}}, installed: [{name: tool, version: 1.0.0}], constraints: ['required("tool")']}`))
	problem, err := parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil || !out.Resolved() {
		t.Fatal(out, err)
	}
	with := func(name, version string) solver.Selection {
		return solver.Selection{Source: "main", Package: name, Version: version, Channel: "main"}
	}
	tool := func(from, to string) solver.Step { return solver.Step{Package: "tool", From: from, To: to} }
	for _, c := range []struct {
		name       string
		selections []solver.Selection
		plan       []solver.Step
		want       string
	}{
		{"the plan", out.Selections, out.Plan, ""},
		{"no upgrade", []solver.Selection{with("tool", "3.0.0")}, []solver.Step{tool("1.0.0", "3.0.0")}, "step 0: no upgrade leads from tool 1.0.0 to 3.0.0"},
		{"back again", out.Selections, []solver.Step{tool("1.0.0", ""), tool("", "2.0.0")}, "step 1: tool was removed"},
		{"not far enough", out.Selections, nil, "the plan does not lead to tool 2.0.0"},
		{"of another version", out.Selections, []solver.Step{tool("1.1.0", "2.0.0")}, `step 0: tool is not "1.1.0"`},
		{"frozen", append(out.Selections, with("lib", "2.0.0")), out.Plan, "lib is frozen"},
		{"without what it needs", []solver.Selection{with("tool", "2.0.0"), with("app", "2.0.0")},
			[]solver.Step{{Package: "app", To: "2.0.0"}}, "after step 0: dependency 0 of app 2.0.0 is broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := solver.VerifyPlan(problem, c.selections, c.plan); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
