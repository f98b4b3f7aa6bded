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
		{"an unknown approval", `{policy: latest, approval: require}`, `/approval: there is no approval "require"`},
		{"an approval of no plan", `approval: required`, `/approval: approval needs a policy`},
		{"a schedule that is none", `windows: [{schedule: "0 25 * * *", duration: 1h}]`, `/windows/0/schedule: "0 25 * * *" is not a schedule`},
		{"a schedule that never comes", `windows: [{schedule: "0 0 30 2 *", duration: 1h}]`, `/windows/0/schedule: the schedule "0 0 30 2 *" never comes`},
		{"an unknown zone", `windows: [{schedule: "@daily", timeZone: Europe/Berln, duration: 1h}]`, `/windows/0/timeZone: there is no time zone "Europe/Berln"`},
		{"a long window", `windows: [{schedule: "@daily", duration: 200h}]`, `/windows/0/duration: "200h" is not a duration of a window`},
		{"a window without an end", `windows: [{schedule: "@daily"}]`, `/windows/0/duration: duration is missing`},
		{"a misspelt member of a window", `windows: [{schedule: "@daily", timezone: UTC, duration: 1h}]`, `/windows/0/timezone: a window has the unknown member "timezone"`},
		{"no windows", `windows: []`, `/windows: windows is empty`},
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

// TestRollback checks the way back of a plan.
func TestRollback(t *testing.T) {
	const way = `policy: latest, installed: [{name: app, version: 1.0.0}, {name: lib, version: 1.0.0}, {name: tool, version: 1.0.0}], constraints: `
	for _, c := range []struct{ name, sources, spec, want, impossible string }{
		{"nothing changes", planCatalog, `{policy: latest, installed: [{name: tool, version: 3.0.0}], constraints: ['required("tool")']}`, "", ""},
		{"the last step first", planCatalog, `{` + way + `['required("lib", ">=2.0.0")']}`,
			"add tool 1.0.0; lib 2.0.0 -> 1.0.0; add app 1.0.0", ""},
		{"what no source has", planCatalog, `{policy: latest, installed: [{name: tool, version: 0.9.0, upgrades: any}], constraints: ['required("tool")']}`,
			"", "no source has tool 0.9.0 any more"},
		{"what is not touched and no source has", planCatalog, `{policy: latest, installed: [{name: tool, version: 1.0.0}], constraints: ['required("tool", "<2.0.0")', 'required("lib")']}`,
			"remove lib 2.0.0", ""},
		{"what is withdrawn", strings.Replace(planCatalog, "- {version: 1.0.0, channels: [main]}\n    - {version: 2.0.0, channels: [main], replaces: 1.0.0}\n    - {version: 3",
			"- {version: 1.0.0, channels: [main], withdrawn: true}\n    - {version: 2.0.0, channels: [main], replaces: 1.0.0}\n    - {version: 3", 1),
			`{policy: latest, installed: [{name: tool, version: 1.0.0}], constraints: ['required("tool", "<3.0.0")']}`, "", "tool 1.0.0 is withdrawn"},
		{"what lacks something", planCatalog, `{policy: latest, installed: [{name: app, version: 1.0.0}, {name: tool, version: 1.0.0}], constraints: ['required("tool")']}`,
			"", "what is installed does not hold together: dependency 0 of app 1.0.0 is broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := document(t, c.sources)
			doc.Set("spec", document(t, c.spec))
			problem, err := parse(doc)
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil || !out.Resolved() {
				t.Fatal(out, err)
			}
			back := out.Rollback
			if back == nil {
				back = &solver.Rollback{}
			}
			var got []string
			for _, s := range back.Steps {
				got = append(got, s.String())
			}
			if strings.Join(got, "; ") != c.want || back.Impossible != c.impossible {
				t.Errorf("got %s, %s, after %s", strings.Join(got, "; "), back.Impossible, out.Plan)
			}
		})
	}
}
