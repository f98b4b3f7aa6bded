package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// small makes every migration too large for one transaction.
var small = store.Config{MaxMigration: 1}

func migrationFile(t testing.TB) store.MigrationFile {
	t.Helper()
	return store.MigrationFile{Name: "migration.yaml", Text: []byte(migrateSteps), Next: compile(t, migrateAfter)}
}

// manyDevices is a database with documents for several batches.
func manyDevices(t testing.TB, cables int) store.Backend {
	t.Helper()
	backend := newBackend(t)
	s := openOn(t, backend, compile(t, migrateBefore), store.Config{})
	lines := []string{"create site/s", `create site/s/device/d {"spec":{"serial":1}}`}
	for n := range cables {
		lines = append(lines, fmt.Sprintf("create site/s/device/d/port/p%04d", n))
	}
	for n := range cables {
		lines = append(lines, fmt.Sprintf(`create cable/c%04d {"spec":{"a":{"site":"s","device":"d","port":"p0000"},"b":{"site":"s","device":"d","port":"p%04d"},"size":"3 m"}}`, n, n))
	}
	apply(t, s, lines...)
	return backend
}

// withoutTimes is all that documents are, except when they were written.
func withoutTimes(t testing.TB, backend store.Backend, model string) (lines []string) {
	t.Helper()
	s := openOn(t, backend, compile(t, model), store.Config{})
	for doc, err := range s.Documents(t.Context(), store.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint(doc.ID, doc.Kind, doc.Revision, doc.Schema, string(doc.Data), doc.References))
	}
	return lines
}

// TestMigrateInterrupted breaks a migration in batches off at each of its commits, before that is made and after: until the same one was
// repeated the database serves nothing, and then it is as if it had not been broken off.
func TestMigrateInterrupted(t *testing.T) {
	const cables = 700
	once := manyDevices(t, cables)
	plan, err := store.MigrateOffline(t.Context(), once, migrationFile(t), store.MigrateOptions{}, store.Config{})
	if err != nil {
		t.Fatal(allOf(err))
	}
	want := withoutTimes(t, once, migrateAfter)
	for _, done := range []bool{false, true} {
		for broken, over := int32(1), false; !over; broken++ {
			t.Run(fmt.Sprintf("commit %d, done: %t", broken, done), func(t *testing.T) {
				inner := manyDevices(t, cables)
				process := newMortal(inner, done)
				process.left.Store(broken)
				written := 0
				options := store.MigrateOptions{Written: func(n int) { written += n }}
				_, err := store.MigrateOffline(t.Context(), process, migrationFile(t), options, small)
				switch over = err == nil; {
				case over && broken < 6:
					t.Fatalf("a migration has %d commits only", broken-1)
				case !over && !errors.Is(err, errKilled):
					t.Fatal(allOf(err))
				}
				_, err = store.Open(t.Context(), inner, nil, store.Config{})
				if reason := dovetail.AsError(err); err != nil {
					if reason.Code != dovetail.CodeConflict || reason.Reason != store.ReasonMigrating || !strings.Contains(reason.Remedy, "dovetail schema migrate") {
						t.Fatalf("a database that is half migrated opens: %v", err)
					}
					if _, err := store.Open(t.Context(), inner, compile(t, migrateAfter), store.Config{}); dovetail.AsError(err).Reason != store.ReasonMigrating {
						t.Fatalf("it opens with the new ref-schema: %v", err)
					}
					for _, other := range []store.MigrationFile{
						{Name: "other.yaml", Text: []byte("steps: [{drop: {kind: cable, member: spec.a}}]"), Next: compile(t, migrateAfter)},
						{Name: "other.yaml", Text: []byte(migrateSteps), Next: compile(t, migrateAfter+"  - name: rack\n")},
					} {
						if _, err := store.MigrateOffline(t.Context(), inner, other, store.MigrateOptions{}, small); dovetail.AsError(err).Reason != store.ReasonMigrating {
							t.Fatalf("another migration: %v", err)
						}
					}
				}
				if !over {
					written = 0
					var said store.Migrated
					options.Planned = func(p store.Migrated) { said = p }
					again, err := store.MigrateOffline(t.Context(), inner, migrationFile(t), options, small)
					switch {
					case dovetail.CodeOf(err) == dovetail.CodeInvalid && isMigrated(t, inner): // the last commit was made, and not answered
					case err != nil:
						t.Fatal(allOf(err))
					case fmt.Sprint(*again) != fmt.Sprint(*plan) || fmt.Sprint(said) != fmt.Sprint(*plan) || written != plan.Documents:
						t.Errorf("it did %+v, said %+v and wrote %d, want %+v", again, said, written, plan)
					}
				}
				if got := withoutTimes(t, inner, migrateAfter); strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Fatalf("after commit %d there are other documents", broken)
				}
				s := openOn(t, inner, nil, store.Config{})
				requireClean(t, s)
				if _, err := s.Apply(t.Context(), ops(t, `create site/s/host/e {"spec":{"serial":1}}`), store.Options{}); dovetail.CodeOf(err) != dovetail.CodeConflict {
					t.Errorf("a unique value is taken twice: %v", err)
				}
				for v, err := range s.History(t.Context(), "site/s/host/d") {
					if err != nil || v.Renamed != "site/s/device/d" {
						t.Errorf("the history has %s %s, %v", v.Op, v.Renamed, err)
					}
				}
			})
		}
	}
}

