package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// devices is what the tests with several processes migrate.
var devices = []string{"create site/s", `create site/s/device/d {"spec":{"serial":1}}`, "create site/s/device/d/port/p",
	`create cable/c {"spec":{"a":{"site":"s","device":"d","port":"p"},"b":{"site":"s","device":"d","port":"p"}}}`}

const (
	devicesBefore = "[cable/c site/s site/s/device/d site/s/device/d/port/p]"
	devicesAfter  = "[cable/c site/s site/s/host/d site/s/host/d/port/p]"
)

func parseMigration(t testing.TB, s *store.Store, steps, next string) *store.Migration {
	t.Helper()
	m, err := store.ParseMigration(store.MigrationFile{Name: "migration.yaml", Text: []byte(steps), Next: compile(t, next)}, s.Model())
	if err != nil {
		t.Fatal(allOf(err))
	}
	return m
}

func idsOf(t testing.TB, s *store.Store) string {
	t.Helper()
	var ids []dovetail.ID
	for doc, err := range s.Documents(context.Background(), store.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, doc.ID)
	}
	return fmt.Sprint(ids)
}

// A write that another process planned before the migration, and that reaches the database after it, is refused and planned again, under
// the next ref-schema.
func TestMigrateInCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, members := newCluster(t, 2)
		changer, other := members[0].open(t, migrateBefore, quick), members[1].open(t, migrateBefore, quick)
		apply(t, changer, devices...)
		m := parseMigration(t, changer, migrateSteps, migrateAfter)
		plan, err := changer.Migrate(t.Context(), m, store.MigrateOptions{DryRun: true})
		if err != nil {
			t.Fatal(allOf(err))
		}
		answer := make(chan error, 1)
		resume := members[1].pauseAt(func(txn store.Txn) bool { return txn.Before != nil })
		go func() {
			_, err := other.Put(t.Context(), op(t, "put site/s/device/e {}"))
			answer <- err
		}()
		synctest.Wait() // until the write is on its way
		done, err := changer.Migrate(t.Context(), m, store.MigrateOptions{})
		if err != nil {
			t.Fatal(allOf(err))
		}
		close(resume)
		if err := <-answer; dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), "device") || c.refused.Load() != 1 {
			t.Errorf("the paused write: %v, %d were too late", err, c.refused.Load())
		}
		if done.DryRun = true; fmt.Sprint(done) != fmt.Sprint(plan) {
			t.Errorf("planned %+v, done %+v", plan, done)
		}
		if got := idsOf(t, other); got != devicesAfter || other.Model().Hash() != m.Next().Hash() {
			t.Errorf("the other process sees %s", got)
		}
		apply(t, other, "create site/s/host/e")
		requireClean(t, other)
	})
}

// What is refused leaves no announcement: others write at once.
func TestRefusedMigrationInCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, members := newCluster(t, 2)
		changer, other := members[0].open(t, migrateBefore, quick), members[1].open(t, migrateBefore, quick)
		apply(t, changer, devices...)
		m := parseMigration(t, changer, migrateSteps, migrateAfter)
		// The document that stands in the way is written when the migration was checked, and waits for the leases.
		wrote := make(chan error, 1)
		resume := members[0].pauseAt(func(store.Txn) bool { return true })
		go func() {
			synctest.Wait()
			_, err := other.Put(t.Context(), op(t, "put cable/bad {}"))
			wrote <- err
			close(resume)
		}()
		_, err := changer.Migrate(t.Context(), m, store.MigrateOptions{})
		if wroteErr := <-wrote; wroteErr != nil {
			t.Fatal(wroteErr)
		}
		if !strings.Contains(allOf(err), "must refer to a port") {
			t.Fatalf("the migration: %v", allOf(err))
		}
		began := time.Now()
		apply(t, other, "create site/t")
		if waited := time.Since(began); waited > quick.Lease {
			t.Errorf("a write waited for %v", waited)
		}
		requireClean(t, other)
	})
}

// A process that dies at any commit of a migration leaves the state before it or after it, and others go on.
func TestKilledMigrationInCluster(t *testing.T) {
	for _, answers := range []bool{false, true} {
		for broken, over := int32(1), false; !over; broken++ {
			t.Run(fmt.Sprintf("commit %d, done: %t", broken, answers), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					_, members := newCluster(t, 2)
					apply(t, members[0].open(t, migrateBefore, quick), devices...)
					process := newMortal(members[0], answers)
					changer := openOn(t, process, nil, store.Config{Agreement: quick})
					other := members[1].open(t, migrateBefore, quick)
					m := parseMigration(t, changer, migrateSteps, migrateAfter)
					process.left.Store(broken)
					_, err := changer.Migrate(t.Context(), m, store.MigrateOptions{})
					switch over = err == nil; {
					case over && broken < 3:
						t.Fatalf("a migration has %d commits only", broken-1)
					case !over && !errors.Is(err, errKilled):
						t.Fatal(allOf(err))
					}
					process.left.Store(0) // it never comes back
					began := time.Now()
					apply(t, other, "create site/t")
					if waited := time.Since(began); waited > 5*quick.Lease+2*quick.Margin {
						t.Errorf("a write waited for %v", waited)
					}
					apply(t, other, "delete site/t")
					want := devicesBefore
					if other.Model().Hash() == m.Next().Hash() {
						want = devicesAfter
					}
					if got := idsOf(t, other); got != want || over && want != devicesAfter {
						t.Errorf("killed at commit %d: %s", broken, got)
					}
					requireClean(t, other)
				})
			})
		}
	}
}

// mortal is the connection of a process that dies at one of its commits: before that is made, or, before it is answered.
type mortal struct {
	store.Backend
	left atomic.Int32 // commits until it dies; 0 when it is dead, less for never
	done bool         // the last one is made
}

func newMortal(b store.Backend, done bool) *mortal {
	m := &mortal{Backend: b, done: done}
	m.left.Store(math.MinInt32)
	return m
}

func (m *mortal) Commit(ctx context.Context, txn store.Txn) error {
	for left := m.left.Load(); left >= 0; left = m.left.Load() {
		if left == 0 {
			return errKilled
		}
		if m.left.CompareAndSwap(left, left-1) {
			if left > 1 {
				break
			}
			if m.done {
				_ = m.Backend.Commit(ctx, txn)
			}
			return errKilled
		}
	}
	return m.Backend.Commit(ctx, txn)
}
