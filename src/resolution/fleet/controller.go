package fleet

import (
	"bytes"
	"context"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Store is where sets and resolutions are kept. *store.Store is one; its methods are described there.
type Store interface {
	Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error]
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
	Head(ctx context.Context) (store.Cursor, error)
	MayAct(ctx context.Context, id dovetail.ID, who *dovetail.Principal, needs []store.Need) error
	Watch(ctx context.Context, after store.Cursor, q store.WatchQuery) iter.Seq2[store.Event, error]
}

// Controller keeps the ActiveResolutions of all sets.
type Controller struct {
	Store     Store
	Principal *dovetail.Principal // who it writes as
	// Rest is how long the status of a set is left alone after it was written, while more of its clusters come to an answer; 0 means a second.
	Rest time.Duration
	// Retry is when it is tried again to write what was refused; 0 means 30 seconds.
	Retry time.Duration
	Clock func() time.Time // default time.Now
	Log   *slog.Logger     // receives failures; nil if there is none
}

// kept is what is known of one set.
type kept struct {
	doc     *dovetail.Document
	set     *Set
	members []Member
	asked   map[dovetail.ID]bool // the members
	wrong   error                // with the set, which asks for nothing then

	impossible map[dovetail.ID]error // by id: what cannot be made as it is asked for
	refused    map[dovetail.ID]error // what the store did not take
	forbidden  error                 // the actor of the set may not do what the set asks for
	retry      time.Time             // when that is tried again

	asks    bool      // what it asks for is to be found out, with the clusters that there are
	differs bool      // what is stored may not be what is asked for
	unsaid  bool      // the status may not be true any more
	next    time.Time // when something is to be done, if one of the two holds
	said    time.Time // when the status was written last
	working bool
}

// loop is what one run knows. Only its goroutine touches it; the workers that it starts send what they did.
type loop struct {
	*Controller
	fence    store.Condition
	sets     map[string]*kept
	stored   map[dovetail.ID]*seen // all ActiveResolutions
	clusters map[string]Cluster
	finished chan done
}

