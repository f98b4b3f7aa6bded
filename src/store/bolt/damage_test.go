package bolt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// writeStore makes a closed store with n documents and returns its path.
func writeStore(t *testing.T, n int) string {
	t.Helper()
	b := openTemporary(t, Options{})
	var txn store.Txn
	for i := range n {
		txn.Puts = append(txn.Puts, document(dovetail.ID(fmt.Sprintf("project/p/app/%03d", i)), dovetail.Reference{ID: "cluster/c"}))
	}
	commit(t, b, txn)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return b.path
}

// TestDamagedPages overwrites pages of a good store with noise: nothing panics, and what is damaged
// is either refused as such or whole.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(writeStore(t, 400))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	corrupt := 0
	const rounds = 25
	for range rounds {
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

// exercise uses every method of a damaged store, and reports whether the damage was noticed.
func exercise(t *testing.T, path string) (noticed bool) {
	allow := func(what string, err error) {
		switch code := dovetail.CodeOf(err); code {
		case "", dovetail.CodeNotFound, dovetail.CodeExists, dovetail.CodeExpired:
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
	_, err = b.Referrers(t.Context(), []dovetail.ID{"cluster/c"}, "", 0)
	allow("Referrers", err)
	for _, repair := range []bool{false, true} {
		for finding, err := range b.Check(t.Context(), repair) {
			allow("Check", err)
			noticed = noticed || err == nil && finding.Problem != ""
		}
	}
	allow("Commit", b.Commit(t.Context(), create("project/new")))
	if err := b.Close(); err != nil { // what cannot be flushed stays in the log
		wantCode(t, "Close", err, dovetail.CodeUnavailable)
		noticed = true
	}
	return noticed
}

// TestReadOnly reads a store that several processes have open, and changes nothing.
func TestReadOnly(t *testing.T) {
	path := writeStore(t, 100)
	before, _ := os.ReadFile(path)
	for range 2 {
		b := mustOpen(t, path, Options{ReadOnly: true})
		defer b.Close()
		if d, err := b.Get(t.Context(), "project/p/app/007"); err != nil || d.UID != "uid" {
			t.Errorf("Get: %v, %v", d, err)
		}
		n := 0
		for _, err := range b.List(t.Context(), store.Query{Kind: "kind"}) {
			wantCode(t, "List", err, "")
			n++
		}
		if n != 100 {
			t.Errorf("List shows %d of 100 documents", n)
		}
		wantCode(t, "Ping", b.Ping(t.Context()), "")
		wantCode(t, "Commit", b.Commit(t.Context(), create("project/q")), dovetail.CodeUnavailable)
		wantCode(t, "a refused Commit", b.Commit(t.Context(), create("project/p/app/007")), dovetail.CodeUnavailable)
		for finding, err := range b.Check(t.Context(), true) {
			t.Errorf("Check: %+v, %v", finding, err)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}
