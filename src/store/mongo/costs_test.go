package mongo

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
	"github.com/dovetail-store/dovetail/src/store/storetest"
	"github.com/dovetail-store/dovetail/test/scale"
)

var update = flag.Bool("update", false, "write the costs that are measured into test/scale/costs.json")

const costsFile = "../../../test/scale/costs.json"

// sentCommands collects commands as package scale describes them.
type sentCommands struct {
	mutex   sync.Mutex
	started map[int64]scale.Command
	request map[int64]bool
	indexes []index
	keys    map[string]int // of the document that was inserted last into a collection

	before, after []scale.Command
	inOrder       []string
}

// countCommands opens a database, of whose commands it collects what package scale describes.
func countCommands(t *testing.T) (*Backend, *sentCommands) {
	clientOptions, database, err := ClientOptions(freshURI(t))
	must(t, err)
	sent := &sentCommands{started: make(map[int64]scale.Command), request: make(map[int64]bool), keys: make(map[string]int)}
	clientOptions.SetMonitor(sent.monitor())
	b, err := open(t.Context(), clientOptions, database, Options{ExternalMaintenance: true, Protocol: protocol.Settings{Lease: time.Hour}})
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	sent.indexes = b.server.indexes()
	return b, sent
}

func (c *sentCommands) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(ctx context.Context, e *event.CommandStartedEvent) {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.started[e.RequestID], c.request[e.RequestID] = c.describe(e.CommandName, e.Command), ctx.Value(ofRequest{}) != nil
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			command := c.started[e.RequestID]
			command.Reply = len(e.Reply)
			if c.request[e.RequestID] {
				c.before = append(c.before, command)
			} else {
				c.after = append(c.after, command)
			}
		},
	}
}

// take returns what was sent since it was last called.
func (c *sentCommands) take() (before, after []scale.Command) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	before, after = c.before, c.after
	c.before, c.after = nil, nil
	return before, after
}

// oneByOne returns the names of commands that write several documents one after the other.
func (c *sentCommands) oneByOne() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.Clone(c.inOrder)
}

// describe says how a command finds its documents and how many keys of indexes it writes.
func (c *sentCommands) describe(name string, raw bson.Raw) scale.Command {
	collection, _ := raw.Lookup(name).StringValueOK()
	command := scale.Command{Name: name, Collection: collection, By: "none", Request: len(raw)}
	for _, statements := range []string{"documents", "updates", "deletes"} {
		if ordered, ok := raw.Lookup("ordered").BooleanOK(); len(elements(raw, statements)) > 1 && (ordered || !ok) {
			c.inOrder = append(c.inOrder, name)
		}
	}
	switch name {
	case "insert":
		command.By = scale.ByIDs
		for _, doc := range elements(raw, "documents") {
			c.keys[collection] = c.keysOf(collection, doc)
			command.Written++
			command.IDs++
			command.Keys += c.keys[collection]
		}
	case "update":
		for _, one := range elements(raw, "updates") {
			ids := targets(&command, one.Lookup("q").Document())
			command.Written += ids
			command.Keys += ids * c.touched(collection, one.Lookup("u"))
		}
	case "delete":
		for _, one := range elements(raw, "deletes") {
			ids := targets(&command, one.Lookup("q").Document())
			command.Written += ids
			command.Keys += ids * c.keys[collection]
		}
	case "findAndModify":
		command.Written = targets(&command, raw.Lookup("query").Document())
		command.Keys = c.touched(collection, raw.Lookup("update"))
	case "find":
		targets(&command, raw.Lookup("filter").Document())
	case "aggregate":
		for _, stage := range elements(raw, "pipeline") {
			if match, ok := stage.Lookup("$match").DocumentOK(); ok && command.By == "none" {
				targets(&command, match)
			}
		}
	}
	return command
}

// elements are the documents of an array.
func elements(raw bson.Raw, name string) (all []bson.Raw) {
	list, _ := raw.Lookup(name).ArrayOK()
	values, _ := list.Values()
	for _, v := range values {
		all = append(all, v.Document())
	}
	return all
}

// targets notes how a filter finds documents, and returns how many ids it names.
func targets(command *scale.Command, filter bson.Raw) (ids int) {
	first := ""
	if members, err := filter.Elements(); err == nil && len(members) > 0 {
		first = members[0].Key()
	}
	id := filter.Lookup(fieldID)
	conditions, isDocument := id.DocumentOK()
	in, isList := conditions.Lookup("$in").ArrayOK()
	_, above := conditions.LookupErr("$gte")
	_, below := conditions.LookupErr("$lt")
	switch {
	case isList:
		values, _ := in.Values()
		command.By, ids = scale.ByIDs, len(values)
	case isDocument && above == nil && below == nil:
		command.By = scale.ByRange
	case !id.IsZero() && !isDocument:
		command.By, ids = scale.ByIDs, 1
	default:
		command.By = first
	}
	command.IDs += ids
	return ids
}