// Run keeps all sets until the context ends, or its view of the store is lost, which it returns as the error. One process at a time should do
// so, under the fence of its lease.
func (c *Controller) Run(ctx context.Context, fence store.Condition) error {
	if c.Rest <= 0 {
		c.Rest = time.Second
	}
	if c.Retry <= 0 {
		c.Retry = 30 * time.Second
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(dovetail.WithPrincipal(ctx, c.Principal))
	l := &loop{Controller: c, fence: fence, sets: make(map[string]*kept), stored: make(map[dovetail.ID]*seen), clusters: make(map[string]Cluster), finished: make(chan done)}
	var working sync.WaitGroup
	defer func() {
		cancel()
		working.Wait()
	}()
	from, err := c.Store.Head(ctx)
	if err != nil {
		return err
	}
	for _, kind := range []string{Kind, KindCluster, state.Kind} {
		for doc, err := range c.Store.Documents(ctx, store.ListQuery{Kind: kind}) {
			if err != nil {
				return err
			}
			l.take(store.EventChange{Change: store.Change{ID: doc.ID, Kind: kind, UID: doc.UID, Revision: doc.Revision}, Document: doc})
		}
	}
	events, failed := make(chan store.Event), make(chan error, 1)
	working.Go(func() { failed <- c.watch(ctx, from, events) })
	for {
		timer := time.NewTimer(l.start(ctx, &working))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case err := <-failed:
			timer.Stop()
			return err
		case event := <-events:
			for _, change := range event.Changes {
				l.take(change)
			}
		case d := <-l.finished:
			l.finish(d)
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (c *Controller) watch(ctx context.Context, from store.Cursor, events chan<- store.Event) error {
	for event, err := range c.Store.Watch(ctx, from, store.WatchQuery{}) {
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

// take takes a change in, and notes which sets it concerns.
func (l *loop) take(change store.EventChange) {
	gone := change.Document == nil && change.Op == store.Deleted
	if change.Document == nil && !gone {
		return // it is gone by now, which another change tells
	}
	switch key := change.ID.Key(); {
	case change.Kind == Kind && gone:
		if k := l.sets[key[0].Value]; k != nil && k.doc.UID == change.UID {
			delete(l.sets, key[0].Value)
		}
	case change.Kind == Kind:
		l.takeSet(change.Document)
	case change.Kind == KindCluster && len(key) == 1:
		l.takeCluster(key[0].Value, change.Document)
	case change.Kind == state.Kind:
		l.takeResolution(change)
	}
}

func (l *loop) takeSet(doc *dovetail.Document) {
	if k := l.sets[doc.Key()[0].Value]; k != nil && k.doc.UID == doc.UID && bytes.Equal(k.doc.Data, doc.Data) {
		if doc.Revision > k.doc.Revision {
			k.doc = doc
			k.differs = k.differs || k.forbidden != nil // it may have another actor
		}
		return
	}
	set, err := Read(doc)
	if err != nil {
		l.Log.Error("a set of resolutions cannot be read", "set", doc.ID, "error", err)
		return
	}
	k := l.sets[set.Name]
	if k != nil && k.doc.UID == doc.UID && k.doc.Revision > doc.Revision {
		return // events may come again
	}
	if k == nil || k.doc.UID != doc.UID {
		k = &kept{}
		l.sets[set.Name] = k
	}
	asks := k.set == nil || k.set.Digest != set.Digest
	k.doc = doc
	if !asks {
		return
	}
	k.set, k.refused = set, make(map[dovetail.ID]error)
	k.ask()
}

// ask has it found out what a set asks for.
func (k *kept) ask() { k.asks, k.differs, k.unsaid, k.next = true, true, true, time.Time{} }

func (l *loop) takeCluster(name string, doc *dovetail.Document) {
	if doc == nil {
		delete(l.clusters, name)
	} else {
		data, err := value.DataOf(doc, nil)
		if err != nil {
			l.Log.Error("a cluster cannot be read", "cluster", doc.ID, "error", err)
			return
		}
		was := l.clusters[name]
		is := Cluster{Data: data, Facts: data.At("spec", "facts")}
		l.clusters[name] = is
		if was.Data != nil && value.Equal(was.Data.At("metadata", "labels"), data.At("metadata", "labels")) && value.Equal(was.Facts, is.Facts) {
			return
		}
	}
	for _, k := range l.sets {
		if k.set.selects {
			k.ask()
		}
	}
}

func (l *loop) takeResolution(change store.EventChange) {
	was := l.stored[change.ID]
	var is *seen
	if change.Document != nil {
		var err error
		if is, err = see(change.Document); err != nil {
			l.Log.Error("a resolution cannot be read", "resolution", change.ID, "error", err)
			return
		}
		if was != nil && was.version.UID == is.version.UID && was.version.Revision > is.version.Revision {
			return
		}
		l.stored[change.ID] = is
	} else {
		if was == nil || was.version.UID != change.UID {
			return
		}
		delete(l.stored, change.ID)
	}
	data := is == nil || was == nil || was.digest != is.digest || was.set != is.set
	for name, k := range l.sets {
		switch {
		case was != nil && was.set == name, is != nil && is.set == name:
			k.unsaid = true
			k.differs = k.differs || data
		case data && k.asked[change.ID]: // one that has the name of a member is no longer in the way, or is now
			k.differs, k.unsaid = true, true
		}
	}
}

// progress is how many times longer than others a status rests that only says that more clusters have come to an answer. Each is a version of the
// whole set, which is large where the clusters are many.
const progress = 10

// start has the sets looked after that it is time for, one worker each, and returns how long it takes until the next one is due.
func (l *loop) start(ctx context.Context, working *sync.WaitGroup) time.Duration {
	const longest = time.Minute // after which the clock is examined again: it may be set
	now, wait := l.Clock(), longest
	for _, name := range slices.Sorted(maps.Keys(l.sets)) {
		k := l.sets[name]
		if (len(k.refused) > 0 || k.forbidden != nil) && !k.differs {
			if left := k.retry.Sub(now); left > 0 {
				wait = min(wait, left)
			} else {
				k.differs = true
				clear(k.refused) // and tried again
			}
		}
		if k.working || !k.differs && !k.unsaid {
			continue
		}
		if left := k.next.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		if k.asks {
			k.members, k.wrong = k.set.Members(l.clusters)
			k.asks, k.asked = false, make(map[dovetail.ID]bool, len(k.members))
			for _, m := range k.members {
				k.asked[m.ID] = true
			}
			clear(k.refused)
		}
		w := &work{Controller: l.Controller, fence: l.fence, of: k, doc: k.doc, set: k.set}
		if k.differs {
			w.operations, k.impossible = l.operations(k, now)
		}
		if w.status = l.status(k); w.status.progresses() && len(w.operations) == 0 && now.Sub(k.said) < progress*l.Rest {
			k.differs, k.next = false, now.Add(l.Rest)
			wait = min(wait, l.Rest)
			continue
		}
		k.said = now
		k.working, k.differs, k.unsaid = true, false, false
		working.Go(func() {
			d := w.do(ctx)
			select {
			case l.finished <- d:
			case <-ctx.Done():
			}
		})
	}
	return wait
}

// status is that of a set, as far as it is known.
func (l *loop) status(k *kept) *Status {
	if k.wrong != nil {
		return invalid(k.set, k.wrong, len(l.of(k.set.Name)))
	}
	refused := maps.Clone(k.impossible)
	maps.Copy(refused, k.refused)
	return summary(k.set, k.members, l.stored, refused)
}

// of are the stored ActiveResolutions that belong to a set.
func (l *loop) of(name string) []dovetail.ID {
	var ids []dovetail.ID
	for id, at := range l.stored {
		if at.set == name {
			ids = append(ids, id)
		}
	}
	return ids
}

// finish takes in what a worker did.
func (l *loop) finish(d done) {
	k := d.of
	k.working = false
	for _, doc := range d.written { // an event tells it, too, which may come later than the next look
		l.take(store.EventChange{Change: store.Change{ID: doc.ID, Kind: doc.Kind, UID: doc.UID, Revision: doc.Revision}, Document: doc})
	}
	for _, one := range d.deleted {
		l.take(store.EventChange{Change: store.Change{ID: one.ID, Kind: state.Kind, Op: store.Deleted, UID: one.IfMatch[0].UID}})
	}
	if k.set != d.set { // something else is asked for by now
		return
	}
	now := l.Clock()
	k.next = now.Add(l.Rest)
	switch {
	case d.failed:
		k.differs, k.unsaid, k.next = true, true, now.Add(l.Retry)
	case d.stale:
		k.differs, k.unsaid = true, true
	}
	if k.forbidden = d.forbidden; k.forbidden != nil {
		k.retry = now.Add(l.Retry)
		return
	}
	if len(d.refused) > 0 {
		k.unsaid = true
	}
	maps.DeleteFunc(k.refused, func(id dovetail.ID, _ error) bool { return d.tried[id] })
	for id, err := range d.refused {
		k.refused[id] = err
		k.retry = now.Add(l.Retry)
	}
}
