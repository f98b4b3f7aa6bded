package store_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// TestExpireHistory holds the store to the length of history that the settings and the ref-schema give, a day after day by a
// clock of the test.
func TestExpireHistory(t *testing.T) {
	const day = 24 * time.Hour
	const kinds = `
resources:
- name: project
- name: brief
  history: {time: 48h}
- name: few
  history: {versions: 1}
`
	for _, test := range []struct {
		name   string
		length time.Duration
		// From which of the days 0 to 5 on each kind can be read.
		project, brief, few int
	}{
		{"forever", 0, 0, 3, 4},
		{"as long as a kind", 2 * day, 3, 3, 4},
		{"shorter than a kind", day, 4, 4, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			var passed atomic.Int64
			began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			now := func() time.Time { return began.Add(time.Duration(passed.Load())) }
			backend, err := bolt.Open(filepath.Join(memdir.New(t), "store.db"), bolt.Options{Clock: now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { backend.Close() })
			s := openOn(t, backend, compile(t, kinds), store.Config{})
			apply(t, s, "create project/x", "create brief/x", "create few/x")
			positions := []store.Cursor{head(t, s)}
			for n := range 5 {
				passed.Add(int64(day))
				data := ` {"spec":{"n":` + string(rune('1'+n)) + `}}`
				apply(t, s, "put project/x"+data, "put brief/x"+data, "put few/x"+data)
				positions = append(positions, head(t, s))
			}
			for range 2 {
				if err := s.ExpireHistory(t.Context(), now(), test.length); err != nil {
					t.Fatal(err)
				}
			}
			for kind, first := range map[string]int{"project": test.project, "brief": test.brief, "few": test.few} {
				for n, position := range positions {
					var doc *dovetail.Document
					then, err := s.At(t.Context(), position)
					if err == nil {
						doc, err = then.Get(t.Context(), dovetail.ID(kind+"/x"))
					}
					switch {
					case n < first && dovetail.CodeOf(err) != dovetail.CodeExpired:
						t.Errorf("%s on day %d: %v, %v, want that it has expired", kind, n, doc, err)
					case n >= first && (err != nil || doc.Revision != uint64(n+1)):
						t.Errorf("%s on day %d: %v, %v", kind, n, doc, err)
					}
				}
			}
			if _, err := s.Backup(t.Context(), store.BackupOptions{At: string(positions[0])}); test.length != 0 && dovetail.CodeOf(err) != dovetail.CodeExpired {
				t.Errorf("a backup of an expired position: %v", err)
			}
		})
	}
}
