package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The refusal of a write that expects an earlier version shows that, where it is kept and may be read.
func TestBase(t *testing.T) {
	const schema = "resources:\n  - name: project\n  - name: secret\n    sensitive: true\n"
	tests := []struct {
		name     string
		who      string
		id       dovetail.ID
		expected func(was []dovetail.ETag) dovetail.ETag // of the versions with n=1, 2 and 3, the last after a deletion
		again    bool                                    // it is deleted and created with n=3
		want     string
	}{
		{name: "first version", who: "root", id: "project/p", expected: func(was []dovetail.ETag) dovetail.ETag { return was[0] }, want: `{"n":1}`},
		{name: "by who may not read it", who: "writer", id: "project/p", expected: func(was []dovetail.ETag) dovetail.ETag { return was[0] }},
		{name: "sensitive", who: "root", id: "secret/s", expected: func(was []dovetail.ETag) dovetail.ETag { return was[0] }},
		{name: "a version that never was", who: "root", id: "project/p", expected: func(was []dovetail.ETag) dovetail.ETag {
			return dovetail.ETag{UID: was[0].UID, Revision: 9}
		}},
		{name: "another document", who: "root", id: "project/p", expected: func([]dovetail.ETag) dovetail.ETag { return dovetail.ETag{UID: "x", Revision: 1} }},
		{name: "before it was deleted", who: "root", id: "project/p", again: true, expected: func(was []dovetail.ETag) dovetail.ETag { return was[1] }, want: `{"n":2}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all := []string{"read", "create", "update", "delete", "act", "use"}
			s := openWith(t, schema, store.Config{Guard: guard{"root": all, "writer": all[1:]}})
			root := as(t, "root")
			var was []dovetail.ETag
			write := func(line string) {
				t.Helper()
				result, err := s.Apply(root, ops(t, line), store.Options{})
				if err != nil {
					t.Fatal(err)
				}
				was = append(was, result.Outcomes[0].Document.ETag())
			}
			write(fmt.Sprintf(`put %s {"n":1}`, tt.id))
			write(fmt.Sprintf(`put %s {"n":2}`, tt.id))
			if tt.again {
				applyAs(root, t, s, "delete "+string(tt.id))
				write(fmt.Sprintf(`put %s {"n":3}`, tt.id))
			}
			stale := op(t, fmt.Sprintf(`put %s {"n":4}`, tt.id)).IfVersion(tt.expected(was))
			_, err := s.Apply(as(t, tt.who), []store.Operation{stale}, store.Options{})
			e := dovetail.AsError(err)
			if dovetail.CodeOf(err) != dovetail.CodeStale {
				t.Fatal(err)
			}
			got := ""
			if e.Base != nil {
				got = string(e.Base.Data)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What one refusal shows of earlier versions is bounded.
func TestManyBases(t *testing.T) {
	const many, size = 20, 500 << 10
	s := open(t, testSchema)
	var stale []store.Operation
	for i := range many {
		id := dovetail.ID(fmt.Sprint("project/p", i))
		first := apply(t, s, fmt.Sprintf(`put %s {"text":%q}`, id, strings.Repeat("x", size))).Outcomes[0].Document.ETag()
		apply(t, s, fmt.Sprintf("put %s {}", id))
		stale = append(stale, op(t, fmt.Sprintf(`put %s {"n":1}`, id)).IfVersion(first))
	}
	_, err := s.Apply(t.Context(), stale, store.Options{})
	shown := 0
	for _, part := range dovetail.AsError(err).Errors {
		if part.Base != nil {
			shown++
		}
	}
	if shown != 8 {
		t.Errorf("%d of %d are shown", shown, many)
	}
}
