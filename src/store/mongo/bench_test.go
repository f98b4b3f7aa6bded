package mongo

import (
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

func BenchmarkBackend(b *testing.B) {
	storetest.Benchmarks(b, func(b *testing.B) store.Backend { return mustOpen(b, freshURI(b)) })
}

// BenchmarkIndexes measures selectors on indexed paths.
func BenchmarkIndexes(b *testing.B) {
	storetest.IndexBenchmarks(b, func(b *testing.B) store.Backend { return mustOpen(b, freshURI(b)) },
		func(b *testing.B, backend store.Backend, documents []*dovetail.Document) {
			records := make([]any, len(documents))
			for i, doc := range documents {
				records[i] = settledRecord(b, store.Txn{Puts: []*dovetail.Document{doc}})
			}
			if _, err := backend.(*Backend).server.records.alone.InsertMany(b.Context(), records); err != nil {
				b.Fatal(err)
			}
		})
}

// BenchmarkAgainstRaw does the same work in turns, through the backend and straight on a collection with
// the same indexes: creations against insertOne of the same documents, which looks at nothing, and reads
// against findOne. It reports both rates, and the backend's as a multiple of the other.
func BenchmarkAgainstRaw(b *testing.B) {
	const size, turn = 1000, 20
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
		inTurns(b, 1, 5*turn,
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

// BenchmarkAgreement puts documents in turns: under leases, as where several processes write, and without.
func BenchmarkAgreement(b *testing.B) {
	backend := mustOpen(b, freshURI(b))
	defer backend.Close()
	model, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: []byte(anyItem)}})
	if err != nil {
		b.Fatal(err)
	}
	var stores [2]*store.Store
	for i, on := range []store.Backend{backend, single{backend}} {
		if stores[i], err = store.Open(b.Context(), on, model, store.Config{}); err != nil {
			b.Fatal(err)
		}
	}
	put := func(s *store.Store, id string) error {
		_, err := s.Put(b.Context(), store.Operation{ID: dovetail.ID(id), Data: item("red", id, "")})
		return err
	}
	round := 0
	for _, writers := range []int{1, 8} {
		const documents = 100
		b.Run(fmt.Sprintf("create/writers=%d", writers), func(b *testing.B) {
			round++
			create := func(s *store.Store, name string) func(int) error {
				return func(i int) error { return put(s, fmt.Sprintf("item/%s-%d-%d", name, round, i)) }
			}
			inTurns(b, writers, documents, create(stores[0], "leased"), create(stores[1], "free"))
		})
		b.Run(fmt.Sprintf("update/writers=%d", writers), func(b *testing.B) {
			update := func(s *store.Store, name string) func(int) error {
				return func(i int) error { return put(s, fmt.Sprintf("item/%s-%d", name, i%documents)) }
			}
			inTurns(b, writers, documents, update(stores[0], "leased"), update(stores[1], "free"))
		})
	}
}

// single is a backend that says that no other process has the database open.
type single struct{ store.Backend }

func (s single) Capabilities() store.Capabilities {
	c := s.Backend.Capabilities()
	c.Exclusive = true
	return c
}

// BenchmarkGrowth updates 500 documents of 1 KiB, and reports what an update adds to the collections as the server counts
// them: data, and storage with indexes.
func BenchmarkGrowth(b *testing.B) {
	const size, bytes = 500, 1 << 10
	backend := mustOpen(b, freshURI(b))
	defer backend.Close()
	text := make([]byte, bytes/2)
	document := func(n int, revision uint64) *dovetail.Document {
		_, _ = rand.Read(text) // never fails
		d := doc(dovetail.ID(fmt.Sprintf("growing/%d", n)), revision)
		d.Data = fmt.Appendf(nil, `{"text":"%x"}`, text)
		return d
	}
	for n := range size {
		must(b, backend.Commit(b.Context(), store.Txn{Puts: documents(document(n, 1))}))
	}
	read := func() (data, storage float64) {
		backend.runtime.Flush()
		var stats struct {
			Data    float64 `bson:"dataSize"`
			Storage float64 `bson:"storageSize"`
			Indexes float64 `bson:"indexSize"`
		}
		must(b, backend.database.RunCommand(b.Context(), bson.D{{Key: "dbStats", Value: 1}}).Decode(&stats))
		return stats.Data, stats.Storage + stats.Indexes
	}
	data, storage := read()
	for i := 0; b.Loop(); i++ {
		before := document(i%size, uint64(i/size+1))
		txn := store.Txn{Require: []store.Condition{at(before)}, Puts: documents(document(i%size, before.Revision+1))}
		must(b, backend.Commit(b.Context(), txn))
	}
	b.StopTimer()
	after, stored := read()
	b.ReportMetric((after-data)/float64(b.N), "data-B/op")
	b.ReportMetric((stored-storage)/float64(b.N), "storage-B/op")
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
// same machine. It reports the median of the ratios of turns, which a moment of other work does not move.
func inTurns(b *testing.B, goroutines, turn int, one, other func(i int) error) {
	b.Helper()
	times, ratio := turns(b, goroutines, turn, one, other)
	b.ReportMetric(float64(b.N)/times[0].Seconds(), "op/s")
	b.ReportMetric(float64(b.N)/times[1].Seconds(), "raw-op/s")
	b.ReportMetric(ratio, "of-raw")
	b.ReportMetric(0, "ns/op")
}

// turns is inTurns without a report: it returns how long both took, and the median of how many times as long as the first the other took.
func turns(b *testing.B, goroutines, turn int, one, other func(i int) error) (times [2]time.Duration, ratio float64) {
	b.Helper()
	var ratios []float64
	for from := 0; from < b.N; from += turn {
		var took [2]time.Duration
		for n, ways := 0, []func(int) error{one, other}; n < len(ways); n++ {
			which := (n + from/turn) % len(ways) // each is the first in every other turn
			began := time.Now()
			parallel(b, goroutines, from, min(from+turn, b.N), ways[which])
			took[which] = time.Since(began)
			times[which] += took[which]
		}
		ratios = append(ratios, float64(took[1])/float64(took[0]))
	}
	return times, median(ratios)
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

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
