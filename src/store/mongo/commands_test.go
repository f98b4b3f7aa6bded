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
	"github.com/dovetail-store/dovetail/src/internal/lease"
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
	b, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: sent.add, Protocol: protocol.Settings{Lease: time.Hour}})
	must(t, err)
	defer b.Close()
	s, err := store.Open(t.Context(), b, compileModel(t, boxes), store.Config{})
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
	b, err := Open(t.Context(), uri, Options{ExternalMaintenance: true, Command: sent.add})
	must(t, err)
	defer b.Close()
	s, err := store.Open(t.Context(), b, compileModel(t, anyItem), store.Config{Agreement: agreement})
	must(t, err)
	follow := func() error { _, err := s.FollowModel(t.Context()); return err }
	purge := func() error { return s.PurgeIdempotencyRecords(t.Context(), time.Now().Add(-24*time.Hour), nil) }
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
	t.Run("heartbeats", func(t *testing.T) {
		const ttl, beats = time.Second, 10
		ctx, cancel := context.WithCancel(t.Context())
		lease.New(b, lease.Options{TTL: ttl}).Run(ctx, lease.Task{Name: "work", Lead: func(context.Context, store.Condition) {
			sent.take()
			began := time.Now()
			time.Sleep(beats * ttl / 5)
			_, names := sent.take()
			// One command each. On a slow machine it was asleep for longer, and some come late and close together; two each would be
			// too many nevertheless.
			if due := int(time.Since(began) / (ttl / 5)); len(names) > due+due/2+2 {
				t.Errorf("%d heartbeats took %d commands: %v", due, len(names), names)
			}
			cancel()
		}})
	})
	t.Run("watches", func(t *testing.T) {
		const watches, looks = 100, 8
		head, err := s.Head(t.Context())
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range watches {
			all.Go(func() {
				for _, err := range s.Watch(ctx, head, store.WatchQuery{}) {
					if err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			})
		}
		poll := b.runtime.Env().Poll
		for deadline := time.Now().Add(patience); ; { // until all have begun, which takes long on a slow machine
			b.runtime.Flush()
			sent.take()
			began := time.Now()
			time.Sleep(looks * poll)
			_, names := sent.take()
			most := 2 * (int(time.Since(began)/poll) + 2) // documents and the log
			if len(names) <= most && len(names) > 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("while %d watches wait for %d looks there are %d commands, want at most %d: %v", watches, looks, len(names), most, names)
				break
			}
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

// TestCommandsOfAnIdleLeader counts the commands of a process that leads several works, none of which has anything to do, and of one
// that waits for them.
func TestCommandsOfAnIdleLeader(t *testing.T) {
	t.Parallel()
	const settled, counted = 20 * time.Second, 30 * time.Second // sweeps become rarer at first
	uri := freshURI(t)
	var led, waited commandNames
	run := func(sent *commandNames, ctx context.Context, all *sync.WaitGroup) (leads chan string) {
		b, err := Open(t.Context(), uri, Options{ExternalMaintenance: true, Command: sent.add})
		must(t, err)
		t.Cleanup(func() { _ = b.Close() })
		leads = make(chan string, 3)
		var works []lease.Task
		for _, name := range []string{"upkeep", "webhooks", "instance-repository"} {
			works = append(works, lease.Task{Name: name, Lead: func(ctx context.Context, _ store.Condition) {
				leads <- name
				if name == "upkeep" {
					b.Maintain(ctx)
				}
				<-ctx.Done()
			}})
		}
		all.Go(func() { lease.New(b, lease.Options{}).Run(ctx, works...) })
		return leads
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	leads := run(&led, ctx, &all)
	for range 3 {
		<-leads
	}
	others := run(&waited, ctx, &all)
	time.Sleep(settled)
	led.take()
	waited.take()
	time.Sleep(counted)
	_, names := led.take()
	if most := int(counted / (10 * time.Second)); len(names) > most || len(names) == 0 {
		t.Errorf("the leader sent %d commands in %v, want at most %d: %v", len(names), counted, most, names)
	}
	if _, names := waited.take(); len(names) > int(counted/(2*time.Second))+1 || len(names) == 0 {
		t.Errorf("the process that waits sent %d commands in %v: %v", len(names), counted, names)
	}
	cancel()
	all.Wait()
	if len(others) > 0 {
		t.Error("the process that waits has led, too")
	}
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
