package solver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
)

// TestMessageIsShort makes clashes of many long constraints and facts.
func TestMessageIsShort(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, c := range []struct {
		name     string
		packages int
		suffix   string
		mentions []string
	}{
		{"many", 60, "", []string{"[0] required", "more cannot hold together; it is about app, p00, p01"}},
		{"long", 3, long, []string{"[0] required", "...", "cannot hold together"}},
		{"many and long", 60, long, []string{"[0] required", "more cannot hold together"}},
		{"not ASCII", 60, "äöü" + strings.Repeat("ü", 50), []string{"[0] required", "cannot hold together"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var packages, constraints, all []any
			for i := range c.packages {
				name := fmt.Sprintf("p%02d%s", i, c.suffix)
				packages = append(packages, object{"name": name, "versions": []any{object{"version": "1.0.0", "channels": []string{"m"}}}})
				constraints = append(constraints, object{"required": object{"name": name}})
				all = append(all, object{"required": object{"name": name}})
			}
			// All of them are needed: one version of app forbids each.
			var versions []any
			for i := range c.packages {
				name := fmt.Sprintf("p%02d%s", i, c.suffix)
				versions = append(versions, object{"version": fmt.Sprintf("1.%d.0", i), "channels": []string{"m"}, "conflicts": []any{object{"name": name}}})
			}
			packages = append(packages, object{"name": "app", "versions": versions})
			constraints = append(constraints, object{"required": object{"name": "app"}})
			problem, err := parse(fromJSON(object{"sources": []any{object{"name": "cat", "packages": packages}}, "spec": object{"constraints": constraints}}))
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil || out.Unsat == nil || len(out.Unsat.Core) != len(all)+1 {
				t.Fatalf("%+v, %v", out, err)
			}
			if len(out.Message) > solver.MaxMessage {
				t.Errorf("%d bytes: %s", len(out.Message), out.Message)
			}
			if strings.ToValidUTF8(out.Message, "?") != out.Message {
				t.Errorf("not UTF-8: %q", out.Message)
			}
			for _, text := range c.mentions {
				if !strings.Contains(out.Message, text) {
					t.Errorf("%q is not in %s", text, out.Message)
				}
			}
		})
	}
}

// TestRangesOfTheirOwn says in one sentence what differs in ranges only.
func TestRangesOfTheirOwn(t *testing.T) {
	problem, err := parse(synthetic.Problem(synthetic.Options{Packages: 20, Versions: 5, Roots: 3, Seed: 1, Mode: synthetic.Unsat}))
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "[3] required clash-left and [4] required clash-right cannot hold together: " +
		"every version of clash-left needs clash-left-mid in a range of its own; every version of clash-right needs clash-right-mid in a range of its own; " +
		"every version of clash-left-mid needs clash-lib <=2.1.0; every version of clash-right-mid needs clash-lib >2.1.0; only one version of clash-lib can be selected; without [3]: "
	if !strings.HasPrefix(out.Message, want) {
		t.Errorf("got %s", out.Message)
	}
	if len(out.Unsat.Facts) != 13 {
		t.Errorf("%d facts, want one for each range: %v", len(out.Unsat.Facts), out.Unsat.Facts)
	}
}

