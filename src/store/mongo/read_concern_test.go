package mongo

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// concerns counts the reads that were sent, by their read concern.
type concerns struct {
	mu    sync.Mutex
	reads map[string]int
}

func (c *concerns) note(_ context.Context, started *event.CommandStartedEvent) {
	switch started.CommandName {
	case "find", "aggregate", "count", "distinct":
	default:
		return
	}
	if _, ofCollection := started.Command.Lookup(started.CommandName).StringValueOK(); !ofCollection {
		return // a change stream, which only shows what a majority has
	}
	level, _ := started.Command.Lookup("readConcern", "level").StringValueOK()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads[level]++
}

// take returns the counts, and begins again.
func (c *concerns) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	reads := c.reads
	c.reads = make(map[string]int)
	return reads
}

// TestReadConcern does all that a backend does, and looks at the read concern of each read. No failover takes back what a client was
// shown, unless the connection string says otherwise; transactions read what a majority has in any case.
func TestReadConcern(t *testing.T) {
	tests := []struct {
		name       string
		replicated bool
		parameter  string // of the connection string
		want       map[string]bool
	}{
		{name: "standalone", want: map[string]bool{"": true}},
		{name: "replicated", replicated: true, want: map[string]bool{"majority": true}},
		{name: "replicated, local by the connection string", replicated: true, parameter: "&readConcernLevel=local", want: map[string]bool{"majority": true, "local": true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clientOptions, name, err := ClientOptions(freshURI(t) + tt.parameter)
			if err != nil {
				t.Fatal(err)
			}
			seen := &concerns{reads: make(map[string]int)}
			clientOptions.SetMonitor(&event.CommandMonitor{Started: seen.note})
			b, err := open(t.Context(), clientOptions, name, Options{replicated: tt.replicated})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			fill(t, b)
			doEverything(t, b)
			seen.mu.Lock()
			defer seen.mu.Unlock()
			for level, n := range seen.reads {
				if !tt.want[level] {
					t.Errorf("%d reads have the read concern %q", n, level)
				}
			}
			for level := range tt.want {
				if seen.reads[level] == 0 {
					t.Errorf("no read has the read concern %q: %v", level, seen.reads)
				}
			}
		})
	}
}

// TestPlainReadsDecideInSession reads a document outside of a session while its creation is implicit. The read takes the intent away, or
// would remove the document, because of what it finds: across a failover that is only right if it reads both in a session.
func TestPlainReadsDecideInSession(t *testing.T) {
	t.Parallel()
	clientOptions, name, err := ClientOptions(freshURI(t) + "&readConcernLevel=local")
	must(t, err)
	seen := &concerns{reads: make(map[string]int)}
	clientOptions.SetMonitor(&event.CommandMonitor{Started: seen.note})
	b, err := open(t.Context(), clientOptions, name, Options{replicated: true, ExternalMaintenance: true, Protocol: protocol.Settings{MaxClearDelay: time.Hour}})
	must(t, err)
	t.Cleanup(func() { must(t, b.client.Disconnect(context.Background())) }) // Close would wait for the delay
	must(t, b.Commit(t.Context(), creating(doc("box/1", 1))))
	must(t, b.Commit(t.Context(), creating(doc("box/1/item/1", 1), "box/1")))
	if intentsOf(t, b, []dovetail.ID{"box/1/item/1"})[0] == "" {
		t.Fatal("the creation has left no intent")
	}
	seen.take()
	_, err = b.Get(t.Context(), "box/1/item/1")
	must(t, err)
	if reads := seen.take(); reads["local"] != 1 || reads["majority"] < 3 {
		t.Errorf("the reads have the read concerns %v, want one local, and those that decide majority", reads)
	}
	if txns := intentsOf(t, b, []dovetail.ID{"box/1/item/1"}); txns[0] != "" {
		t.Errorf("the intent of %s is left", txns[0])
	}
}

// TestSweepReadsInSession sweeps the intent of a transaction without a record, which it takes for aborted: across a failover that is only
// right if it reads in a session.
func TestSweepReadsInSession(t *testing.T) {
	t.Parallel()
	clientOptions, name, err := ClientOptions(freshURI(t) + "&readConcernLevel=local")
	must(t, err)
	seen := &concerns{reads: make(map[string]int)}
	clientOptions.SetMonitor(&event.CommandMonitor{Started: seen.note})
	b, err := open(t.Context(), clientOptions, name, Options{replicated: true, ExternalMaintenance: true})
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	r := &protocol.Record{ID: "box/1", Doc: doc("box/1", 1), Intent: &protocol.Intent{Txn: "aborted", Op: protocol.Create, Multi: true}}
	must(t, b.server.Insert(t.Context(), []*protocol.Record{r})[0])
	seen.take()
	_, err = b.Sweep(t.Context())
	must(t, err)
	if reads := seen.take(); len(reads) != 1 || reads["majority"] == 0 {
		t.Errorf("the reads have the read concerns %v, want majority", reads)
	}
}
