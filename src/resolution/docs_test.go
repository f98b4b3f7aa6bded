package resolution_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/activator"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/value"
)

// The example of docs/active-resolutions.md becomes what is shown there, and the page names every condition and reason.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/active-resolutions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{state.ConditionResolved, state.ConditionActivated, state.ConditionDeprecated, state.ConditionSelectionsStale,
		state.ReasonResolved, state.ReasonUnsatisfiable, state.ReasonTimedOut, state.ReasonActivated, state.ReasonSelected, state.ReasonWindow, state.ReasonApproval, state.ReasonPlanChanged, state.ReasonNotAwaited, state.ReasonOwnPlan,
		activator.ReasonUnknownClass, activator.ReasonImageMissing, activator.Annotation, activator.AnnotationVersioned,
		solver.ReasonInvalidConstraint, solver.ReasonInvalidSource, solver.ReasonInvalidSpec, solver.ReasonSourceNotFound} {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("the page does not name %s", word)
		}
	}
	var blocks []*value.Value
	for i, block := range strings.Split(string(page), "```") {
		if text, isYAML := strings.CutPrefix(block, "yaml\n"); isYAML && i%2 == 1 {
			docs, err := yaml.Parse("page", []byte(text), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(docs) == 1 { // the catalog has several
				blocks = append(blocks, docs[0])
			}
		}
	}
	if len(blocks) < 2 { // the document and its status come first
		t.Fatalf("%d examples", len(blocks))
	}
	w, _ := newWorld(t, 1, resolution.Options{Clock: ticking()})
	w.source("example-operators", `{"packages":[
		{"name":"first-example-operator","versions":[{"version":"1.2.0","channels":["stable"],"image":"quay.io/example/first:v1.2.0"}]},
		{"name":"second-example-operator","versions":[{"version":"1.1.0","channels":["stable"],"image":"quay.io/example/second:v1.1.0"},{"version":"1.2.0","channels":["stable"]}]}]}`)
	got := w.put("example-resolution", string(blocks[0].JSON()))
	var want state.Status
	if err := json.Unmarshal(withoutDots(blocks[1].Get("status")), &want); err != nil {
		t.Fatal(err)
	}
	for i := range want.Conditions {
		want.Conditions[i].LastTransitionTime = got.Conditions[i].LastTransitionTime
	}
	if !slices.Equal(got.Conditions, want.Conditions) || !slices.Equal(got.Selections, want.Selections) || !slices.Equal(got.Entities, want.Entities) ||
		got.ObservedGeneration != want.ObservedGeneration || got.Bundle.Path != want.Bundle.Path {
		t.Errorf("it becomes\n%+v\nwant\n%+v", got, want)
	}
	if doc := w.get("example-resolution"); len(doc.Content) != 2 || doc.References[0] != (dovetail.Reference{ID: "source/example-operators", Kind: "source"}) {
		t.Errorf("files %v, references %v", doc.Content, doc.References)
	}
}

// withoutDots leaves out what the page only hints at.
func withoutDots(status *value.Value) []byte {
	status = status.Clone()
	status.Delete("explanation")
	return status.JSON()
}
