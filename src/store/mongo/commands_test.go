package mongo

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// boxes has items in boxes, which may refer to each other.
const boxes = "resources:\n  - name: box\n  - name: item\n    parent: box\n    references:\n      - name: item\n"

// TestCommands counts the commands of operations: those before the answer, and those in the background after it. The table "Sizing"
// of docs/mongodb.md has a row for each.
func TestCommands(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/mongodb.md")
	must(t, err)
	var sent commandNames
	b, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: sent.add,
		Protocol: protocol.Settings{Lease: time.Hour, Clock: fakeClock()}})
	must(t, err)
	defer b.Close()
	s, err := store.Open(t.Context(), b, compileModel(t, boxes), store.Config{Agreement: store.Agreement{Lease: time.Hour}})
	must(t, err)
	create := func(id string) store.Operation {
		return store.Operation{Verb: store.Create, ID: dovetail.ID(id), Data: item("red", id, "")}
	}
	remove := func(id string) store.Operation { return store.Operation{Verb: store.Delete, ID: dovetail.ID(id)} }
	keyed := create("box/1/item/2")
	update := create("box/1/item/1")
	update.Verb, update.Data = store.Put, item("blue", "1", "")
	refer := update
	refer.Data = item("blue", "1", "2")
	tests := []struct {
		name          string
		operations    []store.Operation
		key           string
		code          dovetail.Code // of the refusal
		before, after int           // how many commands at most before the answer, and after it
	}{
		{name: "create without a parent", operations: []store.Operation{create("box/1")}, before: 2},
		{name: "create", operations: []store.Operation{create("box/1/item/1")}, before: 2, after: 1},
		{name: "create, refused", operations: []store.Operation{create("box/1/item/1")}, code: dovetail.CodeExists, before: 4},
		{name: "create with an idempotency key", operations: []store.Operation{keyed}, key: "k", before: 3, after: 3},
		{name: "the same, repeated", operations: []store.Operation{keyed}, key: "k", before: 9, after: 1},
		{name: "batch of 2 creations", operations: []store.Operation{create("box/1/item/3"), create("box/1/item/4")}, before: 3, after: 3},
		{name: "batch of 2, refused", operations: []store.Operation{create("box/1/item/1"), create("box/1/item/5")}, code: dovetail.CodeExists, before: 10, after: 1},
		{name: "update", operations: []store.Operation{update}, before: 4, after: 2},
		{name: "update of references", operations: []store.Operation{refer}, before: 5},
		{name: "delete, refused", operations: []store.Operation{remove("box/1")}, code: dovetail.CodeInUse, before: 8, after: 1},
		{name: "delete, refused again within a minute", operations: []store.Operation{remove("box/1")}, code: dovetail.CodeInUse, before: 4},
		{name: "delete of a leaf", operations: []store.Operation{remove("box/1/item/4")}, before: 3, after: 4},
		{name: "delete of a parent without children", operations: []store.Operation{remove("box/up")}, before: 3, after: 4},
	}
	for _, id := range []string{"box/warm", "box/up"} { // entries of the log are written ahead where transactions follow one another
		_, err := s.Apply(t.Context(), []store.Operation{create(id)}, store.Options{Key: id})
		must(t, err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b.runtime.Flush()
			must(t, s.RenewLease(t.Context()))
			sent.take()
			_, err := s.Apply(context.WithValue(t.Context(), ofRequest{}, true), test.operations, store.Options{Key: test.key})
			if dovetail.CodeOf(err) != test.code {
				t.Fatal(err)
			}
			b.runtime.Flush()
			of, all := sent.take()
			if len(of) > test.before || len(all) > test.before+test.after {
				t.Errorf("the request took %d commands, %v, and with those in the background %d, %v", len(of), of, len(all), all)
			}
			if row := fmt.Sprintf("\n| %s | %d | %d |\n", test.name, test.before, test.after); !strings.Contains(string(guide), row) {
				t.Errorf("docs/mongodb.md has no row %s", row)
			}
		})
	}
}

// TestCommandsOfAuthors counts the commands that the authors of a page of documents take: as many as those of one.
func TestCommandsOfAuthors(t *testing.T) {
	var sent commandNames
	b, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: sent.add})
	must(t, err)
	defer b.Close()
	s, err := store.Open(t.Context(), b, compileModel(t, anyItem), store.Config{})
	must(t, err)
	var creations []store.Operation
	var ids []dovetail.ID
	for i := range store.MaxAuthors {
		id := dovetail.ID("item/" + strconv.Itoa(i))
		creations = append(creations, store.Operation{Verb: store.Create, ID: id, Data: item("red", strconv.Itoa(i), "")})
		ids = append(ids, id)
	}
	_, err = s.Apply(t.Context(), creations, store.Options{})
	must(t, err)
	for _, n := range []int{1, len(ids)} {
		b.runtime.Flush()
		sent.take()
		authors, err := s.Authors(context.WithValue(t.Context(), ofRequest{}, true), ids[:n])
		must(t, err)
		if names, _ := sent.take(); len(authors) != n || len(names) > 2 {
			t.Errorf("the authors of %d documents, %d, took %d commands: %v", n, len(authors), len(names), names)
		}
	}
}