// keysOf is how many keys the indexes of a collection have of a document.
func (c *sentCommands) keysOf(collection string, doc bson.Raw) int {
	keys := 1 // that of _id
	for _, i := range c.indexes {
		if i.collection.Name() != collection {
			continue
		}
		value, err := doc.LookupErr(strings.Split(i.keys[0].Key, ".")...)
		list, isList := value.ArrayOK()
		values, _ := list.Values()
		switch {
		case err != nil && i.sparse:
		case isList:
			keys += max(1, len(values))
		default:
			keys++
		}
	}
	return keys
}

// touched is how many indexes over members an update changes.
func (c *sentCommands) touched(collection string, changes bson.RawValue) (n int) {
	var members []string
	operators, _ := changes.Document().Elements()
	for _, operator := range operators {
		set, _ := operator.Value().Document().Elements()
		for _, member := range set {
			members = append(members, member.Key())
		}
	}
	for _, i := range c.indexes {
		over := i.keys[0].Key
		if i.collection.Name() == collection && slices.ContainsFunc(members, func(name string) bool {
			return name == over || strings.HasPrefix(over, name+".") || strings.HasPrefix(name, over+".")
		}) {
			n++
		}
	}
	return n
}

// TestCosts measures what operations cost the database and holds test/scale/costs.json to it, of which docs/scale.md is made. Numbers
// of commands and documents are the same; bytes of commands differ by a tenth
// at most. What the server reports to be stored depends on when it tidies up: no more than twice as much.
func TestCosts(t *testing.T) {
	got := measureCosts(t)
	if *update {
		text, err := json.MarshalIndent(got, "", "  ")
		must(t, err)
		must(t, os.WriteFile(costsFile, append(text, '\n'), 0o644))
	}
	want, err := readCosts()
	must(t, err)
	const remedy = "run go test ./src/store/mongo -run TestCosts -update, then go test ./test/scale -update"
	if !about(got.Document, want.Document) {
		t.Errorf("a document has %d bytes, and %d in %s: %s", got.Document, want.Document, costsFile, remedy)
	}
	for _, o := range got.Operations {
		t.Run(o.Name, func(t *testing.T) {
			recorded, err := want.Operation(o.Name)
			must(t, err)
			if !same(o.Commands, recorded.Commands) || !same(inAnyOrder(o.After), inAnyOrder(recorded.After)) {
				t.Errorf("it takes\n%+v, then\n%+v, and in %s\n%+v, then\n%+v: %s", o.Commands, o.After, costsFile, recorded.Commands, recorded.After, remedy)
			}
		})
	}
	for _, s := range got.Storage {
		t.Run(s.Collection, func(t *testing.T) {
			recorded, err := want.Of(s.Collection)
			must(t, err)
			if s.Bytes > 2*recorded.Bytes || s.Index() > 2*recorded.Index() {
				t.Errorf("a document takes %+v, and %+v in %s: %s", s, recorded, costsFile, remedy)
			}
		})
	}
}

func readCosts() (costs scale.Costs, err error) {
	text, err := os.ReadFile(costsFile)
	if err != nil {
		return costs, err
	}
	return costs, json.Unmarshal(text, &costs)
}

// about is equal up to a tenth, or some bytes.
func about(a, b int) bool {
	return math.Abs(float64(a-b)) <= max(20, 0.1*float64(max(a, b)))
}

// inAnyOrder brings commands into one order: those after an answer are of several goroutines.
func inAnyOrder(commands []scale.Command) []scale.Command {
	return slices.SortedFunc(slices.Values(commands), func(a, b scale.Command) int {
		return cmp.Or(strings.Compare(a.Collection, b.Collection), strings.Compare(a.Name, b.Name), cmp.Compare(a.Keys, b.Keys))
	})
}

func same(a, b []scale.Command) bool {
	return slices.EqualFunc(a, b, func(a, b scale.Command) bool {
		alike := about(a.Request, b.Request) && about(a.Reply, b.Reply)
		a.Request, a.Reply, b.Request, b.Reply = 0, 0, 0, 0
		return alike && a == b
	})
}

// workload is the ref-schema of the workload of storetest.
const workload = `resources:
  - name: cluster
  - name: profile
  - name: project
  - name: app
    parent: project
    references:
      - name: cluster
      - name: profile
`

