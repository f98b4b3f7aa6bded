package changeset_test

import (
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestVerify deletes an operation around the service.
func TestVerify(t *testing.T) {
	s := newStore(t, store.Config{}.With(changeset.Rules()))
	sets := changeset.New(s, changeset.Options{})
	must[*changeset.Shown](t)(sets.Create(t.Context(), "one", "", "", store.Options{}))
	stage(t.Context(), t, sets, "one", store.Operation{Verb: store.Create, ID: "project/a", Data: spec(t, `{}`)}, store.Operation{Verb: store.Create, ID: "project/b", Data: spec(t, `{}`)})
	check := func(repair bool) (found []string) {
		for f, err := range s.Check(t.Context(), repair) {
			if err != nil {
				t.Fatal(err)
			}
			if !f.Repaired {
				found = append(found, f.Problem)
			}
		}
		return found
	}
	if found := check(false); len(found) > 0 {
		t.Fatalf("before: %v", found)
	}
	if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: "changeSet/one/changeSetOperation/1"}}, store.Options{Managed: true}); err != nil {
		t.Fatal(err)
	}
	if found := check(false); !slices.Equal(found, []string{changeset.ProblemOperations}) {
		t.Errorf("found %v", found)
	}
	if found := check(true); len(found) > 0 {
		t.Errorf("not repaired: %v", found)
	}
	if shown := must[*changeset.Shown](t)(sets.Get(t.Context(), "one")); len(shown.Operations) != 1 || len(check(false)) > 0 {
		t.Errorf("after the repair: %+v, %v", shown, check(false))
	}
}
