package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestManyFieldConflicts: of more conflicts than are shown the others are counted only, without a search for where they are in the data,
// which would take as long for each as the data are large.
func TestManyFieldConflicts(t *testing.T) {
	t.Parallel()
	const n = 60_000
	s := openWith(t, "resources:\n  - name: project\n", store.Config{})
	apply := func(manager string, to int) error {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"k%d":%d`, i, to))
		}
		_, err := s.Apply(t.Context(), []store.Operation{{Verb: store.ApplyFields, ID: "project/p", FieldManager: manager,
			Data: parse(t, `{"spec":{`+strings.Join(members, ",")+`}}`)}}, store.Options{})
		return err
	}
	if err := apply("a", 1); err != nil {
		t.Fatal(err)
	}
	e := dovetail.AsError(apply("b", 2))
	if e == nil || len(e.Errors) != dovetail.MaxErrors || e.Total != n {
		t.Fatalf("%+v", e)
	}
	for _, part := range e.Errors {
		if part.Reason != store.ReasonFieldManager || !strings.HasPrefix(part.Position.Path, "/spec/k") || part.Position.Line == 0 {
			t.Fatalf("%+v", part)
		}
	}
}