// measureCosts does each operation on the data of the workload, several times, and keeps the round that took the fewest commands: on a slow
// server the driver, or a poll in the background, sends some more.
func measureCosts(t *testing.T) scale.Costs {
	const filled, group, rounds = 2000, 20, 3
	b, sent := countCommands(t)
	s, err := store.Open(t.Context(), b, compileModel(t, workload), store.Config{})
	must(t, err)
	must(t, b.Commit(t.Context(), store.Txn{Puts: storetest.Foundation()}))
	var together store.Txn
	for _, txn := range storetest.Creations(0, filled) {
		together.Puts = append(together.Puts, txn.Puts...)
	}
	must(t, b.Commit(t.Context(), together))
	b.runtime.Flush()

	next := filled
	fresh := func(n int) []store.Txn {
		next += n
		return storetest.Creations(next-n, n)
	}
	apply := func(ctx context.Context, operations ...store.Operation) error {
		_, err := s.Apply(ctx, operations, store.Options{})
		return err
	}
	createGroup := func(n int) func(context.Context) error {
		return func(ctx context.Context) error {
			var all []*protocol.Creation
			for _, txn := range fresh(n) {
				var needs []dovetail.ID
				for _, condition := range txn.Require {
					if condition.ID != txn.Puts[0].ID {
						needs = append(needs, condition.ID)
					}
				}
				all = append(all, protocol.NewCreation(txn.Puts[0], needs))
			}
			b.CreateGroup(ctx, all)
			for _, c := range all {
				if created, err := c.Result(); !created {
					return fmt.Errorf("%s was not created: %w", c.ID(), err)
				}
			}
			return nil
		}
	}
	stored := func(n int) (ids []dovetail.ID) {
		for _, txn := range fresh(n) {
			must(t, b.Commit(t.Context(), txn))
			ids = append(ids, txn.Puts[0].ID)
		}
		b.runtime.Flush()
		return ids
	}
	leaves := stored(2 * rounds)
	leaf := func() dovetail.ID { id := leaves[0]; leaves = leaves[1:]; return id }
	change := func(ctx context.Context) error {
		read, err := b.Get(ctx, leaf())
		if err != nil {
			return err
		}
		doc := read.Clone()
		doc.Revision++
		return b.Commit(ctx, store.Txn{Require: []store.Condition{at(read)}, Puts: documents(doc)})
	}
	costs := scale.Costs{}
	operations := []struct {
		name string
		do   func(context.Context) error
	}{
		{"get", func(ctx context.Context) error {
			_, err := s.Get(ctx, "project/project001/app/app000000001")
			return err
		}},
		{"create", createGroup(1)},
		{fmt.Sprintf("%d creations of a group", group), createGroup(group)},
		{"update", change},
		{"delete of a leaf", func(ctx context.Context) error {
			return apply(ctx, store.Operation{Verb: store.Delete, ID: leaf()})
		}},
		{"sweep", func(ctx context.Context) error {
			_, err := b.Sweep(ctx)
			return err
		}},
	}
	for _, o := range operations {
		least := scale.Operation{Name: o.name}
		for round := range rounds {
			b.runtime.Flush()
			sent.take()
			must(t, o.do(context.WithValue(t.Context(), ofRequest{}, true)))
			b.runtime.Flush()
			before, after := sent.take()
			if round == 0 || len(before)+len(after) < len(least.Commands)+len(least.After) {
				least.Commands, least.After = before, after
			}
		}
		costs.Operations = append(costs.Operations, least)
	}
	removed := func(n int) func() {
		ids := stored(n)
		return func() {
			for _, id := range ids {
				must(t, apply(t.Context(), store.Operation{Verb: store.Delete, ID: id}))
			}
		}
	}
	for _, poll := range []struct {
		name string
		of   func()
	}{
		{"poll of 0 changes", func() {}},
		{"poll of 100 creations", func() { stored(100) }},
		{"poll of 20 deletions", removed(20)},
	} {
		since, err := b.server.Now(t.Context())
		must(t, err)
		poll.of()
		b.runtime.Flush()
		sent.take()
		ctx := context.WithValue(t.Context(), ofRequest{}, true)
		_, err = collect(b.server.Changed(ctx, since))
		must(t, err)
		_, err = collect(b.server.Log(ctx, since))
		must(t, err)
		before, _ := sent.take()
		costs.Operations = append(costs.Operations, scale.Operation{Name: poll.name, Commands: before})
	}
	costs.Document = len(mustEncode(t, storetest.Creation(0)))
	costs.Storage = append(costs.Storage, storageOf(t, b, recordsName))
	var all store.Txn // a version of each
	for _, put := range together.Puts {
		doc := put.Clone()
		doc.Revision++
		all.Require, all.Puts = append(all.Require, at(put)), append(all.Puts, doc)
	}
	must(t, b.Commit(t.Context(), all))
	b.runtime.Flush()
	costs.Storage = append(costs.Storage, storageOf(t, b, versionsName))
	return costs
}

// storageOf is what a document of a collection takes, as the server counts it.
func storageOf(t *testing.T, b *Backend, name string) scale.Storage {
	var stats struct {
		Count   int            `bson:"count"`
		Size    int            `bson:"size"`
		Indexes map[string]int `bson:"indexSizes"`
	}
	must(t, b.database.RunCommand(t.Context(), bson.D{{Key: "collStats", Value: name}}).Decode(&stats))
	there, err := b.database.Collection(name).CountDocuments(t.Context(), bson.D{}) // the other count may be an estimate of some time ago
	must(t, err)
	storage := scale.Storage{Collection: name, Bytes: stats.Size / max(1, stats.Count), Indexes: make(map[string]int)}
	for index, bytes := range stats.Indexes {
		storage.Indexes[index] = bytes / int(there)
	}
	return storage
}

func mustEncode(t *testing.T, txn store.Txn) bson.Raw {
	doc := txn.Puts[0]
	r := &protocol.Record{ID: doc.ID, Doc: doc}
	r.Strong, r.Weak = protocol.Links(doc.References)
	raw, err := encodeRecord(r)
	must(t, err)
	return raw
}
