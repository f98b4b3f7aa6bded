package mongo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// commandCount counts the commands of a backend by their names, and how long they took together.
type commandCount struct {
	mutex sync.Mutex
	count map[string]int
	took  map[string]time.Duration
}

func (c *commandCount) note(_ context.Context, name string, took time.Duration, _ error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.count == nil {
		c.count, c.took = make(map[string]int), make(map[string]time.Duration)
	}
	c.count[name]++
	c.took[name] += took
}

// take returns how many there were since the last call, and says what they were.
func (c *commandCount) take() (total int, what string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.count)) {
		total += c.count[name]
		parts = append(parts, fmt.Sprintf("%d %s in %v", c.count[name], name, c.took[name].Round(time.Millisecond)))
	}
	c.count, c.took = nil, nil
	return total, strings.Join(parts, ", ")
}

// BenchmarkBulk creates and deletes many documents in one transaction each, in turns with a client of the database that looks at
// nothing: it inserts the documents and takes a mark from each, and deletes them. It reports times as multiples of the client's.
func BenchmarkBulk(b *testing.B) {
	var commands commandCount
	backend, err := Open(b.Context(), freshURI(b), Options{ExternalMaintenance: true, Command: commands.note})
	must(b, err)
	defer backend.Close()
	raw := mustOpen(b, freshURI(b)) // for its collection and indexes
	defer raw.Close()
	collection := raw.server.records.alone
	model, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: []byte(anyItem)}})
	must(b, err)
	s, err := store.Open(b.Context(), backend, model, store.Config{})
	must(b, err)
	round := 0
	for _, size := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("documents=%d", size), func(b *testing.B) {
			times := make(map[string]time.Duration)
			timed := func(name string, do func()) {
				commands.take()
				began := time.Now()
				do()
				took := time.Since(began)
				times[name] += took
				n, what := commands.take()
				b.Logf("%s: %v, %d commands: %s", name, took.Round(time.Millisecond), n, what)
			}
			for b.Loop() {
				round++
				root := dovetail.ID(fmt.Sprintf("item/root-%d", round))
				_, err := s.Create(b.Context(), store.Operation{ID: root, Data: item("red", "root", "")})
				must(b, err)
				operations := make([]store.Operation, size)
				var ids []dovetail.ID
				for i := range operations {
					ids = append(ids, dovetail.ID(fmt.Sprintf("item/leaf-%d-%05d", round, i)))
					operations[i] = store.Operation{Verb: store.Create, ID: ids[i], Data: item("red", string(ids[i][5:]), string(root)[5:])}
				}
				timed("batch", func() {
					_, err := s.Apply(b.Context(), operations, store.Options{})
					must(b, err)
				})
				stored, err := s.GetAll(b.Context(), ids)
				must(b, err)
				records := make([]any, size)
				for i, doc := range stored {
					records[i] = settledRecord(b, store.Txn{Puts: documents(doc)})
				}
				timed("raw insertMany and updateMany", func() {
					_, err := collection.InsertMany(b.Context(), records, options.InsertMany().SetOrdered(false))
					must(b, err)
					for part := range slices.Chunk(ids, maxIDs) {
						_, err = collection.UpdateMany(b.Context(), bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: part}}}},
							bson.D{{Key: "$set", Value: bson.D{{Key: fieldTxn, Value: "x"}}}}, options.UpdateMany().SetHint(byID))
						must(b, err)
					}
				})
				timed("cascade plan", func() {
					_, err := s.Apply(b.Context(), []store.Operation{{Verb: store.Delete, ID: root, Cascade: true}}, store.Options{DryRun: true})
					must(b, err)
				})
				timed("cascade", func() {
					_, err := s.Apply(b.Context(), []store.Operation{{Verb: store.Delete, ID: root, Cascade: true}}, store.Options{})
					must(b, err)
				})
				timed("raw deleteMany", func() {
					for part := range slices.Chunk(ids, maxIDs) {
						_, err := collection.DeleteMany(b.Context(), bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: part}}}})
						must(b, err)
					}
				})
			}
			b.ReportMetric(times["raw insertMany and updateMany"].Seconds()/times["batch"].Seconds(), "batch-of-raw")
			b.ReportMetric(times["cascade"].Seconds()/times["raw deleteMany"].Seconds(), "cascade/raw")
			b.ReportMetric(0, "ns/op")
		})
	}
}
