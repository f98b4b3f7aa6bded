package lease_test

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// shared is a backend that several processes have open, as far as a lease can see.
type shared struct{ store.Backend }

func (s shared) Capabilities() store.Capabilities {
	c := s.Backend.Capabilities()
	c.Exclusive = false
	return c
}

// cut is a backend that one process has lost its connection to.
type cut struct {
	store.Backend
	off atomic.Bool
}

func (c *cut) Commit(ctx context.Context, txn store.Txn) error {
	if c.off.Load() {
		return dovetail.Errorf(dovetail.CodeUnavailable, "no connection")
	}
	return c.Backend.Commit(ctx, txn)
}

// forgetful is a backend whose answers to writes are lost.
type forgetful struct{ store.Backend }

func (f forgetful) Commit(ctx context.Context, txn store.Txn) error {
	if err := f.Backend.Commit(ctx, txn); err != nil {
		return err
	}
	return dovetail.Errorf(dovetail.CodeUnknown, "no answer")
}

func openBolt(t *testing.T) store.Backend {
	t.Helper()
	b, err := bolt.Open(filepath.Join(t.TempDir(), "db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

const ttl = 500 * time.Millisecond

// process is a candidate.
type process struct {
	led   chan store.Condition // its fence, each time that it begins to lead
	left  chan struct{}        // each time that its context ends
	end   context.CancelFunc
	ended chan struct{}
}

// start starts a process; no two of those that share leading may lead at the same time.
func start(t *testing.T, backend store.Backend, leading *atomic.Int32) *process {
	ctx, cancel := context.WithCancel(t.Context())
	p := &process{led: make(chan store.Condition, 100), left: make(chan struct{}, 100), end: cancel, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		lease.New(backend, lease.Options{TTL: ttl}).Run(ctx, lease.Task{Name: "work", Lead: func(ctx context.Context, fence store.Condition) {
			if n := leading.Add(1); n != 1 {
				t.Errorf("%d lead at the same time", n)
			}
			p.led <- fence
			<-ctx.Done()
			leading.Add(-1)
			p.left <- struct{}{}
		}})
	}()
	t.Cleanup(func() { cancel(); <-p.ended })
	return p
}

// leader waits until one of the processes leads.
func leader(t *testing.T, all ...*process) (int, store.Condition) {
	t.Helper()
	merged := make(chan struct {
		i     int
		fence store.Condition
	})
	stop := make(chan struct{})
	defer close(stop)
	for i, p := range all {
		go func() {
			select {
			case f := <-p.led:
				select {
				case merged <- struct {
					i     int
					fence store.Condition
				}{i, f}:
				case <-stop:
				}
			case <-stop:
			}
		}()
	}
	select {
	case m := <-merged:
		return m.i, m.fence
	case <-time.After(2 * time.Minute):
		t.Fatal("no process leads")
		return 0, store.Condition{}
	}
}

func TestOneLeadsAndAnotherTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := shared{openBolt(t)}
		var leading atomic.Int32
		all := make([]*process, 3)
		for i := range all {
			all[i] = start(t, b, &leading)
		}
		first, fence := leader(t, all...)
		rest := append(append([]*process{}, all[:first]...), all[first+1:]...)
		all[first].end()
		<-all[first].ended
		if _, next := leader(t, rest...); next == fence {
			t.Error("both have the same fence")
		}
	})
}

// A leader that cannot reach the database stops by itself, another leads, and the fence of the first is
// worth nothing.
func TestLeaderWithoutDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := shared{openBolt(t)}
		resources := openStore(t, b)
		var leading atomic.Int32
		line := &cut{Backend: b}
		first := start(t, line, &leading)
		_, fence := leader(t, first)
		write := func(id dovetail.ID, fence store.Condition) error {
			_, err := resources.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: id, Data: value.NewMap()}}, store.Options{Fence: &fence})
			return err
		}
		if err := write("thing/a", fence); err != nil {
			t.Fatal(err)
		}
		second := start(t, b, &leading)
		line.off.Store(true)
		_, next := leader(t, second)
		<-first.left
		err := write("thing/b", fence)
		if dovetail.CodeOf(err) != dovetail.CodeConflict || dovetail.AsError(err).Reason != store.ReasonFenced {
			t.Errorf("the old leader wrote: %v", err)
		}
		if err := write("thing/b", next); err != nil {
			t.Error(err)
		}
		if _, err := resources.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: "thing/c", Data: value.NewMap()}},
			store.Options{Fence: &fence, DryRun: true}); err != nil {
			t.Errorf("a dry run: %v", err)
		}
	})
}

