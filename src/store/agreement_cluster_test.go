package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// Two ref-schemas: under the second one every item has a color, and no two the same serial number.
const (
	anyItem    = "resources:\n  - name: item\n"
	colorItem  = anyItem + "    unique: [spec.serial]\n    schema:\n      properties:\n        spec:\n          required: [color]\n"
	plainItem  = `{"spec":{"size":1}}`
	strictItem = `{"spec":{"size":1,"color":"red"}}`
)

var quick = store.Agreement{Lease: 300 * time.Millisecond, Margin: 50 * time.Millisecond}

// cluster is a database that several processes have open, with a clock of its own. After each commit it compares what is
// stored with the ref-schema that is in force then.
type cluster struct {
	store.Backend
	mu        sync.Mutex
	offset    time.Duration // of its clock
	strict    string        // the hash under which items need a color
	forbidden []string
	refused   atomic.Int32 // writes that came too late

	comparesNothing bool                 // a defect: it commits whenever a write arrives
	takes           func() time.Duration // from the comparison to the commit
}

func (c *cluster) Capabilities() store.Capabilities {
	capabilities := c.Backend.Capabilities()
	capabilities.Exclusive = false
	return capabilities
}

func (c *cluster) Time(context.Context) (time.Time, error) { return time.Now().Add(c.offset), nil }

// commit is what the database does.
func (c *cluster) commit(ctx context.Context, txn store.Txn, before time.Time) error {
	if now, _ := c.Time(ctx); !c.comparesNothing && !before.IsZero() && !now.Before(before) {
		c.refused.Add(1)
		return store.TooLate()
	}
	if c.takes != nil {
		clocktest.Advance(c.takes())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.Backend.Commit(ctx, txn); err != nil {
		return err
	}
	return c.inspect(ctx)
}

// inspect notes what the ref-schema in force forbids: items without a color, or without a claim on their serial number.
func (c *cluster) inspect(ctx context.Context) error {
	inForce, err := c.Get(ctx, "_schema/current")
	if dovetail.CodeOf(err) == dovetail.CodeNotFound || err == nil && !strings.Contains(string(inForce.Data), `"hash":"`+c.strict+`"`) {
		return nil
	}
	holders := make(map[string]int)
	for claim, err := range c.List(ctx, store.Query{Kind: "_claim"}) {
		if err != nil {
			return err
		}
		var held struct{ Holder string }
		if err := json.Unmarshal(claim.Data, &held); err != nil {
			return err
		}
		holders[held.Holder]++
	}
	for doc, err := range c.List(ctx, store.Query{Kind: "item"}) {
		if err != nil {
			return err
		}
		text := string(doc.Data)
		if !strings.Contains(text, "color") {
			c.forbidden = append(c.forbidden, string(doc.ID)+" has no color")
		}
		if want := strings.Count(text, "serial"); holders[string(doc.ID)] < want {
			c.forbidden = append(c.forbidden, string(doc.ID)+" has no claim")
		}
	}
	return err
}

// member is the connection of one process to a cluster. What the process sends may be delayed, as when it is stopped or the
// network is slow, or lost.
type member struct {
	*cluster
	random *rand.Rand
	mu     sync.Mutex
	cut    atomic.Bool

	patience time.Duration // that it waits for the database while it is cut off
	step     atomic.Int64  // of the local clock
	delays   time.Duration
	hold     atomic.Pointer[hold]
	stopped  atomic.Pointer[hold]
	ownTime  bool // a defect: it takes the local clock for that of the database
}

// hold stops a process before the first commit that fits, until it is resumed.
type hold struct {
	fits   func(store.Txn) bool
	resume chan struct{}
}

func (m *member) clock() time.Time { return time.Now().Add(time.Duration(m.step.Load())) }

func (m *member) delay() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.delays == 0 || m.random.IntN(4) > 0 {
		return 0
	}
	return time.Duration(m.random.Int64N(int64(m.delays)))
}

func (m *member) Commit(ctx context.Context, txn store.Txn) error {
	if m.cut.Load() {
		return dovetail.Errorf(dovetail.CodeUnavailable, "no connection")
	}
	before := time.Time{}
	if txn.Before != nil {
		before = txn.Before()
	}
	if held := m.hold.Load(); held != nil && held.fits(txn) && m.hold.CompareAndSwap(held, nil) {
		m.stopped.Store(held)
	}
	if held := m.stopped.Load(); held != nil {
		<-held.resume
	}
	clocktest.Advance(m.delay())
	return m.commit(ctx, txn, before)
}

