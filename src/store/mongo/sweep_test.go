package mongo

import (
	"fmt"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// TestSweepTakesFewCommands sweeps beside a transaction of many documents: while its owner may be alive, and once it seems dead.
func TestSweepTakesFewCommands(t *testing.T) {
	const size, most = 2000, 60
	for _, state := range []protocol.State{protocol.Pending, protocol.Committed} {
		t.Run(string(state), func(t *testing.T) {
			var commands commandCount
			clock := fakeClock()
			b, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: commands.note,
				Protocol: protocol.Settings{Clock: clock}})
			must(t, err)
			defer b.Close()
			const txn = "many"
			must(t, b.server.WriteEntries(t.Context(), []protocol.LogEntry{{Txn: txn, State: state}}))
			records := make([]*protocol.Record, size)
			for i := range records {
				d := doc(dovetail.ID(fmt.Sprintf("many/%04d", i)), 1)
				records[i] = &protocol.Record{ID: d.ID, Doc: d, Intent: &protocol.Intent{Txn: txn, Op: protocol.Create, Multi: true}}
			}
			for _, err := range b.server.Insert(t.Context(), records) {
				must(t, err)
			}
			commands.take()
			clean, err := b.Sweep(t.Context())
			must(t, err)
			if clean {
				t.Error("a sweep beside an open transaction found nothing")
			}
			if n, what := commands.take(); n > 3 {
				t.Errorf("a sweep beside an open transaction took %d commands: %s", n, what)
			}
			clock.Advance(10 * time.Second) // the lease
			_, err = b.Sweep(t.Context())
			must(t, err)
			if n, what := commands.take(); n > most {
				t.Errorf("a sweep after its owner took %d commands: %s", n, what)
			}
			for r, err := range b.server.WithIntent(t.Context(), "") {
				must(t, err)
				t.Fatalf("%s has an intent", r.ID)
			}
			_, err = b.Get(t.Context(), "many/1999")
			if there := err == nil; there != (state == protocol.Committed) {
				t.Errorf("afterwards the answer is %v", err)
			}
		})
	}
}