func openStore(t *testing.T, backend store.Backend) *store.Store {
	t.Helper()
	model, err := schema.Compile([]schema.Source{{Name: "things", Data: []byte("name: things\nresources: [{name: thing}]")}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), backend, model, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A leader whose writes go through without an answer keeps leading.
func TestLostAnswers(t *testing.T) { synctest.Test(t, testLostAnswers) }

func testLostAnswers(t *testing.T) {
	var leading atomic.Int32
	p := start(t, forgetful{shared{openBolt(t)}}, &leading)
	leader(t, p)
	select {
	case <-p.left:
		t.Error("it gave up")
	case <-time.After(2 * ttl):
	}
}

// On a database that only one process can have open, a process leads at once, even after one that died, and
// writes nothing while it leads.
func TestExclusive(t *testing.T) { synctest.Test(t, testExclusive) }

func testExclusive(t *testing.T) {
	b := openBolt(t)
	var leading atomic.Int32
	dead := start(t, shared{b}, &leading)
	_, old := leader(t, dead)
	dead.end()
	<-dead.ended
	p := start(t, b, &leading)
	_, fence := leader(t, p)
	if fence == old {
		t.Error("the same fence")
	}
	head, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clocktest.Advance(ttl)
	if now, err := b.Head(t.Context()); err != nil || now != head {
		t.Errorf("something was written: %v, then %v, %v", head, now, err)
	}
}

// Work that returns is started again, each time under a new fence.
func TestWorkThatEnds(t *testing.T) { synctest.Test(t, testWorkThatEnds) }

func testWorkThatEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	fences := map[store.Condition]bool{}
	n := 0
	lease.New(shared{openBolt(t)}, lease.Options{TTL: 50 * time.Millisecond}).Run(ctx, lease.Task{Name: "work", Lead: func(_ context.Context, fence store.Condition) {
		mu.Lock()
		defer mu.Unlock()
		fences[fence] = true
		if n++; n == 3 {
			cancel()
		}
	}})
	if len(fences) != 3 {
		t.Errorf("%d fences in %d terms", len(fences), n)
	}
}

// counted is a backend that several processes have open, and whose uses are counted.
type counted struct {
	shared
	reads, writes atomic.Int32
}

func (c *counted) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	c.reads.Add(1)
	return c.shared.GetAll(ctx, ids)
}

func (c *counted) Commit(ctx context.Context, txn store.Txn) error {
	c.writes.Add(1)
	return c.shared.Commit(ctx, txn)
}

// several is a candidate for tasks, which says on a channel what it leads.
func several(ctx context.Context, backend store.Backend, names ...string) (leads chan string, ended chan struct{}) {
	leads, ended = make(chan string, 100), make(chan struct{})
	var tasks []lease.Task
	for _, name := range names {
		tasks = append(tasks, lease.Task{Name: name, Lead: func(ctx context.Context, _ store.Condition) {
			leads <- name
			<-ctx.Done()
		}})
	}
	go func() {
		defer close(ended)
		lease.New(backend, lease.Options{}).Run(ctx, tasks...)
	}()
	return leads, ended
}

// A process writes one heartbeat for all that it leads, at most one in ten seconds, and no other process leads while it does. A process
// that only waits reads once in two seconds.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openBolt(t)
		ctx, cancel := context.WithCancel(t.Context())
		one, two := &counted{shared: shared{b}}, &counted{shared: shared{b}}
		leads, ended := several(ctx, one, "a", "b", "c")
		for range 3 {
			<-leads
		}
		others, alsoEnded := several(ctx, two, "a", "b", "c")
		clocktest.Advance(time.Minute)
		one.reads.Store(0)
		one.writes.Store(0)
		two.reads.Store(0)
		const hour = time.Hour
		clocktest.Advance(hour)
		if n := one.writes.Load(); n > int32(hour/(10*time.Second)) {
			t.Errorf("the leader wrote %d times in %v", n, hour)
		}
		if n := one.reads.Load(); n > int32(hour/(45*time.Second)) {
			t.Errorf("the leader read %d times in %v", n, hour)
		}
		if n := two.reads.Load(); n > int32(hour/(2*time.Second))+1 {
			t.Errorf("the other process read %d times", n)
		}
		if len(others) > 0 {
			t.Errorf("another process has led %q", <-others)
		}
		cancel()
		<-ended
		<-alsoEnded
	})
}

// TestFailover measures after what time another process leads: one whose leader ends, and one whose leader falls silent right after a
// heartbeat, or right before the next.
func TestFailover(t *testing.T) {
	const beat = lease.DefaultTTL - 3500*time.Millisecond
	tests := []struct {
		name        string
		silent      time.Duration // after a heartbeat; 0 where the leader ends
		least, most time.Duration
	}{
		{name: "ends", most: 2 * time.Second},
		{name: "dies after a heartbeat", silent: 100 * time.Millisecond, least: lease.DefaultTTL - time.Second, most: 17 * time.Second},
		{name: "dies before a heartbeat", silent: beat - 100*time.Millisecond, least: lease.DefaultTTL - beat, most: 7 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := shared{openBolt(t)}
				ctx, cancel := context.WithCancel(t.Context())
				line := &cut{Backend: b}
				dying, end := context.WithCancel(ctx)
				defer end()
				leads, ended := several(dying, line, "a", "b")
				<-leads
				<-leads
				next, alsoEnded := several(ctx, b, "a", "b", "c")
				if name := <-next; name != "c" {
					t.Fatalf("both lead %s", name)
				}
				clocktest.Advance(10*beat + test.silent) // heartbeats are written in time
				if test.silent == 0 {
					end()
				} else {
					line.off.Store(true)
				}
				began := time.Now()
				<-next
				took := time.Since(began)
				<-next
				if took < test.least || took > test.most {
					t.Errorf("it took %v", took)
				}
				t.Log(took)
				cancel()
				<-ended
				<-alsoEnded
			})
		})
	}
}
