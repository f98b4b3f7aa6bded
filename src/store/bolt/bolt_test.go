package bolt

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

func mustOpen(tb testing.TB, path string, options Options) *Backend {
	tb.Helper()
	b, err := Open(path, options)
	if err != nil {
		tb.Fatalf("Open: %v", err)
	}
	return b
}

func openTemporary(t *testing.T, options Options) *Backend {
	t.Helper()
	b := mustOpen(t, filepath.Join(memdir.New(t), "store.db"), options)
	t.Cleanup(func() { b.Close() })
	return b
}

func reopen(t *testing.T, b *Backend) *Backend {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return mustOpen(t, b.path, b.options)
}

func document(id dovetail.ID, references ...dovetail.Reference) *dovetail.Document {
	return &dovetail.Document{ID: id, Kind: "kind", UID: "uid", Revision: 1, References: references}
}

func put(ids ...dovetail.ID) store.Txn {
	var txn store.Txn
	for _, id := range ids {
		txn.Puts = append(txn.Puts, document(id))
	}
	return txn
}

func create(id dovetail.ID) store.Txn {
	txn := put(id)
	txn.Require = []store.Condition{{Test: store.Absent, ID: id}}
	return txn
}

func commit(tb testing.TB, b store.Backend, txn store.Txn) {
	tb.Helper()
	if err := b.Commit(tb.Context(), txn); err != nil {
		tb.Fatalf("Commit: %v", err)
	}
}

// change changes what is stored behind the backend's back.
func change(t *testing.T, b store.Backend, change func(*kv.Batch)) {
	t.Helper()
	if err := b.(*Backend).do(t.Context(), func(batch *kv.Batch) error { change(batch); return nil }); err != nil {
		t.Fatal(err)
	}
}

// corruptIndexes breaks both indexes in every way that Check knows of.
func corruptIndexes(t *testing.T, b store.Backend) {
	change(t, b, func(batch *kv.Batch) {
		for _, space := range []kv.Space{kinds, referrers, oldKinds, oldReferrers} {
			var first []byte
			for first = range batch.Scan(space, nil, nil) {
				break
			}
			batch.Delete(space, first)
			for _, key := range [][]byte{
				indexKey("app", "project/absent/app/a"),
				indexKey("cluster/c1", "project/p1"),
				indexKey("project/p1", "project/p1"),
				indexKey("other", "project/p1"),
				[]byte("no separator"),
			} {
				batch.Put(space, key, strongLink)
			}
		}
		// One entry of the right documents with the wrong strength.
		batch.Put(referrers, referrerKey("cluster/c1", "project/p1/app/000005"), weakLink)
	})
}

func wantCode(t *testing.T, what string, err error, want dovetail.Code) {
	t.Helper()
	if _, ok := err.(*dovetail.Error); dovetail.CodeOf(err) != want || err != nil && !ok {
		t.Errorf("%s: error %v of type %T, want code %q", what, err, err, want)
	}
}

// wantDocuments fails unless the store holds exactly these documents, in this order, in good order.
func wantDocuments(t *testing.T, b *Backend, want []dovetail.ID) {
	t.Helper()
	got := make([]dovetail.ID, 1) // pages, since long lists need space
	for more := true; more; {
		more = false
		for d, err := range b.List(t.Context(), store.Query{After: got[len(got)-1], Limit: 10}) {
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			got, more = append(got, d.ID), true
		}
	}
	got = got[1:]
	if !slices.Equal(got, want) {
		t.Errorf("the store holds %d documents, want %d:\n%v\n%v", len(got), len(want), got, want)
	}
	wantClean(t, b)
}

func wantClean(t *testing.T, b *Backend) {
	t.Helper()
	for finding, err := range b.Check(t.Context(), false) {
		t.Errorf("Check: %+v, %v", finding, err)
	}
}
