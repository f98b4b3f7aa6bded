package resolution_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// shared is a backend that several processes have open, as far as a lease can see, and that one of them may lose.
type shared struct {
	store.Backend
	lost *atomic.Bool
	lag  *atomic.Pointer[func(store.Transaction)] // is called before a change is seen, and may hold it up
}

func (s shared) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		for set, err := range s.Backend.Changes(ctx, after) {
			if lag := s.lag.Load(); lag != nil && err == nil {
				(*lag)(set)
			}
			if !yield(set, err) {
				return
			}
		}
	}
}

func (s shared) Capabilities() store.Capabilities {
	c := s.Backend.Capabilities()
	c.Exclusive = false
	return c
}

func (s shared) Commit(ctx context.Context, txn store.Txn) error {
	if s.lost.Load() {
		return dovetail.Errorf(dovetail.CodeUnavailable, "no connection")
	}
	return s.Backend.Commit(ctx, txn)
}

func openBackend(t testing.TB) store.Backend {
	t.Helper()
	backend := apitest.OpenBolt(t)
	t.Cleanup(func() { _ = backend.Close() })
	return backend
}

func openStore(t testing.TB, backend store.Backend) *store.Store {
	t.Helper()
	return apitest.NewStore(t, backend, store.Config{Author: resolution.Authors()}, "ref-schemas/v1.yaml")
}

// world is a store with the processes that keep its resolutions.
type world struct {
	t       testing.TB
	store   *store.Store
	backend store.Backend
	leaders chan int // which process began to lead
	lag     atomic.Pointer[func(store.Transaction)]
}

// newWorld starts n processes on one database; each has a switch that cuts it off. Several need a test in a bubble, where no
// lease ends because the machine is slow.
func newWorld(t testing.TB, n int, options resolution.Options) (*world, []*atomic.Bool) {
	t.Helper()
	ttl := time.Hour
	if n > 1 {
		ttl = 300 * time.Millisecond
	}
	backend := openBackend(t)
	w := &world{t: t, store: openStore(t, backend), leaders: make(chan int, 100)}
	cuts := make([]*atomic.Bool, n)
	for i := range n {
		cuts[i] = new(atomic.Bool)
		mine := shared{backend, cuts[i], &w.lag}
		resolutions := resolution.New(openStore(t, mine), options)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			lease.New(mine, lease.Options{TTL: ttl}).Run(ctx, lease.Task{Name: "resolution", Lead: func(ctx context.Context, fence store.Condition) {
				w.leaders <- i
				if err := resolutions.Control(ctx, fence); err != nil && ctx.Err() == nil {
					t.Errorf("process %d: %v", i, err)
				}
			}})
		}()
		t.Cleanup(func() { cancel(); <-done })
	}
	return w, cuts
}

// source puts a whole source.
func (w *world) source(name, text string) {
	w.t.Helper()
	document := parse(w.t, text)
	var stored []dovetail.ID
	for doc, err := range w.store.Documents(w.t.Context(), store.ListQuery{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		if id := sourcedoc.ID(name); doc.ID == id || doc.ID.IsDescendantOf(id) {
			stored = append(stored, doc.ID)
		}
	}
	operations, err := sourcedoc.Operations(nil, name, document, stored)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.store.Apply(w.t.Context(), operations, store.Options{}); err != nil {
		w.t.Fatal(err)
	}
}

func resolutionID(name string) dovetail.ID { return dovetail.ID("").Child(state.Kind, name) }

// create puts a resolution, whose data is JSON.
func (w *world) create(name, data string) {
	w.t.Helper()
	if _, err := w.store.Put(w.t.Context(), store.Operation{ID: resolutionID(name), Data: parse(w.t, data)}); err != nil {
		w.t.Fatal(err)
	}
}

// waitFor waits until tell says what is wanted of a resolution.
func (w *world) waitFor(name, want string) {
	w.t.Helper()
	w.wait(name, func(_ *dovetail.Document, s *state.Status) bool { return tell(s) == want })
}

// put puts a resolution, whose data is JSON, and waits for its status.
func (w *world) put(name, data string) *state.Status {
	w.t.Helper()
	w.create(name, data)
	return w.wait(name, func(doc *dovetail.Document, _ *state.Status) bool { return state.Settled(doc) })
}

// wait waits until a resolution is as it should be.
func (w *world) wait(name string, is func(*dovetail.Document, *state.Status) bool) *state.Status {
	w.t.Helper()
	var status *state.Status
	apitest.Until(w.t, w.store, "the status of "+name, func() bool {
		doc := w.get(name)
		status = state.ReadStatus(doc)
		return is(doc, status)
	})
	return status
}

func (w *world) get(name string) *dovetail.Document {
	w.t.Helper()
	doc, err := w.store.Get(w.t.Context(), resolutionID(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return doc
}

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// data is that of a resolution with the constraints.
func data(constraints ...string) string {
	text, err := json.Marshal(constraints)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"spec":{"constraints":%s}}`, text)
}

// tell shows the conditions and selections of a status in short.
func tell(s *state.Status) string {
	var all []string
	for _, c := range s.Conditions {
		all = append(all, c.Type+"="+c.Status+":"+c.Reason)
	}
	return strings.Join(append(all, s.Selections...), " ")
}
