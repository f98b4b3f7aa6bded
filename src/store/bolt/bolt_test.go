package bolt

import (
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func mustOpen(tb testing.TB, path string, options Options) *Backend {
	tb.Helper()
	b, err := Open(path, options)
	if err != nil {
		tb.Fatalf("Open: %v", err)
	}
	return b
}

func commit(tb testing.TB, b store.Backend, txn store.Txn) {
	tb.Helper()
	if err := b.Commit(tb.Context(), txn); err != nil {
		tb.Fatalf("Commit: %v", err)
	}
}

// change changes the file behind the backend's back.
func change(t *testing.T, b *Backend, change func(tx *bbolt.Tx) error) {
	t.Helper()
	if err := b.db.Update(change); err != nil {
		t.Fatal(err)
	}
}

// corruptIndexes breaks both indexes in every way that Check knows of.
func corruptIndexes(t *testing.T, b store.Backend) {
	change(t, b.(*Backend), func(tx *bbolt.Tx) error {
		kinds, referrers := tx.Bucket(kindsBucket), tx.Bucket(referrersBucket)
		for _, bucket := range []*bbolt.Bucket{kinds, referrers} {
			first, _ := bucket.Cursor().First()
			if err := bucket.Delete(first); err != nil {
				return err
			}
			for _, key := range [][]byte{
				indexKey("app", "project/absent/app/a"),
				indexKey("cluster/c1", "project/p1"),
				indexKey("project/p1", "project/p1"),
				indexKey("other", "project/p1"),
				[]byte("no separator"),
			} {
				if err := bucket.Put(key, strongLink); err != nil {
					return err
				}
			}
		}
		// One entry of the right documents with the wrong strength.
		key := referrerKey("cluster/c1", dovetail.ID("project/p1/app/000005"))
		return referrers.Put(key, weakLink)
	})
}

func reopen(t *testing.T, b *Backend) *Backend {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return mustOpen(t, b.path, b.options)
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
