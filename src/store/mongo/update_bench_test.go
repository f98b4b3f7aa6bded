package mongo

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"

	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// BenchmarkStepsOfUpdates measures, straight on collections with the indexes of the store, what each step adds to an update that keeps
// the version that it replaces: rounds of every step in turns, as multiples of the rate of the update alone.
//
//	update     findAndModify, which checks the version
//	with       that also stores the version before in an intent
//	fence      and then reads the last position that a snapshot has taken
//	keep       and inserts the versions, for many updates at a time
//	clear      and takes the intents away, likewise
func BenchmarkStepsOfUpdates(b *testing.B) {
	const size = 2000
	backend := mustOpen(b, freshURI(b))
	defer backend.Close()
	u := &updates{server: backend.server}
	for _, txn := range storetest.Creations(0, size) {
		u.documents = append(u.documents, settledRecord(b, txn))
	}
	all := make([]any, size)
	for i, document := range u.documents {
		all[i] = document
	}
	_, err := u.server.records.alone.InsertMany(b.Context(), all)
	must(b, err)
	steps := []string{"update", "with", "fence", "keep", "clear"}
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			times := make([]time.Duration, len(steps))
			for from := 0; from < b.N; from += 250 * writers {
				to := min(from+250*writers, b.N)
				for n := range steps {
					began := time.Now()
					u.run(b, writers, from, to, n)
					times[n] += time.Since(began)
				}
			}
			b.ReportMetric(float64(b.N)/times[0].Seconds(), "update/s")
			for n, step := range steps[1:] {
				b.ReportMetric(float64(times[0])/float64(times[n+1]), step)
			}
		})
	}
}

// updates changes documents step by step.
type updates struct {
	server    *server
	documents []bson.Raw
	number    atomic.Int64
}

// run updates documents with the first steps, of which the last ones are done beside it, every 10 ms, and waited for at the end.
func (u *updates) run(b *testing.B, writers, from, to, steps int) {
	made, kept := make(chan int, to-from), make(chan error, 1)
	go func() { kept <- u.finish(b.Context(), made, steps) }()
	parallel(b, writers, from, to, func(i int) error {
		i %= len(u.documents)
		set := bson.D{{Key: fieldRevision, Value: u.number.Add(1)}}
		if steps > 0 {
			set = append(set, bson.E{Key: fieldIntent, Value: bson.D{{Key: "txn", Value: "t"}, {Key: "prev", Value: u.documents[i]}}})
		}
		update := bson.D{{Key: "$set", Value: set},
			{Key: "$currentDate", Value: bson.D{{Key: fieldChanged, Value: bson.D{{Key: "$type", Value: "timestamp"}}}}}}
		filter := bson.D{{Key: fieldID, Value: u.documents[i].Lookup(fieldID)}, {Key: fieldUID, Value: u.documents[i].Lookup(fieldUID)}}
		_, err := u.server.records.alone.FindOneAndUpdate(b.Context(), filter, update,
			options.FindOneAndUpdate().SetProjection(bson.D{{Key: fieldChanged, Value: 1}})).Raw()
		if err == nil && steps > 1 {
			_, err = u.server.Find(b.Context(), []dovetail.ID{protocol.ClockID}, false)
		}
		made <- i
		return err
	})
	close(made)
	must(b, <-kept)
}

// finish keeps the versions of updates, and takes their intents away.
func (u *updates) finish(ctx context.Context, made <-chan int, steps int) error {
	for first := range made {
		if steps < 3 {
			continue
		}
		elapse(10 * time.Millisecond)
		group := []int{first}
		for range len(made) {
			group = append(group, <-made)
		}
		versions, ids := make([]any, len(group)), make(bson.A, len(group))
		for n, i := range group {
			var version bson.D
			if err := bson.Unmarshal(u.documents[i], &version); err != nil {
				return err
			}
			ids[n] = version[0].Value
			version[0].Value = fmt.Sprintf("%s\x01%d", ids[n], u.number.Add(1))
			versions[n] = version
		}
		if _, err := u.server.versions.alone.InsertMany(ctx, versions, options.InsertMany().SetOrdered(false)); err != nil {
			return err
		}
		if steps < 4 {
			continue
		}
		filter := bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: ids}}}}
		if _, err := u.server.records.alone.UpdateMany(ctx, filter, bson.D{{Key: "$unset", Value: bson.D{{Key: fieldIntent, Value: 1}}}}); err != nil {
			return err
		}
	}
	return nil
}
