package bolt

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// writeStore makes a closed store with n documents and returns its path.
func writeStore(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	b := mustOpen(t, path, Options{})
	for i := range n {
		commit(t, b, store.Txn{Puts: []*dovetail.Document{document(dovetail.ID("project/p").Child("app", strings.Repeat("x", i%50+1)+string(rune('a'+i%26))),
			dovetail.Reference{ID: "cluster/c"})}})
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOpenRefuses opens what is no store: the error is clear, the file as it was.
func TestOpenRefuses(t *testing.T) {
	write := func(t *testing.T, content []byte) string {
		path := filepath.Join(t.TempDir(), "store.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rewrite := func(t *testing.T, change func(*bbolt.Tx) error) string {
		path := writeStore(t, 3)
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
		path := writeStore(t, 300)
		b := mustOpen(t, path, Options{ReadOnly: true})
		used := size(t, b)
		if err := b.Close(); err != nil {
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
			random.Read(noise)
			return write(t, noise)
		}, dovetail.CodeCorrupt, "is not a store"},
		{"cut to a third", func(t *testing.T) string { return truncated(t, 0.3) }, dovetail.CodeCorrupt, ""},
		{"cut to one page", func(t *testing.T) string { return truncated(t, 0.01) }, dovetail.CodeCorrupt, ""},
		{"a folder", func(t *testing.T) string { return t.TempDir() }, dovetail.CodeInvalid, "is a folder"},
		{"below a file", func(t *testing.T) string { return filepath.Join(write(t, []byte("x")), "store.db") }, dovetail.CodeUnavailable, "not a directory"},
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
			return rewrite(t, func(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Put(formatKey, []byte("7")) })
		}, dovetail.CodeInvalid, `the format "7"`},
		{"without a bucket", func(t *testing.T) string {
			return rewrite(t, func(tx *bbolt.Tx) error { return tx.DeleteBucket(referrersBucket) })
		}, dovetail.CodeCorrupt, "is damaged"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := c.path(t)
			before, _ := os.ReadFile(path)
			for _, readOnly := range []bool{false, true} {
				b, err := Open(path, Options{ReadOnly: readOnly})
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

// TestDamagedPages overwrites pages of a good store with noise: nothing panics, and what is damaged
// is either refused as such or whole.
func TestDamagedPages(t *testing.T) {
	good := writeStore(t, 400)
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	corrupt := 0
	for range 25 {
		damaged := bytes.Clone(content)
		for range 1 + random.IntN(4) {
			const page = 4096
			at := page * (2 + random.IntN(len(damaged)/page-2))
			for i := range page {
				damaged[at+i] = byte(random.Uint32())
			}
		}
		path := filepath.Join(t.TempDir(), "store.db")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if exercise(t, path) {
			corrupt++
		}
	}
	if corrupt == 0 {
		t.Error("no damage was noticed")
	}
}

// exercise uses every method of a damaged store, and says whether the damage was noticed.
func exercise(t *testing.T, path string) (noticed bool) {
	allow := func(what string, err error) {
		switch code := dovetail.CodeOf(err); code {
		case "", dovetail.CodeNotFound, dovetail.CodeExists, dovetail.CodeUnknown, dovetail.CodeExpired:
		case dovetail.CodeCorrupt:
			noticed = true
		default:
			t.Errorf("%s: code %s: %v", what, code, err)
		}
	}
	b, err := Open(path, Options{})
	allow("Open", err)
	if err != nil {
		return noticed
	}
	for _, kind := range []string{"", "kind"} {
		for d, err := range b.List(t.Context(), store.Query{Kind: kind}) {
			allow("List", err)
			if err == nil && (d.UID != "uid" || d.Revision != 1) {
				t.Errorf("List gives %+v", d)
			}
		}
	}
	_, err = b.Referrers(t.Context(), "cluster/c", "", 0)
	allow("Referrers", err)
	for _, repair := range []bool{false, true} {
		for finding, err := range b.Check(t.Context(), repair) {
			allow("Check", err)
			noticed = noticed || err == nil && finding.Problem != ""
		}
	}
	allow("Commit", b.Commit(t.Context(), create("project/new")))
	b.Close()
	return noticed
}

// TestInUse opens a store that is open already, as a second process does.
func TestInUse(t *testing.T) {
	b := openTemporary(t, Options{})
	for _, readOnly := range []bool{false, true} {
		_, err := Open(b.path, Options{ReadOnly: readOnly, LockTimeout: time.Millisecond})
		wantCode(t, "Open", err, dovetail.CodeUnavailable)
		if err != nil && !strings.Contains(err.Error(), b.path+" is in use by another process") {
			t.Errorf("Open says %q", err)
		}
	}
	commit(t, b, create("project/p"))
}

func TestReadOnly(t *testing.T) {
	path := writeStore(t, 100)
	before, _ := os.ReadFile(path)
	var open []*Backend
	for range 2 { // several at once
		open = append(open, mustOpen(t, path, Options{ReadOnly: true}))
	}
	for _, b := range open {
		if d, err := b.Get(t.Context(), "project/p/app/xa"); err != nil || d.UID != "uid" {
			t.Errorf("Get: %v, %v", d, err)
		}
		wantCode(t, "Ping", b.Ping(t.Context()), "")
		wantCode(t, "Commit", b.Commit(t.Context(), create("project/q")), dovetail.CodeUnavailable)
		for finding, err := range b.Check(t.Context(), true) {
			t.Errorf("Check: %+v, %v", finding, err)
		}
	}
	_, err := Open(path, Options{LockTimeout: time.Millisecond})
	wantCode(t, "Open for writing", err, dovetail.CodeUnavailable)
	for _, b := range open {
		if err := b.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}

	absent := filepath.Join(t.TempDir(), "folder", "store.db")
	_, err = Open(absent, Options{ReadOnly: true})
	wantCode(t, "Open of nothing", err, dovetail.CodeUnavailable)
	if _, err := os.Stat(filepath.Dir(absent)); err == nil {
		t.Error("a folder was made")
	}
}

// TestCreate makes a store in folders that are not there, and leaves nothing else behind.
func TestCreate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	b := mustOpen(t, filepath.Join(folder, "store.db"), Options{})
	commit(t, b, create("project/p"))
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
	path := filepath.Join(t.TempDir(), "store.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := mustOpen(t, path, Options{})
	defer b.Close()
	commit(t, b, create("project/p"))
}
