package sealing

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// BenchmarkBackend shows what the wrapper costs kinds that are not sensitive, and those that are.
func BenchmarkBackend(b *testing.B) {
	for _, way := range []string{"bare", "not sensitive", "sensitive"} {
		inner, err := bolt.Open(filepath.Join(b.TempDir(), "x.db"), bolt.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = inner.Close() })
		backend := store.Backend(inner)
		kind := "app"
		if way != "bare" {
			backend = New(inner, Options{Keys: mainKey(b)})
		}
		if way == "sensitive" {
			kind = store.IdempotencyKind
		}
		const documents = 1000
		doc := func(i int) *dovetail.Document {
			return &dovetail.Document{ID: dovetail.ID(fmt.Sprintf("%s/d%04d", kind, i%documents)), Kind: kind, UID: "u", Revision: 1,
				Data: []byte(`{"metadata":{"name":"d","labels":{"a":"b"}},"spec":{"replicas":3,"image":"registry.example.org/app:1.2.3"}}`)}
		}
		txn := store.Txn{}
		for i := range documents {
			txn.Puts = append(txn.Puts, doc(i))
		}
		if err := backend.Commit(b.Context(), txn); err != nil {
			b.Fatal(err)
		}
		b.Run("get/"+way, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := backend.Get(b.Context(), doc(i).ID); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("list 1000/"+way, func(b *testing.B) {
			for b.Loop() {
				for _, err := range backend.List(b.Context(), store.Query{Kind: kind}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run("put/"+way, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if err := backend.Commit(b.Context(), store.Txn{Puts: []*dovetail.Document{doc(i)}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
