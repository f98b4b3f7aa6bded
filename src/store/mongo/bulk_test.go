package mongo

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestBulkIsForAllShards does transactions of many documents. The documents go in few commands, which a router divides among the shards
// and sends to all of them at the same time: it would send writes that are ordered to one shard after the other.
func TestBulkIsForAllShards(t *testing.T) {
	const size, least = 1500, 100 // documents of a command, on average
	b, sent := countCommands(t)
	s, err := store.Open(t.Context(), b, compileModel(t, anyItem), store.Config{})
	must(t, err)
	apply := func(verb store.Verb, color, to string) func() error {
		operations := make([]store.Operation, size)
		for i := range operations {
			operations[i] = store.Operation{Verb: verb, ID: dovetail.ID(fmt.Sprintf("item/leaf-%d", i)), Data: item(color, "x", to)}
		}
		return func() error {
			_, err := s.Apply(t.Context(), operations, store.Options{})
			return err
		}
	}
	_, err = s.Create(t.Context(), store.Operation{ID: "item/root", Data: item("red", "root", "")})
	must(t, err)
	tests := []struct {
		name string
		do   func() error
	}{
		{"creations", apply(store.Create, "red", "root")},
		{"updates", apply(store.Put, "blue", "root")},
		{"cascade", func() error {
			_, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: "item/root", Cascade: true}}, store.Options{})
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b.runtime.Flush()
			sent.take()
			must(t, test.do())
			b.runtime.Flush()
			before, after := sent.take()
			commands, written := 0, 0
			for _, c := range append(before, after...) {
				if c.Written > 0 && c.Collection != logName {
					commands, written = commands+1, written+c.Written
				}
			}
			if written < 2*size || written < least*commands {
				t.Errorf("%d commands write %d documents, less than %d each", commands, written, least)
			}
		})
	}
	if names := sent.oneByOne(); len(names) > 0 {
		t.Errorf("these commands write one document after the other: %v", names)
	}
}
