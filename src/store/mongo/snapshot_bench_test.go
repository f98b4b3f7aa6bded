package mongo

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// BenchmarkSnapshot takes positions of now while eight writers update documents without a pause, and reports the rate of
// these updates, too.
func BenchmarkSnapshot(b *testing.B) {
	backend := mustOpen(b, freshURI(b))
	defer backend.Close()
	storetest.Fill(b, backend, 100)
	var updates atomic.Int64
	var writing sync.WaitGroup
	done := make(chan struct{})
	for w := range 8 {
		doc, err := backend.Get(b.Context(), storetest.Creation(w).Puts[0].ID)
		must(b, err)
		writing.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				next := *doc
				next.Revision++
				txn := store.Txn{Require: []store.Condition{at(doc)}, Puts: []*dovetail.Document{&next}}
				if err := backend.Commit(b.Context(), txn); err != nil {
					b.Error(err)
					return
				}
				doc = &next
				updates.Add(1)
			}
		})
	}
	storetest.InParallel(b, 1, func(int) error {
		_, err := backend.At(b.Context(), "")
		return err
	})
	b.ReportMetric(float64(updates.Load())/b.Elapsed().Seconds(), "updates/s")
	close(done)
	writing.Wait()
}
