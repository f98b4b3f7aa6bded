package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestDanglingImports imports a document that refers to what does not exist: that reference is not held, its others are.
func TestDanglingImports(t *testing.T) {
	from := openWith(t, testSchema, store.Config{WeakReferences: true})
	apply(t, from, "create project/p", "create project/p/app/a", `create project/p/profile/x {"spec":{"app":"a"}}`, `create project/p/profile/y {"spec":{"app":"none"}}`)
	documents := collected(t, from.Export(t.Context()))
	strict := open(t, testSchema)
	if _, err := strict.Import(t.Context(), documents, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeMissing {
		t.Errorf("a strict store takes it: %v", err)
	}
	s := openWith(t, testSchema, store.Config{DanglingImports: true})
	result, err := s.Import(t.Context(), documents, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	warnings := 0
	for _, o := range result.Outcomes {
		warnings += len(o.Warnings)
	}
	if warnings != 1 {
		t.Errorf("%d warnings", warnings)
	}
	if _, err := s.Apply(t.Context(), ops(t, "delete project/p/app/a"), store.Options{}); dovetail.CodeOf(err) != dovetail.CodeInUse {
		t.Errorf("what an imported document refers to can be deleted: %v", err)
	}
	if _, err := s.Create(t.Context(), op(t, `create project/p/profile/z {"spec":{"app":"none"}}`)); dovetail.CodeOf(err) != dovetail.CodeMissing {
		t.Errorf("what is no import may dangle: %v", err)
	}
	var problems []string
	for finding, err := range s.Check(t.Context(), false) {
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, fmt.Sprintf("%s %s %s", finding.Problem, finding.ID, finding.Other))
	}
	if want := []string{"wrong-references project/p/profile/y ", "dangling-reference project/p/profile/y project/p/app/none"}; !slices.Equal(problems, want) {
		t.Errorf("the check finds %q", problems)
	}
}
