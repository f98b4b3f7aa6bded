package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestFullDisk fills the disk by commits: the first that does not fit is refused, all before it stay,
// and when there is space again the store goes on.
func TestFullDisk(t *testing.T) {
	smallInBubble(t, func(t *testing.T, folder string) {
		ballast := filepath.Join(folder, "ballast")
		// As much as the file may need for all that is in memory: a frozen table and a live one, each of up to overflow
		// times the size of a table, beside the pages that they take the place of.
		if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		b := mustOpen(t, filepath.Join(folder, "store.db"), Options{tableSize: 256 << 10})
		defer b.Close()
		var there []dovetail.ID
		for {
			d := document(dovetail.ID(fmt.Sprintf("project/p%06d", len(there))))
			d.Data = make([]byte, 50_000)
			err := b.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{d}})
			if err != nil {
				wantCode(t, "a commit on a full disk", err, dovetail.CodeUnavailable)
				if !strings.Contains(err.Error(), "the disk is full") {
					t.Errorf("the error says %q", err)
				}
				break
			}
			there = append(there, d.ID)
		}
		if len(there) < 10 {
			t.Fatalf("only %d documents fit", len(there))
		}
		fill(t, filepath.Join(folder, "rest"))
		wantDocuments(t, b, there)
		var e *dovetail.Error
		if err := b.Ping(t.Context()); !errors.As(err, &e) || e.Reason != dovetail.ReasonDiskFull {
			t.Errorf("got %v for a ping on a full disk", err)
		}

		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		clocktest.Advance(time.Second) // until the flusher has tried again
		if err := b.Ping(t.Context()); err != nil {
			t.Fatalf("there is space again: %v", err)
		}
		commit(t, b, create("project/q"))
		wantDocuments(t, b, append(there, "project/q"))
		if err := os.Remove(filepath.Join(folder, "rest")); err != nil { // closing may have more to write than the ballast took
			t.Fatal(err)
		}
		b = reopen(t, b)
		defer b.Close()
		wantDocuments(t, b, append(there, "project/q"))
	})
}

// TestDeleteOnFullDisk: when something else fills the disk, deletions fit into what the log took before, also in one
// group with what does not fit. That does not count as space; space that comes back does.
func TestDeleteOnFullDisk(t *testing.T) {
	memdir.Small(t, func(t *testing.T, folder string) {
		b := mustOpen(t, filepath.Join(folder, "store.db"), Options{})
		defer b.Close()
		for i := range 4 {
			commit(t, b, create(dovetail.ID(fmt.Sprint("project/p", i))))
		}
		rest := filepath.Join(folder, "rest")
		fill(t, rest)
		isFullPing := func(when string) {
			t.Helper()
			var e *dovetail.Error
			if err := b.Ping(t.Context()); !errors.As(err, &e) || e.Reason != dovetail.ReasonDiskFull {
				t.Errorf("got %v for a ping %s", err, when)
			}
		}
		large := document("project/large")
		large.Data = make([]byte, 4<<20)
		put := store.Txn{Puts: []*dovetail.Document{large}}
		wantCode(t, "a put on a full disk", b.Commit(t.Context(), put), dovetail.CodeUnavailable)
		isFullPing("on a full disk")
		var together sync.WaitGroup
		for range 3 {
			together.Go(func() { wantCode(t, "a put on a full disk", b.Commit(t.Context(), put), dovetail.CodeUnavailable) })
		}
		for i := range 3 {
			together.Go(func() {
				if err := b.Commit(t.Context(), store.Txn{Deletes: []dovetail.ID{dovetail.ID(fmt.Sprint("project/p", i))}}); err != nil {
					t.Errorf("a deletion on a full disk: %v", err)
				}
			})
		}
		together.Wait()
		isFullPing("after deletions, which leave the disk full")
		wantDocuments(t, b, []dovetail.ID{"project/p3"})
		if err := os.Remove(rest); err != nil {
			t.Fatal(err)
		}
		if err := b.Ping(t.Context()); err != nil {
			t.Errorf("a ping with space again: %v", err)
		}
		if err := b.Commit(t.Context(), put); err != nil {
			t.Error(err)
		}
	})
}

// TestFullDiskWhileListing has no room for the temporary file of a long list.
func TestFullDiskWhileListing(t *testing.T) {
	memdir.Small(t, func(t *testing.T, folder string) {
		b := mustOpen(t, filepath.Join(folder, "store.db"), Options{})
		defer b.Close()
		d := document("project/p")
		d.Data = make([]byte, 3<<20)
		commit(t, b, store.Txn{Puts: []*dovetail.Document{d}})
		if err := os.WriteFile(filepath.Join(folder, "ballast"), make([]byte, 2<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, err := range b.List(t.Context(), store.Query{}) {
			wantCode(t, "a long list", err, dovetail.CodeUnavailable)
		}
		if _, err := b.Get(t.Context(), "project/p"); err != nil {
			t.Error(err)
		}
	})
}

// smallInBubble runs a test on a small disk in a bubble of testing/synctest.
func smallInBubble(t *testing.T, test func(t *testing.T, folder string)) {
	memdir.Small(t, func(t *testing.T, folder string) {
		synctest.Test(t, func(t *testing.T) { test(t, folder) })
	})
}

// fill writes a file until there is no space left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