// isMigrated reports whether the new ref-schema is in force.
func isMigrated(t testing.TB, backend store.Backend) bool {
	t.Helper()
	model, err := store.StoredModel(t.Context(), backend)
	return err == nil && model.Hash() == compile(t, migrateAfter).Hash()
}

// What is too large for a transaction is refused where others use the store, and before anything is written.
func TestLargeMigrationRefused(t *testing.T) {
	const swap = "steps: [{rename: {element: a, to: b}}, {rename: {element: b, to: a}}]"
	t.Run("on a server", func(t *testing.T) {
		s := openWith(t, migrateBefore, small)
		apply(t, s, devices...)
		m := parseMigration(t, s, migrateSteps, migrateAfter)
		for _, dryRun := range []bool{true, false} {
			if _, err := s.Migrate(t.Context(), m, store.MigrateOptions{DryRun: dryRun}); dovetail.CodeOf(err) != dovetail.CodeTooLarge || !strings.Contains(allOf(err), "--store") {
				t.Errorf("answered %v", allOf(err))
			}
		}
		if got := idsOf(t, s); got != devicesBefore {
			t.Errorf("there is %s", got)
		}
	})
	for _, config := range []store.Config{{}, small} {
		t.Run(fmt.Sprint("swapped ids, limit ", config.MaxMigration), func(t *testing.T) {
			backend := newBackend(t)
			const both = "resources: [{name: a}, {name: b}]"
			s := openOn(t, backend, compile(t, both), store.Config{})
			apply(t, s, `create a/x {"spec":{"was":"a"}}`, `create b/x {"spec":{"was":"b"}}`)
			file := store.MigrationFile{Name: "swap.yaml", Text: []byte(swap), Next: compile(t, both)}
			_, err := store.MigrateOffline(t.Context(), backend, file, store.MigrateOptions{}, config)
			if config.MaxMigration > 0 {
				if dovetail.CodeOf(err) != dovetail.CodeTooLarge || !strings.Contains(allOf(err), "migrate twice") {
					t.Errorf("answered %v", allOf(err))
				}
				requireClean(t, s)
				return
			}
			if err != nil {
				t.Fatal(allOf(err))
			}
			if got := dataOf(t, s); got["a/x"] != `{"spec":{"was":"b"}}` || got["b/x"] != `{"spec":{"was":"a"}}` {
				t.Errorf("there is %v", got)
			}
		})
	}
}
