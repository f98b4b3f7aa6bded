package kv

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// writeFile makes a closed database with n entries and returns its path.
func writeFile(t *testing.T, n int) string {
	t.Helper()
	db := openTemporary(t, options())
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%05d=%s", i, strings.Repeat("v", 100))
	}
	write(t, db, all...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return db.path
}

// TestOpenRefuses opens what is no store: the error is clear, the file as it was.
func TestOpenRefuses(t *testing.T) {
	write := func(t *testing.T, content []byte) string {
		path := filepath.Join(t.TempDir(), "kv.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rewrite := func(t *testing.T, change func(*bbolt.Tx) error) string {
		path := writeFile(t, 3)
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Update(change), db.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	truncated := func(t *testing.T, part float64) string {
		path := writeFile(t, 300)
		file, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		var used int64
		err = file.View(func(tx *bbolt.Tx) error { used = tx.Size(); return nil })
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, int64(part*float64(used))); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cases := []struct {
		name string
		path func(*testing.T) string
		code dovetail.Code
		says string
	}{
		{"text", func(t *testing.T) string { return write(t, []byte("kind: Project\n")) }, dovetail.CodeCorrupt, "is not a store"},
		{"zeros", func(t *testing.T) string { return write(t, make([]byte, 1<<20)) }, dovetail.CodeCorrupt, "is not a store"},
		{"noise", func(t *testing.T) string {
			noise := make([]byte, 1<<18)
			random := rand.NewChaCha8([32]byte{1})
			_, _ = random.Read(noise) // never fails
			return write(t, noise)
		}, dovetail.CodeCorrupt, "is not a store"},
		{"cut to a third", func(t *testing.T) string { return truncated(t, 0.3) }, dovetail.CodeCorrupt, ""},
		{"cut to one page", func(t *testing.T) string { return truncated(t, 0.01) }, dovetail.CodeCorrupt, ""},
		{"a folder", func(t *testing.T) string { return t.TempDir() }, dovetail.CodeInvalid, "is a folder"},
		{"below a file", func(t *testing.T) string { return filepath.Join(write(t, []byte("x")), "kv.db") }, dovetail.CodeUnavailable, "not a directory"},
		{"another program's", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "other.db")
			db, err := bbolt.Open(path, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			err = db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err })
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			return path
		}, dovetail.CodeInvalid, "another program"},
		{"a newer format", func(t *testing.T) string {
			return rewrite(t, func(tx *bbolt.Tx) error { return tx.Bucket(ownBucket).Put(formatKey, []byte("7.7")) })
		}, dovetail.CodeInvalid, `the format "7.7"`},
		{"without a bucket", func(t *testing.T) string {
			return rewrite(t, func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("blue")) })
		}, dovetail.CodeCorrupt, "is damaged"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := c.path(t)
			before, _ := os.ReadFile(path)
			for _, readOnly := range []bool{false, true} {
				o := options()
				o.ReadOnly = readOnly
				b, err := Open(path, o)
				wantCode(t, "Open", err, c.code)
				if err == nil {
					b.Close()
				} else if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
					t.Errorf("Open says %q, want the path and %q", err, c.says)
				}
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestInUse opens a database that is open already, as a second process does.
func TestInUse(t *testing.T) {
	b := openTemporary(t, options())
	for _, readOnly := range []bool{false, true} {
		o := options()
		o.ReadOnly, o.LockTimeout = readOnly, time.Millisecond
		_, err := Open(b.path, o)
		wantCode(t, "Open", err, dovetail.CodeUnavailable)
		if err != nil && !strings.Contains(err.Error(), b.path+" is in use by another process") {
			t.Errorf("Open says %q", err)
		}
	}
	write(t, b, "a=1")
}

// TestCreate makes a store in folders that are not there, and leaves nothing else behind.
func TestCreate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	b := mustOpen(t, filepath.Join(folder, "kv.db"), options())
	write(t, b, "a=1")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if info, _ := entries[0].Info(); info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
}

// TestEmptyFile takes a file without content, as `touch` makes it, for a new store.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := mustOpen(t, path, options())
	defer b.Close()
	write(t, b, "a=1")
}

// TestOpenNothing does not make what is opened for reading only.
func TestOpenNothing(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "folder", "kv.db")
	o := options()
	o.ReadOnly = true
	_, err := Open(absent, o)
	wantCode(t, "Open", err, dovetail.CodeUnavailable)
	if _, err := os.Stat(filepath.Dir(absent)); err == nil {
		t.Error("a folder was made")
	}
}