// TestMessageTellsWhatThereIs gives the exact words for requirements that nothing fulfils.
func TestMessageTellsWhatThereIs(t *testing.T) {
	const sources = `
sources:
- name: east
  packages:
  - {name: both, versions: [{version: 1.0.0, channels: [main]}, {version: 2.0.0, channels: [main]}]}
  - {name: pulled, versions: [{version: 1.0.0, channels: [main]}, {version: 2.0.0, channels: [main], withdrawn: true}, {version: 2.1.0, channels: [main], withdrawn: true}]}
  - {name: lib, versions: [{version: 1.0.0, channels: [main]}, {version: 2.1.0-rc.1, channels: [main]}]}
  - {name: early, versions: [{version: 1.0.0, channels: [main], dependencies: [{required: {name: lib, versionRange: '>=2.0.0'}}]}]}
  - {name: far, versions: [{version: 1.0.0, channels: [main], dependencies: [{required: {name: op, versionRange: '>=3.0.0', channel: slow}}]}]}
  - {name: slip, versions: [{version: 1.0.0, channels: [main], dependencies: [{required: {name: lnoe}}]}]}
  - {name: op, versions: [{version: 1.0.0, channels: [slow]}, {version: 2.0.0, channels: [fast, slow], replaces: 1.0.0}, {version: 3.0.0, channels: [fast], replaces: 2.0.0}]}
- name: west
  packages:
  - {name: both, versions: [{version: 1.0.0, channels: [main]}]}
  - {name: lone, versions: [{version: 1.0.0, channels: [c1, c2, c3, c4, c5, c6, c7]}]}
`
	for _, c := range []struct{ name, constraints, want string }{
		{"no package", `['required("ghost")']`, `[0] required("ghost") cannot hold: no source has a package ghost`},
		{"a slip of the pen", `['required("lnoe")']`, `[0] required("lnoe") cannot hold: no source has a package lnoe, did you mean lone?`},
		{"another source", `[{required: {name: op, source: west}}]`, `[0] required op of source west cannot hold: source west does not have op, which is in east`},
		{"no source", `[{required: {name: ghost, source: west}}]`, `[0] required ghost of source west cannot hold: no source has a package ghost`},
		{"another channel", `['required("op", "", "stable")']`, `[0] required("op", "", "stable") cannot hold: no version of op is in channel stable, it is in fast and slow`},
		{"many channels", `['required("lone", "", "c8")']`, `[0] required("lone", "", "c8") cannot hold: no version of lone is in channel c8, it is in c1, c2, c3, c4, c5 and 2 more`},
		{"no version", `['required("op", ">=4.0.0")']`, `[0] required("op", ">=4.0.0") cannot hold: no version of op is in >=4.0.0, there are 1.0.0 to 3.0.0`},
		{"one version", `['required("lone", ">=4.0.0")']`, `[0] required("lone", ">=4.0.0") cannot hold: no version of lone is in >=4.0.0, there is 1.0.0`},
		{"a version in another channel", `['required("op", ">=3.0.0", "slow")']`, `[0] required("op", ">=3.0.0", "slow") cannot hold: no version of op is in >=3.0.0, there are 1.0.0 to 2.0.0 in channel slow; 3.0.0 is in fast`},
		{"a version in another source", `[{required: {name: both, versionRange: '>=2.0.0', source: west}}]`, `[0] required both >=2.0.0 of source west cannot hold: no version of both is in >=2.0.0, there is 1.0.0; 2.0.0 is in source east`},
		{"a withdrawn version", `['required("pulled", ">=2.0.0")']`, `[0] required("pulled", ">=2.0.0") cannot hold: no version of pulled is in >=2.0.0, there is 1.0.0; 2.1.0 is withdrawn`},
		{"a need of pre-releases only", `['required("early")']`, `[0] required("early") cannot hold: early 1.0.0 needs lib >=2.0.0, but only pre-releases of lib are in >=2.0.0, which does not name one`},
		{"a need in another channel", `['required("far")']`, `[0] required("far") cannot hold: far 1.0.0 needs op >=3.0.0 in channel slow, but no version of op is in >=3.0.0, there are 1.0.0 to 2.0.0 in channel slow; 3.0.0 is in fast`},
		{"a need with a slip", `['required("slip")']`, `[0] required("slip") cannot hold: slip 1.0.0 needs lnoe, which no source has, did you mean lone?`},
		{"without a provider", `[{required: {gvk: {group: g, version: v1, kind: K}}}]`, `[0] required with K of g/v1 cannot hold: nothing provides K of g/v1`},
		{"an upgrade too far", `['required("op", ">=3.0.0")', 'upgradeFrom("op", "1.0.0")']`, `[0] required("op", ">=3.0.0") and [1] upgradeFrom("op", "1.0.0") cannot hold together: op 1.0.0 can become 2.0.0 only`},
		{"no upgrade", `['required("op", "<3.0.0")', 'upgradeFrom("op", "3.0.0")']`, `[0] required("op", "<3.0.0") and [1] upgradeFrom("op", "3.0.0") cannot hold together: op 3.0.0 has no successor`},
	} {
		t.Run(c.name, func(t *testing.T) {
			problem, err := parse(document(t, sources+"spec: {constraints: "+c.constraints+"}"))
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got, _, _ := strings.Cut(out.Message, "; without"); got != c.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// chain makes packages of one version, of which each needs the next one and the last one something else.
func chain(prefix string, n int, last object) []any {
	var packages []any
	for i := range n {
		need := object{"required": object{"name": fmt.Sprintf("%s%02d", prefix, i+1), "versionRange": "^1"}}
		if i == n-1 {
			need = last
		}
		packages = append(packages, object{"name": fmt.Sprintf("%s%02d", prefix, i),
			"versions": []any{object{"version": "1.0.0", "channels": []string{"m"}, "dependencies": []any{need}}}})
	}
	return packages
}

// TestMessageOfLongChains keeps the reason at the end of a chain of a hundred needs, alone and in a clash of two.
func TestMessageOfLongChains(t *testing.T) {
	lib := func(versionRange string) object {
		return object{"required": object{"name": "lib", "versionRange": versionRange}}
	}
	versions := []any{object{"version": "1.0.0", "channels": []string{"m"}}, object{"version": "2.0.0", "channels": []string{"m"}}}
	for _, c := range []struct {
		name     string
		packages []any
		roots    []string
		want     string
	}{
		{"to what is not there", chain("p", 100, object{"required": object{"name": "ghost"}}), []string{"p00"},
			`[0] required("p00") cannot hold: p00 1.0.0 needs p01 ^1; p01 needs p99, in 98 steps; p99 1.0.0 needs ghost, which no source has`},
		{"to two versions of one package", slices.Concat(chain("p", 100, lib("^1")), chain("q", 100, lib("^2")), []any{object{"name": "lib", "versions": versions}}), []string{"p00", "q00"},
			`[0] required("p00") and [1] required("q00") cannot hold together: p00 1.0.0 needs p01 ^1; q00 1.0.0 needs q01 ^1; p01 needs p99, in 98 steps; ` +
				`q01 needs q99, in 98 steps; p99 1.0.0 needs lib ^1; q99 1.0.0 needs lib ^2; only one version of lib can be selected`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var constraints []any
			for _, root := range c.roots {
				constraints = append(constraints, fmt.Sprintf("required(%q)", root))
			}
			problem, err := parse(fromJSON(object{"sources": []any{object{"name": "cat", "packages": c.packages}}, "spec": object{"constraints": constraints}}))
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got, _, _ := strings.Cut(out.Message, "; without"); got != c.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestMediaType reads the media type of a bundle from the properties of its version.
func TestMediaType(t *testing.T) {
	for _, tt := range []struct{ name, properties, want string }{
		{"none", `[]`, ""},
		{"plain", `[{type: olm.bundle.mediatype, value: plain+v0}]`, "plain+v0"},
		{"among others", `[{type: olm.maxOpenShiftVersion, value: "4.9"}, {type: olm.bundle.mediatype, value: registry+v1}]`, "registry+v1"},
		{"no text", `[{type: olm.bundle.mediatype, value: {a: b}}]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			problem, err := parse(document(t, `
sources: [{name: s, packages: [{name: p, versions: [{version: 1.0.0, channels: [c], properties: `+tt.properties+`}]}]}]
spec: {constraints: ['required("p")']}`))
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil || len(out.Selections) != 1 || out.Selections[0].MediaType != tt.want {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}
