package bolt

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// TestCheckFindings breaks one thing at a time and sees what Check says of it.
func TestCheckFindings(t *testing.T) {
	documents := func() store.Txn {
		txn := put("cluster/c", "project/p")
		txn.Puts = append(txn.Puts, document("app/a", dovetail.Reference{ID: "cluster/c"}, dovetail.Reference{ID: "project/p", Weak: true}))
		return txn
	}
	cases := []struct {
		name    string
		spoil   func(*kv.Batch)
		want    store.Finding // without the message
		repairs bool
	}{
		{"no entry of the kind", func(batch *kv.Batch) { batch.Delete(kinds, kindKey("kind", "app/a")) },
			store.Finding{Problem: "index-missing", ID: "app/a"}, true},
		{"no entry of the referrer", func(batch *kv.Batch) { batch.Delete(referrers, referrerKey("cluster/c", "app/a")) },
			store.Finding{Problem: "index-missing", ID: "app/a", Other: "cluster/c"}, true},
		{"weak instead of strong", func(batch *kv.Batch) {
			batch.Put(referrers, referrerKey("cluster/c", "app/a"), weakLink)
		}, store.Finding{Problem: "index-missing", ID: "app/a", Other: "cluster/c"}, true},
		{"strong instead of weak", func(batch *kv.Batch) {
			batch.Put(referrers, referrerKey("project/p", "app/a"), strongLink)
		}, store.Finding{Problem: "index-missing", ID: "app/a", Other: "project/p"}, true},
		{"an entry of another kind", func(batch *kv.Batch) { batch.Put(kinds, kindKey("other", "app/a"), present) },
			store.Finding{Problem: "index-extra", ID: "app/a"}, true},
		{"an entry of nothing", func(batch *kv.Batch) { batch.Put(kinds, kindKey("kind", "app/b"), present) },
			store.Finding{Problem: "index-extra", ID: "app/b"}, true},
		{"a referrer that does not refer", func(batch *kv.Batch) {
			batch.Put(referrers, referrerKey("app/a", "cluster/c"), strongLink)
		}, store.Finding{Problem: "index-extra", ID: "cluster/c", Other: "app/a"}, true},
		{"a referrer that is not there", func(batch *kv.Batch) {
			batch.Put(referrers, referrerKey("cluster/c", "app/b"), strongLink)
		}, store.Finding{Problem: "index-extra", ID: "app/b", Other: "cluster/c"}, true},
		{"its own referrer", func(batch *kv.Batch) {
			batch.Put(referrers, referrerKey("app/a", "app/a"), strongLink)
		}, store.Finding{Problem: "index-extra", ID: "app/a", Other: "app/a"}, true},
		{"a key of no form", func(batch *kv.Batch) { batch.Put(kinds, []byte("noise"), present) },
			store.Finding{Problem: "index-extra"}, true},
		{"a damaged document", func(batch *kv.Batch) { batch.Put(docs, []byte("app/a"), []byte("damaged")) },
			store.Finding{Problem: "undecodable", ID: "app/a"}, false},
		{"the last commit is missing", func(batch *kv.Batch) { batch.Delete(changes, sequenceKey(1)) },
			store.Finding{Problem: "log-damaged"}, false},
		{"a commit that cannot be read", func(batch *kv.Batch) { batch.Put(changes, sequenceKey(1), []byte("damaged")) },
			store.Finding{Problem: "log-damaged"}, false},
		{"bounds that cannot be read", func(batch *kv.Batch) { batch.Put(meta, logKey, []byte("damaged")) },
			store.Finding{Problem: "log-damaged"}, false},
		{"a later end than there is", func(batch *kv.Batch) { batch.Put(meta, logKey, bounds{first: 2, last: 524289, versions: 1}.encode()) },
			store.Finding{Problem: "log-damaged"}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := openTemporary(t, Options{})
			commit(t, b, documents())
			wantClean(t, b)
			change(t, b, c.spoil)
			for _, repair := range []bool{false, true} {
				want := c.want
				want.Repaired = repair && c.repairs
				var got []store.Finding
				for finding, err := range b.Check(t.Context(), repair) {
					if err != nil || finding.Message == "" {
						t.Errorf("%+v, %v", finding, err)
					}
					finding.Message = ""
					got = append(got, finding)
				}
				if !reflect.DeepEqual(slices.Compact(got), []store.Finding{want}) { // some are seen from two sides
					t.Errorf("repair=%v: found %+v, want %+v", repair, got, want)
				}
			}
			if c.repairs {
				wantClean(t, b)
			}
		})
	}
}

// TestCheckChunks has more defects, and more good entries, than one chunk holds.
func TestCheckChunks(t *testing.T) {
	b := openTemporary(t, Options{})
	const n = 2*chunkEntries + 500
	var txn store.Txn
	for i := range n {
		txn.Puts = append(txn.Puts, document(dovetail.ID(fmt.Sprintf("app/%05d", i)), dovetail.Reference{ID: "cluster/c"}))
	}
	commit(t, b, txn)
	change(t, b, func(batch *kv.Batch) {
		for i := range n {
			if i%2 == 0 {
				batch.Delete(kinds, kindKey("kind", txn.Puts[i].ID))
			}
			batch.Put(referrers, referrerKey("other", txn.Puts[i].ID), strongLink)
		}
	})
	for _, repair := range []bool{false, true} {
		problems := make(map[string]int)
		for finding, err := range b.Check(t.Context(), repair) {
			if err != nil {
				t.Fatal(err)
			}
			problems[finding.Problem]++
		}
		if problems["index-missing"] != n/2 || problems["index-extra"] != n {
			t.Errorf("repair=%v: found %v of %d and %d", repair, problems, n/2, n)
		}
	}
	wantClean(t, b)
}

// TestDamagedDocument meets a document that is not what was written, in every way.
func TestDamagedDocument(t *testing.T) {
	b := openTemporary(t, Options{})
	commit(t, b, put("project/p", "project/q"))
	change(t, b, func(batch *kv.Batch) { batch.Put(docs, []byte("project/q"), []byte("damaged")) })

	wantCode(t, "Get", errOf(b.Get(t.Context(), "project/q")), dovetail.CodeCorrupt)
	wantCode(t, "GetAll", errOf(b.GetAll(t.Context(), []dovetail.ID{"project/p", "project/q"})), dovetail.CodeCorrupt)
	var last error
	for _, last = range b.List(t.Context(), store.Query{}) {
	}
	wantCode(t, "List", last, dovetail.CodeCorrupt)
	head, _ := b.Head(t.Context())
	wantCode(t, "a refused creation", b.Commit(t.Context(), create("project/q")), dovetail.CodeCorrupt)
	both := put("project/q")
	both.Puts = append(both.Puts, document("project/r"))
	wantCode(t, "a replacement", b.Commit(t.Context(), both), dovetail.CodeCorrupt)
	wantCode(t, "a deletion", b.Commit(t.Context(), store.Txn{Deletes: []dovetail.ID{"project/p", "project/q"}}), dovetail.CodeCorrupt)
	if now, _ := b.Head(t.Context()); now != head {
		t.Error("refused transactions moved the head")
	}
	wantCode(t, "another document", errOf(b.Get(t.Context(), "project/p")), "")
	commit(t, b, create("project/s"))
}
