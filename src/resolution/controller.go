package resolution

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// Control keeps the status of all ActiveResolutions true until the context ends, or its view of the store is lost,
// which it returns as the error: calling it again makes a new one. One process at a time should do so, under the
// fence of its lease (package lease); others would only do the same work again.
func (r *Resolutions) Control(ctx context.Context, fence store.Condition) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &controller{
		reconciler: reconciler{Resolutions: r, writer: newWriter(r.store, fence), solving: make(chan struct{}, r.options.Workers)}, sources: newSources(),
		known: make(map[dovetail.ID]*known), actors: make(map[string]*fleet.Actor), finished: make(chan result), retries: make(chan dovetail.ID),
		quick: lane{workers: r.options.Workers + maxWritten}, hard: lane{workers: max(1, r.options.Workers/2)},
	}
	from, err := r.store.Head(ctx)
	if err != nil {
		return err
	}
	if err := c.load(ctx); err != nil {
		return err
	}
	events, failed := make(chan store.Event), make(chan error, 1)
	var watching sync.WaitGroup
	watching.Go(func() { failed <- c.watch(ctx, from, events) })
	watching.Go(func() { c.writer.run(ctx) })
	defer func() {
		cancel()
		c.end()
		watching.Wait()
	}()
	for {
		c.start(ctx)
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case event := <-events:
			if err := c.take(event); err != nil {
				return err
			}
		case r := <-c.finished:
			c.finish(ctx, r)
		case id := <-c.retries:
			c.queue(id)
		}
	}
}

// controller is what one loop knows. Only that loop touches it; the workers that it starts send what they did.
type controller struct {
	reconciler
	sources  *sources
	known    map[dovetail.ID]*known
	actors   map[string]*fleet.Actor // by the name of the set
	quick    lane
	hard     lane // for those that took longer than Options.Quick
	finished chan result
	retries  chan dovetail.ID
	timers   sync.WaitGroup
}

// lane is a queue with workers of its own, some of which solve while others wait for their status to be written. Without the lane for hard resolutions a few of them would have all workers for as long as they take,
// and easy ones would wait for that.
type lane struct {
	waiting []dovetail.ID // to be reconciled, each once in both lanes
	running int
	workers int
}

// known is what is known of one ActiveResolution.
type known struct {
	settled *settledAt // nil while the controller has written no status
	uses    []string   // the sources that it names; nil for all
	set     string     // the name of the set that made it; "" if there is none
	waiting bool
	hard    bool // the last time it took longer than a quick one may
	// seen is the last version up to which the sources are known: all changes that came before it are taken in.
	seen   dovetail.ETag
	behind bool // a worker read a later version than seen; the event of that queues it

	alarm context.CancelFunc // of the timer for the window that it waits for; nil when none is

	cancel context.CancelFunc // of the worker that is at it; nil when none is
	again  bool               // its sources changed since that began
	newest *dovetail.Document // as a change since then left it: by another writer, or by the worker itself
}

type result struct {
	id      dovetail.ID
	lane    *lane
	took    time.Duration // of solving, without waiting
	settled *settledAt
	err     error // CodeNotFound when it has gone
}

// load reads the ActiveResolutions, and then the sources, so that these are not older.
func (c *controller) load(ctx context.Context) error {
	for doc, err := range c.store.Documents(ctx, store.ListQuery{Kind: state.Kind}) {
		if err != nil {
			return err
		}
		c.meet(doc).seen = doc.ETag()
		c.queue(doc.ID)
	}
	if err := c.loadActors(ctx); err != nil {
		return err
	}
	return c.sources.load(ctx, c.store, nil)
}

// meet notes what an ActiveResolution depends on.
func (c *controller) meet(doc *dovetail.Document) *known {
	k := c.known[doc.ID]
	if k == nil {
		k = &known{}
		c.known[doc.ID] = k
	}
	k.uses, k.set = nil, fleet.MadeBy(doc)
	if req, err := state.ReadRequest(doc); err == nil && req.Spec.Listed() {
		k.uses = req.Spec.Sources
	}
	return k
}