func (m *member) Time(ctx context.Context) (time.Time, error) {
	switch {
	case m.cut.Load():
		<-time.After(m.patience) // in a bubble of testing/synctest
		return time.Time{}, dovetail.Errorf(dovetail.CodeUnavailable, "no connection")
	case m.ownTime:
		return m.clock(), nil
	}
	return m.cluster.Time(ctx)
}

// newCluster returns the connections of this many processes to one database.
func newCluster(t *testing.T, processes int) (*cluster, []*member) {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(memdir.New(t), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = backend.Close() })
	c := &cluster{Backend: backend, offset: -time.Hour, strict: compile(t, colorItem).Hash()}
	members := make([]*member, processes)
	for i := range members {
		members[i] = &member{cluster: c, random: rand.New(rand.NewPCG(uint64(i), 7))}
	}
	return c, members
}

// open starts a process on the database, under a ref-schema.
func (m *member) open(t *testing.T, text string, times store.Agreement) *store.Store {
	t.Helper()
	s := openOn(t, m, compile(t, text), store.Config{Agreement: times, Clock: m.clock})
	return s
}

// workload is what writers in three processes and a fourth one did that changes the ref-schema all the time.
type workload struct {
	wrote, forbidden, swapped atomic.Int32
}

// play lets the processes work for a while. Each writer is delayed for longer than its lease at times, and its clock jumps.
func (w *workload) play(t *testing.T, members []*member, stores []*store.Store, seed uint64, lasts time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var writers sync.WaitGroup
	for i, s := range stores[:3] {
		members[i].delays = 1200 * time.Millisecond
		for n := range 2 {
			random := rand.New(rand.NewPCG(seed, uint64(2*i+n)))
			writers.Go(func() {
				for ctx.Err() == nil {
					clocktest.Advance(time.Duration(random.IntN(60)) * time.Millisecond)
					if random.IntN(30) == 0 {
						members[i].step.Store(int64(random.IntN(7200)-3600) * int64(time.Second))
					}
					w.write(ctx, t, s, random, fmt.Sprintf("%d-%d", i, n))
				}
			})
		}
	}
	admin := stores[3]
	for n := 0; ctx.Err() == nil; {
		next, pause := anyItem, 300*time.Millisecond
		if n%2 == 0 {
			next, pause = colorItem, 1500*time.Millisecond
			repair(ctx, t, admin)
		}
		switch err := admin.SetModel(ctx, compile(t, next)); dovetail.CodeOf(err) {
		case "":
			w.swapped.Add(1)
			n++
			clocktest.Advance(pause)
		case dovetail.CodeSchema:
		default:
			if ctx.Err() == nil {
				t.Errorf("a change: %v", err)
			}
		}
	}
	writers.Wait()
}

// write writes an item that both ref-schemas allow, most times.
func (w *workload) write(ctx context.Context, t *testing.T, s *store.Store, random *rand.Rand, name string) {
	id := fmt.Sprintf("item/%s-%d", name, random.IntN(5))
	data := fmt.Sprintf(`{"spec":{"color":"red","serial":"%s"}}`, id)
	switch random.IntN(20) {
	case 0:
		id = fmt.Sprintf("%s-%d", id, random.IntN(10))
		data = plainItem
	case 1:
		data = `{"spec":{"color":"red","serial":"the same"}}`
	case 2:
		data = strictItem
	}
	_, err := s.Put(ctx, op(t, "put "+id+" "+data))
	switch code := dovetail.CodeOf(err); {
	case err == nil:
		w.wrote.Add(1)
	case code == dovetail.CodeUnprocessable, code == dovetail.CodeConflict && dovetail.AsError(err).Reason == store.ReasonNotUnique:
		w.forbidden.Add(1)
	case ctx.Err() == nil && code != dovetail.CodeConflict:
		t.Errorf("a write: %v", err)
	}
}

// repair rewrites what the strict ref-schema forbids, which writers may undo.
func repair(ctx context.Context, t *testing.T, s *store.Store) {
	for doc, err := range s.Documents(ctx, store.ListQuery{Kind: "item"}) {
		if err == nil && (!strings.Contains(string(doc.Data), "color") || strings.Contains(string(doc.Data), "the same")) {
			_, _ = s.Put(ctx, op(t, "put "+string(doc.ID)+" "+strictItem)) // what fails is repaired in the next round
		}
	}
}
