package mongo

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

func BenchmarkBackend(b *testing.B) {
	storetest.Benchmarks(b, func(b *testing.B) store.Backend { return mustOpen(b, freshURI(b)) })
}

// BenchmarkAgainstRaw does the same work in turns, through the backend and straight on a collection with
// the same indexes: creations against insertOne of the same documents, which looks at nothing, and reads
// against findOne. It reports both rates, and the backend's as a multiple of the other.
func BenchmarkAgainstRaw(b *testing.B) {
	const size, turn = 1000, 50
	backend := mustOpen(b, freshURI(b))
	defer backend.Close()
	storetest.Fill(b, backend, size)
	raw := mustOpen(b, freshURI(b)) // for its collection and indexes
	defer raw.Close()
	records := raw.server.records.alone
	created := size
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("create/writers=%d", writers), func(b *testing.B) {
			txns := storetest.Creations(created, b.N)
			created += b.N
			documents := make([]bson.Raw, b.N)
			for i, txn := range txns {
				documents[i] = settledRecord(b, txn)
			}
			inTurns(b, writers, turn*writers,
				func(i int) error { return backend.Commit(b.Context(), txns[i]) },
				func(i int) error {
					_, err := records.InsertOne(b.Context(), documents[i])
					return err
				})
		})
	}
	all := storetest.Creations(0, size)
	for _, txn := range all {
		if _, err := records.InsertOne(b.Context(), settledRecord(b, txn)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("get", func(b *testing.B) {
		inTurns(b, 1, 10*turn,
			func(i int) error {
				_, err := backend.Get(b.Context(), all[i*7919%size].Puts[0].ID)
				return err
			},
			func(i int) error {
				_, err := records.FindOne(b.Context(), bson.D{{Key: fieldID, Value: all[i*7919%size].Puts[0].ID}}).Raw()
				return err
			})
	})
}

// settledRecord is what a creation stores in the end, except stamps.
func settledRecord(b *testing.B, txn store.Txn) bson.Raw {
	doc := txn.Puts[0]
	r := &protocol.Record{ID: doc.ID, Doc: doc}
	r.Strong, r.Weak = protocol.Links(doc.References)
	raw, err := encodeRecord(r)
	if err != nil {
		b.Fatal(err)
	}
	return raw
}

// inTurns does b.N of one thing and b.N of another, so many at a time in turns, so that both meet the
// same machine.
func inTurns(b *testing.B, goroutines, turn int, one, other func(i int) error) {
	b.Helper()
	var times [2]time.Duration
	for from := 0; from < b.N; from += turn {
		for which, do := range []func(int) error{one, other} {
			began := time.Now()
			parallel(b, goroutines, from, min(from+turn, b.N), do)
			times[which] += time.Since(began)
		}
	}
	b.ReportMetric(float64(b.N)/times[0].Seconds(), "op/s")
	b.ReportMetric(float64(b.N)/times[1].Seconds(), "raw-op/s")
	b.ReportMetric(float64(times[1])/float64(times[0]), "of-raw")
	b.ReportMetric(0, "ns/op")
}

func parallel(b *testing.B, goroutines, from, to int, do func(i int) error) {
	b.Helper()
	var next atomic.Int64
	next.Store(int64(from))
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < to; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}