func (c *controller) watch(ctx context.Context, from store.Cursor, events chan<- store.Event) error {
	for event, err := range c.store.Watch(ctx, from, store.WatchQuery{}) {
		if err != nil {
			return err
		}
		select {
		case events <- event:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// take queues what an event asks for.
func (c *controller) take(event store.Event) error {
	var changed []string
	for _, change := range event.Changes {
		switch {
		case change.Kind == state.Kind:
			c.changed(change)
			continue
		case change.Kind == fleet.Kind:
			c.setChanged(change)
			continue
		}
		name, err := c.sources.change(change)
		if err != nil {
			return err
		}
		if name != "" && !slices.Contains(changed, name) {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	for _, id := range sorted(c.known) {
		k := c.known[id]
		if k.uses != nil && !slices.ContainsFunc(changed, func(name string) bool { return slices.Contains(k.uses, name) }) {
			continue
		}
		if k.cancel != nil || !k.settled.holds(c.sources.all()) {
			c.queue(id)
		}
	}
	return nil
}

// changed takes a change of an ActiveResolution in. That of our own writing is known by what it holds.
func (c *controller) changed(change store.EventChange) {
	doc, k := change.Document, c.known[change.ID]
	if doc == nil {
		if change.Op == store.Deleted {
			c.queue(change.ID) // if it is not there again, the worker says so and it is forgotten
		}
		return
	}
	asks := k == nil || k.behind || !k.settled.same(doc)
	if asks || k.cancel != nil {
		k = c.meet(doc)
	}
	k.see(dovetail.ETag{UID: change.UID, Revision: change.Revision}) // doc may be ahead of the change
	switch {
	case k.cancel != nil:
		k.newest = doc
		if !state.Settled(doc) {
			k.cancel() // what it works on is no longer asked for
		}
	case asks:
		c.queue(change.ID)
	}
}

// see takes a version in that exists or existed. Events may come again.
func (k *known) see(version dovetail.ETag) {
	if version.UID != k.seen.UID || version.Revision > k.seen.Revision {
		k.seen = version
	}
}

// queue has an ActiveResolution reconciled, once the worker that may be at it is done.
func (c *controller) queue(id dovetail.ID) {
	k := c.known[id]
	switch {
	case k == nil || k.waiting:
	case k.cancel != nil:
		k.again = true
	default:
		k.waiting = true
		l := &c.quick
		if k.hard {
			l = &c.hard
		}
		l.waiting = append(l.waiting, id)
	}
}

// start gives what waits to workers, as many as each lane has.
func (c *controller) start(ctx context.Context) {
	for _, l := range []*lane{&c.quick, &c.hard} {
		for len(l.waiting) > 0 && l.running < l.workers {
			id := l.waiting[0]
			l.waiting = l.waiting[1:]
			c.work(ctx, l, id)
		}
	}
}

func (c *controller) work(ctx context.Context, l *lane, id dovetail.ID) {
	k := c.known[id]
	working, cancel := context.WithCancel(ctx)
	k.waiting, k.behind, k.cancel = false, false, cancel
	l.running++
	from, seen, limit, by := c.sources.all(), k.seen, c.options.Quick, c.actors[k.set]
	if l == &c.hard {
		limit = 0
	}
	go func() {
		settled, took, err := c.reconcile(working, id, seen, from, limit, by)
		c.finished <- result{id: id, lane: l, took: took, settled: settled, err: err}
	}()
}

func (c *controller) finish(ctx context.Context, r result) {
	r.lane.running--
	k := c.known[r.id]
	k.cancel()
	if r.took > 0 {
		k.hard = r.took > c.options.Quick
	}
	again, newest := k.again, k.newest
	k.cancel, k.again, k.newest = nil, false, nil
	if r.settled != nil {
		k.settled = r.settled
		if k.seen.UID == r.settled.version.UID {
			k.see(r.settled.version)
		}
		c.await(ctx, k, r)
	}
	code := dovetail.CodeOf(r.err)
	stale := code == dovetail.CodeStale
	switch {
	case ctx.Err() != nil:
	case again, r.settled != nil && r.settled.replan, newest != nil && (stale || !k.settled.same(newest)), code == dovetail.CodeCanceled, errors.Is(r.err, errHard):
		c.queue(r.id) // also when a change came between that asks for nothing else: what was found is not written yet
	case stale:
		k.behind = true
	case code == dovetail.CodeNotFound:
		k.silence()
		delete(c.known, r.id)
	case code == dovetail.CodeCorrupt:
		c.options.Log.Error("a resolution cannot be read", "resolution", r.id, "error", r.err)
	case r.err != nil:
		c.options.Log.Warn("the status of a resolution was not brought up to date", "resolution", r.id, "error", r.err, "again", c.options.Retry)
		c.retry(ctx, r.id)
	}
}

// retry queues an ActiveResolution after a while.
func (c *controller) retry(ctx context.Context, id dovetail.ID) {
	c.timers.Go(func() {
		if clock.Sleep(ctx, c.options.Timer, c.options.Retry) == nil {
			c.again(ctx, id)
		}
	})
}

// again queues an ActiveResolution from outside of the loop.
func (c *controller) again(ctx context.Context, id dovetail.ID) {
	select {
	case <-ctx.Done():
	case c.retries <- id:
	}
}

// maxSleep is after how long the clock is examined again by what waits for a time: it may be set.
const maxSleep = time.Minute

// await queues an ActiveResolution that waits for a window when that opens.
func (c *controller) await(ctx context.Context, k *known, r result) {
	k.silence()
	opens := r.settled.opens
	if opens.IsZero() {
		return
	}
	ctx, k.alarm = context.WithCancel(ctx)
	c.timers.Go(func() {
		for {
			left := opens.Sub(c.options.Clock())
			if left <= 0 {
				c.again(ctx, r.id)
				return
			}
			if clock.Sleep(ctx, c.options.Timer, min(left, maxSleep)) != nil {
				return
			}
		}
	})
}

// silence ends the timer.
func (k *known) silence() {
	if k.alarm != nil {
		k.alarm()
		k.alarm = nil
	}
}

// end waits for the workers, whose context has ended.
func (c *controller) end() {
	for range c.quick.running + c.hard.running {
		<-c.finished
	}
	c.timers.Wait()
}

func sorted(m map[dovetail.ID]*known) []dovetail.ID {
	ids := make([]dovetail.ID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
