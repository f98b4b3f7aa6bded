package resolution_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/state"
)

// activated is the data of a resolution of p with an activator and more members of the spec.
func activated(more string) string {
	return `{"metadata":{"annotations":{"deppy.io/activator-class":"Operator"}},"spec":{"constraints":["required(\"p\")"],"policy":"latest"` + more + `}}`
}

const catalogImages = `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"],"image":"p1"}%s]}]}`

// isPlan reports whether a status has a plan.
func isPlan(steps string) func(*dovetail.Document, *state.Status) bool {
	return func(_ *dovetail.Document, s *state.Status) bool { return s.Plan != nil && fmt.Sprint(s.Plan) == steps }
}

// TestInstalledIsWhatWasActivated plans from what was activated last, where the spec does not say what is installed.
func TestInstalledIsWhatWasActivated(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	w.source("cat", fmt.Sprintf(catalogImages, ""))
	w.put("r", activated(""))
	first := w.wait("r", isPlan("[]")).Activation
	if first == nil || fmt.Sprint(first.Installed, first.Plan, first.Rollback.Steps) != "[{p 1.0.0}] [add p 1.0.0] [remove p 1.0.0]" {
		t.Fatalf("%+v", first)
	}
	w.source("cat", fmt.Sprintf(catalogImages, `,{"version":"1.1.0","channels":["main"],"image":"p11","replaces":"1.0.0"},{"version":"3.0.0","channels":["main"],"image":"p3"}`))
	second := w.wait("r", func(_ *dovetail.Document, s *state.Status) bool {
		return s.Activation != nil && len(s.Plan) == 0 && s.Activation.Installed[0].Version == "1.1.0"
	}).Activation
	if fmt.Sprint(second.Plan, second.Rollback.Steps) != "[p 1.0.0 -> 1.1.0] [p 1.1.0 -> 1.0.0]" {
		t.Errorf("%+v", second)
	}
	// What the spec says counts, if only that there is nothing.
	w.put("r", activated(`,"installed":[]`))
	third := w.wait("r", isPlan("[add p 3.0.0]"))
	if third.Rollback == nil || third.PlanDigest == "" || third.Activation.Installed[0] != (solver.Installed{Name: "p", Version: "3.0.0"}) {
		t.Errorf("%+v", third)
	}
}

// TestManifestsOfResolutions: the files of an ActiveResolution are what its class makes, and follow its annotations.
func TestManifestsOfResolutions(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	w.source("cat", `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"],"image":"host/p:1"}]}]}`)
	of := func(class, more string) string {
		return `{"metadata":{"annotations":{"deppy.io/activator-class":"` + class + `"` + more + `}},"spec":{"constraints":["required(\"p\")"]}}`
	}
	for _, tt := range []struct{ class, more, part, has string }{
		{"ClusterExtension", "", "manifests", "packageName: p"},
		{"Application", `,"activator.dovetail.dev/project":"team"`, "manifests", "project: team"},
		{"Application", `,"activator.dovetail.dev/project":"other"`, "manifests", "project: other"},
		{"LockFile", "", "lock", "version: 1.0.0"},
		{"Operator", "", "", ""},
	} {
		if got, want := tell(w.put("r", of(tt.class, tt.more))), "Resolved=True:Resolved Activated=True:Activated cat:p:1.0.0:main"; got != want {
			t.Fatalf("%s: %s", tt.class, got)
		}
		files := w.get("r").Content
		if tt.part == "" {
			if len(files) > 0 {
				t.Errorf("%s leaves %s", tt.class, files[0].Name)
			}
			continue
		}
		if len(files) != 1 || files[0].Name != tt.part || !strings.Contains(string(files[0].Data), tt.has) {
			t.Errorf("%s: %+v", tt.class, files)
		}
	}
	if got, want := tell(w.put("r", of("Application", `,"activator.dovetail.dev/projct":"team"`))), "Resolved=True:Resolved Activated=False:ParameterInvalid cat:p:1.0.0:main"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
