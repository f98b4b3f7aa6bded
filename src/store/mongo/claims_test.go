package mongo

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestReplicasClaim lets eight writers at three replicas take one unique value and one port: exactly one of them has each. The
// next round's value is that of a document which two of the writers delete and change.
func TestReplicasClaim(t *testing.T) {
	model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(`
resources:
  - name: port
  - name: device
    unique: [spec.serial]
  - name: cable
    references:
      - {name: port, at: spec.a, exclusive: true}
      - {name: port, at: spec.b, exclusive: true}
`)}})
	must(t, err)
	var stores []*store.Store
	for _, b := range replicas(t, 3) {
		s, err := store.Open(t.Context(), b, model, store.Config{})
		must(t, err)
		stores = append(stores, s)
	}
	operation := func(verb store.Verb, id, data string) store.Operation {
		op := store.Operation{Verb: verb, ID: dovetail.ID(id)}
		if verb != store.Delete {
			op.Data, err = value.ParseJSON([]byte(data), value.Limits{})
			must(t, err)
		}
		return op
	}
	const writers = 8
	for n := range rounds.Of(12, 2000) {
		s := stores[n%3]
		_, err := s.Apply(t.Context(), []store.Operation{operation(store.Create, fmt.Sprint("port/", n), `{}`)}, store.Options{})
		must(t, err)
		var won [2]atomic.Int32
		var group sync.WaitGroup
		start := make(chan struct{})
		for w := range writers {
			race, reason := w%2, store.ReasonNotUnique
			op := operation(store.Create, fmt.Sprintf("device/%d-%d", n, w), fmt.Sprintf(`{"spec":{"serial":%d}}`, n))
			if race == 1 {
				reason = store.ReasonTaken
				op = operation(store.Create, fmt.Sprintf("cable/%d-%d", n, w), fmt.Sprintf(`{"spec":{"%c":"%d"}}`, "ab"[w/2%2], n))
			}
			group.Go(func() {
				<-start
				switch _, err := stores[w%3].Apply(t.Context(), []store.Operation{op}, store.Options{}); {
				case err == nil:
					won[race].Add(1)
				case dovetail.AsError(err).Reason != reason:
					t.Errorf("round %d: %v", n, err)
				}
			})
		}
		close(start)
		group.Wait()
		if won[0].Load() != 1 || won[1].Load() != 1 {
			t.Fatalf("round %d: %d devices have the serial, %d cables the port", n, won[0].Load(), won[1].Load())
		}
	}
	for f, err := range stores[0].Check(context.Background(), false) {
		t.Errorf("%+v %v", f, err)
	}
}
