package store_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Only the service itself creates, changes and deletes documents of a managed kind.
func TestManaged(t *testing.T) {
	const schema = `
resources:
  - name: bucket
  - name: page
    parent: bucket
    managed: true
  - name: reader
    references: [page]
    managed: true
`
	const refused = "is changed by its service"
	for _, test := range []struct {
		name, line string
		code       dovetail.Code // of the refusal; "" if there is none
		managed    bool          // whether the service itself is let through
	}{
		{name: "another document", line: `put bucket/b {"a":2}`},
		{name: "a new one", line: `put bucket/b/page/q {}`, code: dovetail.CodeConflict, managed: true},
		{name: "an equal one", line: `put bucket/b/page/p {"a":1}`},
		{name: "put", line: `put bucket/b/page/p {"a":2}`, code: dovetail.CodeConflict, managed: true},
		{name: "patch", line: `patch bucket/b/page/p {"a":2}`, code: dovetail.CodeConflict, managed: true},
		{name: "status", line: `status bucket/b/page/p {"a":2}`, code: dovetail.CodeConflict, managed: true},
		{name: "delete", line: `delete bucket/b/page/free`, code: dovetail.CodeConflict, managed: true},
		{name: "what holds it comes first", line: `delete bucket/b/page/p`, code: dovetail.CodeInUse},
		{name: "what is not there", line: `delete bucket/b/page/none`, code: dovetail.CodeNotFound},
		{name: "by a cascade", line: `cascade-delete bucket/b`, code: dovetail.CodeConflict, managed: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, schema)
			if _, err := s.Apply(t.Context(), ops(t, `create bucket/b {"a":1}`, `create bucket/b/page/p {"a":1}`, `create bucket/b/page/free {}`,
				`create reader/r {"spec":{"bucket":"b","page":"p"}}`), store.Options{Managed: true}); err != nil {
				t.Fatal(err)
			}
			for _, dryRun := range []bool{true, false} {
				_, err := s.Apply(t.Context(), ops(t, test.line), store.Options{DryRun: dryRun})
				if dovetail.CodeOf(err) != test.code || test.code == dovetail.CodeConflict && !strings.Contains(err.Error(), refused) {
					t.Fatalf("dry run %v: %v", dryRun, err)
				}
			}
			_, err := s.Apply(t.Context(), ops(t, test.line), store.Options{Managed: true})
			if test.managed && err != nil || !test.managed && dovetail.CodeOf(err) != test.code {
				t.Errorf("by the service: %v", err)
			}
			requireClean(t, s)
		})
	}
}
