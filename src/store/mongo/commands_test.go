package mongo

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// boxes has items in boxes, which may refer to each other.
const boxes = "resources:\n  - name: box\n  - name: item\n    parent: box\n    references:\n      - name: item\n"

// TestCommands counts the commands of operations: those before the answer, and those in the background after it. The table "Sizing"
// of docs/mongodb.md has a row for each.
func TestCommands(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/mongodb.md")
	must(t, err)
	var sent commandNames
	b, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: sent.add})
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
		{name: "create", operations: []store.Operation{create("box/1/item/1")}, before: 3},
		{name: "create, refused", operations: []store.Operation{create("box/1/item/1")}, code: dovetail.CodeExists, before: 4},
		{name: "create with an idempotency key", operations: []store.Operation{keyed}, key: "k", before: 4, after: 2},
		{name: "the same again", operations: []store.Operation{keyed}, key: "k", before: 10},
		{name: "batch of 2 creations", operations: []store.Operation{create("box/1/item/3"), create("box/1/item/4")}, before: 4, after: 2},
		{name: "batch of 2, refused", operations: []store.Operation{create("box/1/item/1"), create("box/1/item/5")}, code: dovetail.CodeExists, before: 7},
		{name: "update", operations: []store.Operation{update}, before: 4, after: 2},
		{name: "update of references", operations: []store.Operation{refer}, before: 6},
		{name: "delete, refused", operations: []store.Operation{remove("box/1")}, code: dovetail.CodeInUse, before: 4},
		{name: "delete of a leaf", operations: []store.Operation{remove("box/1/item/4")}, before: 9, after: 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b.runtime.Flush()
			must(t, s.RenewLease(t.Context()))
			sent.take()
			_, err := s.Apply(t.Context(), test.operations, store.Options{Key: test.key})
			before := sent.take()
			if dovetail.CodeOf(err) != test.code {
				t.Fatal(err)
			}
			b.runtime.Flush()
			after := sent.take()
			if len(before) > test.before || len(after) > test.after {
				t.Errorf("it took %d commands, %v, and then %d, %v", len(before), before, len(after), after)
			}
			if row := fmt.Sprintf("\n| %s | %d | %d |\n", test.name, test.before, test.after); !strings.Contains(string(guide), row) {
				t.Errorf("docs/mongodb.md has no row %s", row)
			}
		})
	}
}

// commandNames collects the names of commands.
type commandNames struct {
	mutex sync.Mutex
	names []string
}

func (c *commandNames) add(_ context.Context, name string, _ time.Duration, _ error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.names = append(c.names, name)
}

// take returns the names since it was last called.
func (c *commandNames) take() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	names := c.names
	c.names = nil
	return names
}
