package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

func newBackend(t testing.TB) store.Backend {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(memdir.New(t), "restored.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { backend.Close() })
	return backend
}

func backupOf(t testing.TB, s *store.Store, at store.Cursor) *store.Backup {
	t.Helper()
	b, err := s.Backup(t.Context(), store.BackupOptions{At: string(at)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func restoration(b *store.Backup) store.Restoration {
	return store.Restoration{Backup: "b1", Sources: b.Sources, Documents: b.Documents}
}

// collected returns all elements of a sequence.
func collected[T any](t testing.TB, sequence iter.Seq2[T, error]) (all []T) {
	t.Helper()
	for one, err := range sequence {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// requireRestored restores a backup, and wants it to be the store of then.
func requireRestored(t testing.TB, b *store.Backup, want []*dovetail.Document) {
	t.Helper()
	backend := newBackend(t)
	result, err := store.Restore(context.Background(), backend, restoration(b), store.Config{})
	if err != nil {
		t.Fatalf("the backup of position %s does not restore: %v", b.Position, err)
	}
	s, err := store.Open(context.Background(), backend, compile(t, testSchema), store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if got := collected(t, s.Export(context.Background())); !reflect.DeepEqual(got, want) {
		t.Fatalf("restored were %d documents, or others, of %d", len(got), len(want))
	}
	requireClean(t, s)
	if result.Documents != len(want) || len(result.Findings) != 0 {
		t.Fatalf("%+v", result)
	}
}

// TestBackupUnderChain backs up and exports while one client creates node n, points the link at it, and deletes node n-1: no copy has
// a reference that leads nowhere.
func TestBackupUnderChain(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p/app/a0", `create project/p/profile/f {"spec":{"app":"a0"}}`)
	for n := range 300 {
		apply(t, s, fmt.Sprintf("create project/m%03d", n))
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			for _, line := range []string{fmt.Sprintf("create project/p/app/a%d", n), fmt.Sprintf(`put project/p/profile/f {"spec":{"app":"a%d"}}`, n), fmt.Sprintf("delete project/p/app/a%d", n-1)} {
				if _, err := s.Apply(context.Background(), ops(t, line), store.Options{}); err != nil {
					t.Errorf("%s: %v", line, err)
					return
				}
			}
		}
	})
	defer writer.Wait()
	defer close(stop)
	for range rounds.Of(8, 200) {
		b := backupOf(t, s, "")
		documents := collected(t, b.Documents)
		requireRestored(t, b, documents)
		other := openWith(t, testSchema, store.Config{})
		if _, err := other.Import(t.Context(), collected(t, s.Export(t.Context())), store.Options{}); err != nil {
			t.Fatalf("the export does not import: %v", err)
		}
	}
}

// TestBackupUnderRandomWrites backs up while two clients write at random: every backup restores, and is the store of its position.
func TestBackupUnderRandomWrites(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p0", "create project/p1", "create project/p2")
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for seed := range uint64(2) {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for {
				select {
				case <-stop:
					return
				default:
				}
				project, app := fmt.Sprintf("project/p%d", r.IntN(3)), fmt.Sprintf("a%d", r.IntN(5))
				line := []string{"create " + project + "/app/" + app, "delete " + project + "/app/" + app,
					fmt.Sprintf(`put %s/profile/f%d {"spec":{"app":"%s"}}`, project, r.IntN(5), app),
					fmt.Sprintf("delete %s/profile/f%d", project, r.IntN(5)), fmt.Sprintf(`put %s {"spec":{"n":%d}}`, project, r.IntN(99))}[r.IntN(5)]
				_, _ = s.Apply(context.Background(), ops(t, line), store.Options{}) // many are refused
			}
		})
	}
	defer writers.Wait()
	defer close(stop)
	var positions []store.Cursor
	var contents [][]*dovetail.Document
	for range rounds.Of(20, 200) {
		b := backupOf(t, s, "")
		want := collected(t, at(t, s, b.Position).Export(t.Context()))
		requireRestored(t, b, want)
		positions, contents = append(positions, b.Position), append(contents, want)
	}
	for n, position := range positions {
		if n%5 == 0 {
			requireRestored(t, backupOf(t, s, position), contents[n])
		}
	}
}

// TestRestoreInterrupted breaks a restore off behind each of its commits: until it was repeated the database serves nothing.
func TestRestoreInterrupted(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p/app/a")
	var lines []string
	for n := range 2500 {
		lines = append(lines, fmt.Sprintf(`create project/p/profile/f%04d {"spec":{"app":"a"}}`, n))
	}
	apply(t, s, lines...)
	b := backupOf(t, s, "")
	want := collected(t, s.Export(t.Context()))
	for broken := 1; ; broken++ {
		backend := &failing{Backend: newBackend(t), left: broken}
		_, err := store.Restore(t.Context(), backend, restoration(b), store.Config{})
		if err == nil {
			if broken < 5 {
				t.Fatalf("a restore has %d commits only", broken-1)
			}
			return
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		backend.left = -1
		if broken > 1 {
			_, err = store.Open(t.Context(), backend, compile(t, testSchema), store.Config{})
			e := dovetail.AsError(err)
			if err == nil || e.Code != dovetail.CodeConflict || e.Reason != store.ReasonRestoring || !strings.Contains(e.Remedy, "dovetail restore") {
				t.Fatalf("a database that is half restored opens: %v", err)
			}
			if _, err := store.StoredModel(t.Context(), backend); dovetail.AsError(err).Reason != store.ReasonRestoring {
				t.Fatalf("StoredModel: %v", err)
			}
			other := restoration(b)
			other.Backup = "b2"
			if _, err := store.Restore(t.Context(), backend, other, store.Config{}); dovetail.AsError(err).Reason != store.ReasonRestoring {
				t.Fatalf("another backup: %v", err)
			}
		}
		result, err := store.Restore(t.Context(), backend, restoration(b), store.Config{})
		if err != nil || result.Documents != len(want) {
			t.Fatalf("again after %d commits: %+v, %v", broken-1, result, err)
		}
		if stored := (broken - 2) * 1000; broken > 2 && result.Resumed != min(stored, len(want)) {
			t.Errorf("after %d commits %d documents were kept", broken-1, result.Resumed)
		}
		again := openOn(t, backend, compile(t, testSchema), store.Config{})
		if got := collected(t, again.Export(t.Context())); !reflect.DeepEqual(got, want) {
			t.Fatal("another store was restored")
		}
	}
}

var errKilled = errors.New("killed")

// failing is a backend whose commits fail from one on; -1 for never.
type failing struct {
	store.Backend
	left int
}

func (f *failing) Commit(ctx context.Context, txn store.Txn) error {
	if f.left == 0 {
		return errKilled
	}
	if f.left--; f.left == 0 {
		return errKilled
	}
	return f.Backend.Commit(ctx, txn)
}

// TestRestoreRefused keeps everything as it is.
func TestRestoreRefused(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p/app/a", `create project/p/profile/f {"spec":{"app":"a"}}`)
	b := backupOf(t, s, "")
	t.Run("not empty", func(t *testing.T) {
		_, err := store.Restore(t.Context(), s.Backend(), restoration(b), store.Config{})
		if dovetail.CodeOf(err) != dovetail.CodeConflict || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("%v", err)
		}
		requireClean(t, s)
	})
	t.Run("in use by servers", func(t *testing.T) {
		shared := sharing{newBackend(t)}
		if _, err := store.Open(t.Context(), shared, compile(t, testSchema), store.Config{}); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Restore(t.Context(), shared, restoration(b), store.Config{}); dovetail.CodeOf(err) != dovetail.CodeConflict {
			t.Errorf("%v", err)
		}
	})
	t.Run("opened, but empty, and of one process", func(t *testing.T) {
		backend := newBackend(t)
		if _, err := store.Open(t.Context(), backend, compile(t, "resources: [{name: other}]"), store.Config{}); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Restore(t.Context(), backend, restoration(b), store.Config{}); err != nil {
			t.Error(err)
		}
		if model, err := store.StoredModel(t.Context(), backend); err != nil || model.Hash() != b.Schema {
			t.Error(err)
		}
	})
	t.Run("findings", func(t *testing.T) {
		backend := newBackend(t)
		r := restoration(b)
		r.Documents = without(b.Documents, "project/p/app/a")
		result, err := store.Restore(t.Context(), backend, r, store.Config{})
		if dovetail.CodeOf(err) != dovetail.CodeCorrupt || len(result.Findings) != 1 {
			t.Fatalf("%+v, %v", result, err)
		}
		if _, err := store.StoredModel(t.Context(), backend); dovetail.AsError(err).Reason != store.ReasonRestoring {
			t.Errorf("the store serves: %v", err)
		}
		r.AllowFindings = true
		if result, err := store.Restore(t.Context(), backend, r, store.Config{}); err != nil || len(result.Findings) != 1 || result.Resumed != 2 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// sharing is a backend that several processes may open.
type sharing struct{ store.Backend }

func (s sharing) Capabilities() store.Capabilities {
	c := s.Backend.Capabilities()
	c.Exclusive = false
	return c
}

func without(documents iter.Seq2[*dovetail.Document, error], id dovetail.ID) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for doc, err := range documents {
			if (err != nil || doc.ID != id) && !yield(doc, err) {
				return
			}
		}
	}
}

// TestRestoreTakenOver starts a restore inside another one of the same backup: the earlier one loses the database.
func TestRestoreTakenOver(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/q")
	b, backend := backupOf(t, s, ""), newBackend(t)
	r := restoration(b)
	r.Documents = func(yield func(*dovetail.Document, error) bool) {
		if _, err := store.Restore(t.Context(), backend, restoration(b), store.Config{}); err != nil {
			t.Errorf("the later restore: %v", err)
		}
		b.Documents(yield)
	}
	if _, err := store.Restore(t.Context(), backend, r, store.Config{}); dovetail.AsError(err).Reason != store.ReasonFenced {
		t.Errorf("the earlier restore: %v", err)
	}
}

// TestBackupOfAnotherSchema backs up a position from before the ref-schema was replaced.
func TestBackupOfAnotherSchema(t *testing.T) {
	s := open(t, "resources: [{name: a}, {name: b}]")
	apply(t, s, "create a/1", "create b/1")
	before := head(t, s)
	apply(t, s, "delete b/1")
	later := head(t, s)
	setModel(t, s, compile(t, "resources: [{name: a}]"))
	if _, err := s.Backup(t.Context(), store.BackupOptions{At: string(before)}); dovetail.CodeOf(err) != dovetail.CodeSchema || len(dovetail.AsError(err).Errors) != 1 {
		t.Errorf("%v", err)
	}
	b := backupOf(t, s, later)
	if all := collected(t, b.Documents); len(all) != 1 || b.Schema != s.Model().Hash() || b.Position != later || time.Since(b.Time) > time.Hour {
		t.Errorf("%d documents, %+v", len(all), b)
	}
	if _, err := s.Backup(t.Context(), store.BackupOptions{At: "never"}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("%v", err)
	}
}
