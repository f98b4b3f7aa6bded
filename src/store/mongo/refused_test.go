package mongo

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestRefusedBatchReadsLittle counts the bytes that the database answers with to batches that are refused right after a large one was
// committed: what that left in the log is not read.
func TestRefusedBatchReadsLittle(t *testing.T) {
	clientOptions, name, err := ClientOptions(freshURI(t))
	must(t, err)
	var answered atomic.Int64
	clientOptions.SetMonitor(&event.CommandMonitor{Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) { answered.Add(int64(len(e.Reply))) }})
	b, err := open(t.Context(), clientOptions, name, Options{ExternalMaintenance: true})
	must(t, err)
	defer b.Close()
	s, err := store.Open(t.Context(), b, compileModel(t, boxes), store.Config{})
	must(t, err)
	create := func(id dovetail.ID) store.Operation {
		return store.Operation{Verb: store.Create, ID: id, Data: item("red", "x", "")}
	}
	batch := []store.Operation{create("box/1")}
	for i := range 10_000 {
		batch = append(batch, create(dovetail.ID(fmt.Sprintf("box/1/item/%d", i))))
	}
	apply := func(operations ...store.Operation) {
		_, err := s.Apply(t.Context(), operations, store.Options{})
		must(t, err)
		b.runtime.Flush()
	}
	apply(batch...)
	tests := []struct {
		name       string
		after      []store.Operation
		operations []store.Operation
		code       dovetail.Code
	}{
		{name: "two documents of which one exists", operations: []store.Operation{create("box/1/item/1"), create("box/1/item/new")}, code: dovetail.CodeExists},
		{name: "two documents that both exist", operations: []store.Operation{create("box/1/item/2"), create("box/1/item/3")}, code: dovetail.CodeExists},
		{name: "a parent that is not there", operations: []store.Operation{create("box/2"), create("box/3/item/1")}, code: dovetail.CodeMissing},
		{name: "documents that were deleted with others", after: []store.Operation{{Verb: store.Delete, ID: "box/1", Cascade: true}},
			operations: []store.Operation{create("box/1/item/1"), create("box/1/item/2"), create("box/4")}, code: dovetail.CodeMissing},
		{name: "documents of which one was deleted with others", after: []store.Operation{create("box/5")},
			operations: []store.Operation{create("box/1"), create("box/1/item/1"), create("box/5")}, code: dovetail.CodeExists},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if len(test.after) > 0 {
				apply(test.after...)
			}
			answered.Store(0)
			_, err := s.Apply(t.Context(), test.operations, store.Options{})
			if dovetail.CodeOf(err) != test.code {
				t.Fatal(err)
			}
			if bytes := answered.Load(); bytes > 16<<10 || bytes == 0 {
				t.Errorf("the database answered with %d bytes", bytes)
			}
		})
	}
}
