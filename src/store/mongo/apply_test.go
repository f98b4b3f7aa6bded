package mongo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// intentsOf returns the transactions of the intents of records, "" if there is none.
func intentsOf(t *testing.T, b *Backend, ids []dovetail.ID) []string {
	t.Helper()
	found, err := b.server.Find(t.Context(), ids, false)
	must(t, err)
	txns := make([]string, len(ids))
	for i, id := range ids {
		if m := found[id].Intent; m != nil {
			txns[i] = m.Txn
		}
	}
	return txns
}

// TestApplyIsConditionalOnEachRecord removes intents of several transactions by one call. One of them also has an intent on a record
// from which another change removes an earlier intent, which is gone: the later one must stay.
func TestApplyIsConditionalOnEachRecord(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before time.Time
	}{
		{name: "without a deadline"},
		{name: "with a deadline", before: time.Now().Add(time.Hour)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := mustOpen(t, freshURI(t))
			t.Cleanup(func() { must(t, b.Close()) })
			ids := []dovetail.ID{"box/1", "box/2", "box/3"}
			for i, txn := range []string{"several", "several", "other"} {
				r := &protocol.Record{ID: ids[i], Doc: doc(ids[i], 1), Intent: &protocol.Intent{Txn: txn, Op: protocol.Create}}
				must(t, b.server.Insert(t.Context(), []*protocol.Record{r})[0])
			}
			n, err := b.server.Apply(t.Context(), []protocol.Change{
				{ID: "box/1", IntentTxn: "earlier", Before: test.before},
				{ID: "box/2", IntentTxn: "several", Before: test.before},
				{ID: "box/3", IntentTxn: "other", Before: test.before},
			})
			must(t, err)
			if n != 2 {
				t.Errorf("%d changes were executed, want 2", n)
			}
			if got, want := intentsOf(t, b, ids), []string{"several", "", ""}; !slices.Equal(got, want) {
				t.Errorf("the intents are of %q, want %q", got, want)
			}
		})
	}
}

// TestImplicitCreationsHaveOwnTransactions creates documents in one group, and looks at their intents: Change.OnlyIntent relies on it.
func TestImplicitCreationsHaveOwnTransactions(t *testing.T) {
	t.Parallel()
	b, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Protocol: protocol.Settings{MaxClearDelay: time.Hour}})
	must(t, err)
	t.Cleanup(func() { must(t, b.client.Disconnect(context.Background())) }) // Close would wait for the delay
	must(t, b.Commit(t.Context(), creating(doc("box/1", 1))))
	ids := []dovetail.ID{"box/1/item/1", "box/1/item/2"}
	var group []*protocol.Creation
	for _, id := range ids {
		group = append(group, protocol.NewCreation(doc(id, 1), []dovetail.ID{"box/1"}))
	}
	b.CreateGroup(t.Context(), group)
	for _, c := range group {
		if created, err := c.Result(); !created {
			t.Errorf("%s was not created: %v", c.ID(), err)
		}
	}
	if txns := intentsOf(t, b, ids); txns[0] == "" || txns[1] == "" || txns[0] == txns[1] {
		t.Errorf("the intents are of %q, want two transactions", txns)
	}
}

// TestApplyWritesInOrder removes intents of many transactions by one command, which must change the records in the order of ids.
func TestApplyWritesInOrder(t *testing.T) {
	t.Parallel()
	clientOptions, name, err := ClientOptions(freshURI(t))
	must(t, err)
	var mutex sync.Mutex
	var written [][]string // the ids of each command on documents that removes intents
	clientOptions.SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		var command struct {
			Update  string
			Updates []struct {
				Q bson.M
				U bson.M
			}
		}
		if bson.Unmarshal(e.Command, &command) != nil || command.Update != recordsName {
			return
		}
		var ids []string
		for _, u := range command.Updates {
			if id, ok := u.Q[fieldID].(string); ok && u.U["$unset"] != nil {
				ids = append(ids, id)
			}
		}
		mutex.Lock()
		defer mutex.Unlock()
		written = append(written, ids)
	}})
	b, err := open(t.Context(), clientOptions, name, Options{ExternalMaintenance: true})
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	var changes []protocol.Change
	var want []string
	for i := range 12 {
		id := fmt.Sprintf("box/%02d", i)
		want = append(want, id)
		changes = append(changes, protocol.Change{ID: dovetail.ID(id), IntentTxn: id})
	}
	_, err = b.server.Apply(t.Context(), changes)
	must(t, err)
	mutex.Lock()
	defer mutex.Unlock()
	if len(written) != 1 || !slices.Equal(written[0], want) {
		t.Errorf("the commands write %v, want one that writes %v", written, want)
	}
}
