package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
)

// TestCascadePlan lists the documents that a deletion deletes with the one that it names, in a dry run.
func TestCascadePlan(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p/app/a", "create project/p/app/a/version/v",
		`create project/p/profile/x {"spec":{"app":"a"}}`, `create project/p/pick/k {"spec":{"choice":"x"}}`)
	result, err := s.Apply(t.Context(), ops(t, "cascade-delete project/p/app/a"), store.Options{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range result.Cascaded {
		got = append(got, fmt.Sprintf("%s %s of %s", o.Document.ID, o.Cause.Relation, o.Cause.ID))
	}
	want := []string{"project/p/app/a/version/v descendant of project/p/app/a", "project/p/pick/k referrer of project/p/profile/x", "project/p/profile/x referrer of project/p/app/a"}
	if !slices.Equal(got, want) {
		t.Errorf("plan:\n%s", strings.Join(got, "\n"))
	}
}
