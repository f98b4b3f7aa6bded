package solver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// TestPlansOfManyTogether plans for a library that all of many applications need: each has to bridge both of its versions.
func TestPlansOfManyTogether(t *testing.T) {
	const apps = 40
	for _, c := range []struct {
		name, middle string // what the middle version of the last application needs
		require      string
		steps        int
		lib          string
	}{
		{"bridged", ">=1.0.0", `required("lib")`, 2*apps + 1, "2.0.0"},
		{"one is not", "<2.0.0", `required("lib")`, apps, "1.0.0"},
		{"one is not, and must", "<2.0.0", `required("lib", ">=2.0.0")`, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var packages, installed, constraints strings.Builder
			constraints.WriteString("'" + c.require + "'")
			for i := range apps {
				middle := ">=1.0.0"
				if i == apps-1 {
					middle = c.middle
				}
				fmt.Fprintf(&packages, `
  - name: app%d
    versions:
    - {version: 1.0.0, channels: [main], dependencies: [{name: lib, versionRange: "<2.0.0"}]}
    - {version: 2.0.0, channels: [main], replaces: 1.0.0, dependencies: [{name: lib, versionRange: "%s"}]}
    - {version: 3.0.0, channels: [main], replaces: 2.0.0, dependencies: [{name: lib, versionRange: ">=2.0.0"}]}`, i, middle)
				fmt.Fprintf(&installed, ", {name: app%d, version: 1.0.0}", i)
				fmt.Fprintf(&constraints, `, 'required("app%d")'`, i)
			}
			doc := document(t, `
sources:
- name: main
  packages:
  - name: lib
    versions: [{version: 1.0.0, channels: [main]}, {version: 2.0.0, channels: [main], replaces: 1.0.0}]`+packages.String()+`
spec:
  policy: latest
  installed: [{name: lib, version: 1.0.0}`+installed.String()+`]
  constraints: [`+constraints.String()+`]
  timeoutSeconds: 20
`)
			problem, err := parse(doc)
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil || out.TimedOut {
				t.Fatal(out, err)
			}
			if len(out.Plan) != c.steps || c.lib == "" && out.Unsat == nil {
				t.Errorf("%d steps, want %d: %s", len(out.Plan), c.steps, out.Message)
			}
			for _, s := range out.Selections {
				if s.Package == "lib" && s.Version != c.lib {
					t.Errorf("lib %s, want %s", s.Version, c.lib)
				}
			}
		})
	}
}