// TestCommandsOfIdleProcesses counts the commands of background tasks on an idle store.
func TestCommandsOfIdleProcesses(t *testing.T) {
	uri := freshURI(t)
	var sent commandNames
	clock := fakeClock()
	b, err := Open(t.Context(), uri, Options{ExternalMaintenance: true, Command: sent.add,
		Protocol: protocol.Settings{Clock: clock}})
	must(t, err)
	defer b.Close()
	s, err := store.Open(t.Context(), b, compileModel(t, anyItem), store.Config{Agreement: agreement})
	must(t, err)
	follow := func() error { _, err := s.FollowModel(t.Context()); return err }
	purge := func() error { return s.PurgeIdempotencyRecords(t.Context(), time.Now().Add(-24*time.Hour), nil) }
	beat := doc("_beat/s", 1)
	must(t, b.Commit(t.Context(), creating(beat)))
	heartbeat := func() error { // as package lease does; how often is tested there
		return b.Commit(t.Context(), store.Txn{Puts: documents(doc(beat.ID, 2)), Require: []store.Condition{at(beat)}})
	}
	must(t, purge())
	b.runtime.Flush()
	sent.take()
	_, err = b.Sweep(context.WithValue(t.Context(), ofRequest{}, true))
	must(t, err)
	if names, _ := sent.take(); len(names) > 3 { // one for entries that were written ahead
		t.Errorf("a sweep took %d commands: %v", len(names), names)
	}
	for range 3 {
		_, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: "item/1", Data: item("red", rand.Text(), "")}}, store.Options{Key: rand.Text()})
		must(t, err)
	}
	tests := []struct {
		name string
		do   func() error
		most int
	}{
		{name: "a heartbeat", do: heartbeat, most: 1},
		{name: "the ref-schema in force", do: follow, most: 1},
		{name: "idempotency keys of a day ago", do: purge, most: 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b.runtime.Flush()
			sent.take()
			must(t, test.do())
			if _, names := sent.take(); len(names) > test.most {
				t.Errorf("it took %d commands: %v", len(names), names)
			}
		})
	}
	t.Run("watches", func(t *testing.T) {
		const watches, looks = 100, 8
		head, err := s.Head(t.Context())
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		begun := make(chan bool)
		var all sync.WaitGroup
		for range watches {
			all.Go(func() {
				for _, err := range s.Watch(ctx, head, store.WatchQuery{}) {
					if err != nil && ctx.Err() == nil {
						t.Error(err)
					}
					begun <- true
				}
			})
		}
		_, err = s.Put(t.Context(), store.Operation{ID: "item/seen", Data: item("red", "seen", "")})
		must(t, err)
		for range watches {
			<-begun
		}
		b.runtime.Flush()
		clock.AwaitWaits(2) // for the next poll and the next announcement
		sent.take()
		for range looks {
			clock.Advance(3 * b.runtime.Env().Poll)
			clock.AwaitWaits(2)
		}
		if _, names := sent.take(); len(names) < looks || len(names) > 2*looks { // documents and the log
			t.Errorf("while %d watches wait for %d looks there are %d commands: %v", watches, looks, len(names), names)
		}
		cancel()
		all.Wait()
	})
	another := mustOpen(t, uri)
	defer another.Close()
	other, err := store.Open(t.Context(), another, nil, store.Config{Agreement: agreement})
	must(t, err)
	must(t, other.SetModel(t.Context(), compileModel(t, anyItem+"  - name: other\n")))
	must(t, follow())
	if s.Model().Hash() != other.Model().Hash() {
		t.Error("the ref-schema that another process has put in force is not followed")
	}
}

// TestSweepsOfAnIdleProcess counts the commands of maintenance in an hour in which nothing is written, and has it sweep
// soon after a write.
func TestSweepsOfAnIdleProcess(t *testing.T) {
	var sent commandNames
	clock := fakeClock()
	b, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: sent.add,
		Protocol: protocol.Settings{Clock: clock}})
	must(t, err)
	defer b.Close()
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), ofRequest{}, true))
	var maintenance sync.WaitGroup
	maintenance.Go(func() { b.Maintain(ctx) })
	clock.AwaitWaits(2) // for the next sweep and the next announcement
	advance := func(d time.Duration) {
		const step = 2500 * time.Millisecond // a quarter of the lease
		for ; d > 0; d -= step {
			clock.Advance(step)
			clock.AwaitWaits(2)
		}
	}
	advance(time.Hour)
	if names, _ := sent.take(); len(names) < 20 || len(names) > 3*15 {
		t.Errorf("in an idle hour sweeps took %d commands: %v", len(names), names)
	}
	must(t, b.Commit(t.Context(), store.Txn{Puts: documents(parent)}))
	b.runtime.Flush()
	const most = 50 // of 2.5 s each; without the write the next sweep may be five minutes away
	for swept, n := false, 0; !swept; n++ {
		if n == most {
			t.Fatal("there is no sweep soon after a write")
		}
		must(t, b.Ping(t.Context())) // meanwhile the write is noticed
		advance(time.Second)
		names, _ := sent.take()
		swept = len(names) > 0
	}
	cancel()
	maintenance.Wait()
}

// ofRequest marks the contexts of requests: what is left after an answer has other ones, and so have groups of creations.
type ofRequest struct{}

// commandNames collects the names of commands.
type commandNames struct {
	mutex          sync.Mutex
	requested, all []string
}

func (c *commandNames) add(ctx context.Context, name string, _ time.Duration, _ error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.all = append(c.all, name)
	if ctx.Value(ofRequest{}) != nil {
		c.requested = append(c.requested, name)
	}
}

// take returns the names since it was last called, those of requests and all.
func (c *commandNames) take() (requested, all []string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	requested, all = c.requested, c.all
	c.requested, c.all = nil, nil
	return requested, all
}
