package mongo

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// BenchmarkStepsOfACreation measures creations of one document, by each writer alone, that end after the first step, the second, and the
// third, beside one insertion without an intent (0): what a protocol could reach that needs as many round trips.
func BenchmarkStepsOfACreation(b *testing.B) {
	backend := mustOpen(b, freshURI(b))
	defer backend.Close()
	ctx := b.Context()
	must(b, backend.server.Insert(ctx, []*protocol.Record{{ID: "box/1", Doc: doc("box/1", 1)}})[0])
	round := 0
	for _, writers := range []int{1, 8} {
		for _, steps := range []int{0, 1, 2, 3} {
			b.Run(fmt.Sprintf("writers=%d/steps=%d", writers, steps), func(b *testing.B) {
				round++
				parallel(b, writers, 0, b.N, func(i int) error {
					d := doc(dovetail.ID(fmt.Sprintf("box/1/item/%d-%d", round, i)), 1)
					r := &protocol.Record{ID: d.ID, Doc: d, Intent: &protocol.Intent{Txn: string(d.ID), Op: protocol.Create}}
					if steps == 0 { // what is compared with
						r.Intent = nil
					}
					err := backend.server.Insert(ctx, []*protocol.Record{r})[0]
					if err == nil && steps > 1 {
						_, err = backend.server.Find(ctx, []dovetail.ID{"box/1"}, false)
					}
					if err == nil && steps > 2 {
						_, err = backend.server.Apply(ctx, []protocol.Change{{ID: d.ID, IntentTxn: string(d.ID), Txn: string(d.ID), Stamping: protocol.StampCreated}})
					}
					return err
				})
			})
		}
	}
}
