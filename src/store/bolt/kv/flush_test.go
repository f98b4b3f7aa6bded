package kv

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// awaitFlush returns when nothing is frozen.
func awaitFlush(db *DB) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for db.state.Load().frozen != nil {
		db.flushed.Wait()
	}
}

// TestFlushFails lets the file be unwritable for a while: writes go on into the log, until that
// would take too much memory; when it can be written again all is there.
func TestFlushFails(t *testing.T) {
	db := openTemporary(t, tiny())
	allow := make(chan struct{})
	db.commit = func(tx *bbolt.Tx) error {
		select {
		case <-allow:
			return tx.Commit()
		default:
			tx.Rollback()
			return syscall.ENOSPC
		}
	}
	var want []string
	for {
		w := fmt.Sprintf("key%03d=%s", len(want), strings.Repeat("v", 20))
		if err := tryWrite(db, w); err != nil {
			wantCode(t, "a write too many", err, dovetail.CodeUnavailable)
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "disk is full") {
				t.Errorf("it says %q", err)
			}
			break
		}
		want = append(want, w)
	}
	if n := len(want); n < 10 || n > 50 {
		t.Errorf("%d writes were taken before the limit", n)
	}
	wantContents(t, db, want...)
	wantCode(t, "Health", db.Health(), dovetail.CodeUnavailable)

	close(allow)
	awaitFlush(db)
	wantCode(t, "Health, well again", db.Health(), "")
	write(t, db, "z=1")
	db = reopen(t, db, tiny())
	defer db.Close()
	wantContents(t, db, append(want, "z=1")...)
}

// TestCloseWithoutSpace cannot flush at the end: the log keeps all for the next time.
func TestCloseWithoutSpace(t *testing.T) {
	db := openTemporary(t, options())
	write(t, db, "a=1")
	db.commit = func(tx *bbolt.Tx) error { tx.Rollback(); return syscall.ENOSPC }
	wantCode(t, "Close", db.Close(), dovetail.CodeUnavailable)
	db = mustOpen(t, db.path, options())
	defer db.Close()
	wantContents(t, db, "a=1")
}

// TestFlushUncertain lets bbolt report a failure after its header is written: then pages that the
// disk's state needs may be written over by the next transaction, so there must be none.
func TestFlushUncertain(t *testing.T) {
	db := openTemporary(t, tiny())
	commits := 0
	db.commit = func(tx *bbolt.Tx) error {
		commits++
		return errors.Join(tx.Commit(), syscall.EIO)
	}
	for i := 0; db.broken.Load() == nil; i++ {
		if err := tryWrite(db, fmt.Sprintf("key%d=1", i)); err != nil {
			wantCode(t, "a write after it", err, dovetail.CodeUnavailable)
		}
	}
	wantCode(t, "the next write", tryWrite(db, "b=1"), dovetail.CodeUnavailable)
	wantCode(t, "Close", db.Close(), dovetail.CodeUnavailable)
	if commits != 1 {
		t.Errorf("there were %d commits", commits)
	}
	db = mustOpen(t, db.path, options())
	defer db.Close()
	if got := contents(t, db, red); len(got) == 0 {
		t.Error("nothing is there")
	}
}

// TestFlushPanics lets bbolt panic, as it does over a damaged file.
func TestFlushPanics(t *testing.T) {
	db := openTemporary(t, tiny())
	db.commit = func(*bbolt.Tx) error { panic("page 7 already freed") }
	for i := 0; db.broken.Load() == nil; i++ {
		if err := tryWrite(db, fmt.Sprintf("key%d=1", i)); err != nil {
			wantCode(t, "a write after it", err, dovetail.CodeCorrupt)
		}
	}
	wantCode(t, "the next write", tryWrite(db, "b=1"), dovetail.CodeCorrupt)
	if got := contents(t, db, red); len(got) == 0 {
		t.Error("nothing can be read")
	}
	wantCode(t, "Close", db.Close(), dovetail.CodeUnavailable)
	db.live.size = overflow * db.options.TableSize
	wantCode(t, "a write that waited for the flush", db.makeRoom(), dovetail.CodeCorrupt)
}

// TestFlushChunks flushes a table of several chunks, and fails between two of them.
func TestFlushChunks(t *testing.T) {
	db := openTemporary(t, options())
	const n = 2*chunkEntries + 100
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%06d=v", i)
	}
	write(t, db, all...)
	commits := 0
	db.commit = func(tx *bbolt.Tx) error {
		if commits++; commits == 2 {
			tx.Rollback()
			return syscall.ENOSPC
		}
		return tx.Commit()
	}
	wantCode(t, "Close", db.Close(), dovetail.CodeUnavailable)
	db = mustOpen(t, db.path, options())
	defer db.Close()
	if got := len(contents(t, db, red)); got != n {
		t.Errorf("%d of %d entries are there", got, n)
	}
}

func TestClosed(t *testing.T) {
	db := openTemporary(t, options())
	write(t, db, "a=1")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "View", db.View(func(*View) error { return nil }), dovetail.CodeUnavailable)
	wantCode(t, "a write", tryWrite(db, "b=1"), dovetail.CodeUnavailable)
	if err := db.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}
