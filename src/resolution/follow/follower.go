package follow

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
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Store is where sources are kept. *store.Store is one; its methods are described there.
type Store interface {
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error]
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
	Head(ctx context.Context) (store.Cursor, error)
	Watch(ctx context.Context, after store.Cursor, q store.WatchQuery) iter.Seq2[store.Event, error]
}

// Fetches reads what sources follow. *Fetcher is one.
type Fetches interface {
	Fetch(ctx context.Context, name string, s *Spec, revision string) (*Content, error)
}

// Follower keeps sources as others publish them.
type Follower struct {
	Store   Store
	Fetcher Fetches
	Workers int              // how many are fetched at the same time; 0 means 4
	Clock   func() time.Time // default time.Now
	Log     *slog.Logger     // receives failures; nil if there is none
}

// followed is what is known of a source.
type followed struct {
	doc     *dovetail.Document
	spec    string // digest of what is followed; "" if there is nothing
	next    time.Time
	running bool
	again   bool // it was changed while it was fetched
}

// done is what came of a fetch.
type done struct {
	id       dovetail.ID
	interval time.Duration
}

// Run follows all sources until the context ends, or its view of the store is lost, which it returns as the error. One process at a time
// should do so, under the fence of its lease.
func (f *Follower) Run(ctx context.Context, fence store.Condition) error {
	if f.Workers <= 0 {
		f.Workers = 4
	}
	if f.Clock == nil {
		f.Clock = time.Now
	}
	if f.Log == nil {
		f.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	finished := make(chan done)
	defer func() {
		cancel()
		working.Wait()
	}()
	from, err := f.Store.Head(ctx)
	if err != nil {
		return err
	}
	known := make(map[dovetail.ID]*followed)
	for doc, err := range f.Store.Documents(ctx, store.ListQuery{Kind: sourcedoc.KindSource}) {
		if err != nil {
			return err
		}
		f.meet(known, doc)
	}
	events, failed := make(chan store.Event), make(chan error, 1)
	working.Go(func() { failed <- f.watch(ctx, from, events) })
	running := 0
	for {
		timer := time.NewTimer(f.start(known, f.Workers-running, func(id dovetail.ID, k *followed) {
			running++
			doc := k.doc
			working.Go(func() {
				interval := f.refresh(ctx, doc, fence)
				select {
				case finished <- done{id, interval}:
				case <-ctx.Done():
				}
			})
		}))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case err := <-failed:
			timer.Stop()
			return err
		case event := <-events:
			for _, change := range event.Changes {
				f.take(known, change)
			}
		case d := <-finished:
			running--
			if k := known[d.id]; k != nil {
				k.running = false
				if k.next = f.Clock().Add(d.interval); k.again {
					k.again, k.next = false, time.Time{}
				}
			}
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (f *Follower) watch(ctx context.Context, from store.Cursor, events chan<- store.Event) error {
	for event, err := range f.Store.Watch(ctx, from, store.WatchQuery{Kind: sourcedoc.KindSource}) {
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

// start starts those that are due, the longest ago first, and returns how long it takes until the next one is.
func (f *Follower) start(known map[dovetail.ID]*followed, free int, run func(dovetail.ID, *followed)) time.Duration {
	const longest = time.Minute // after which the clock is examined again: it may be set
	now, wait := f.Clock(), longest
	ids := slices.SortedFunc(maps.Keys(known), func(a, b dovetail.ID) int { return known[a].next.Compare(known[b].next) })
	for _, id := range ids {
		k := known[id]
		switch left := k.next.Sub(now); {
		case k.running || k.spec == "":
		case left > 0:
			wait = min(wait, left)
		case free > 0:
			free--
			k.running = true
			run(id, k)
		}
	}
	return wait
}

// meet notes what a source follows, and reports whether that is another than before.
func (f *Follower) meet(known map[dovetail.ID]*followed, doc *dovetail.Document) (k *followed, changed bool) {
	k = known[doc.ID]
	if k == nil {
		k = &followed{}
		known[doc.ID] = k
	}
	spec := ""
	if data, err := value.DataOf(doc, nil); err == nil && data.At("spec", "follow") != nil {
		spec = specDigest(data)
	}
	changed = spec != k.spec || k.doc == nil || k.doc.UID != doc.UID
	k.doc, k.spec = doc, spec
	return k, changed
}

// take takes in a change of a source: another thing to follow, or a refresh that is asked for, is done at once.
func (f *Follower) take(known map[dovetail.ID]*followed, change store.EventChange) {
	if change.Kind != sourcedoc.KindSource {
		return
	}
	if change.Document == nil {
		if change.Op == store.Deleted {
			delete(known, change.ID)
		}
		return
	}
	k, changed := f.meet(known, change.Document)
	if changed || isRequested(ReadStatus(change.Document)) {
		k.next, k.again = time.Time{}, k.running
	}
}

// isRequested reports whether a refresh is asked for that is not done.
func isRequested(s Status) bool {
	return s.Requested != nil && (s.Refreshed == nil || s.Refreshed.Before(*s.Requested))
}

// refresh fetches what a source follows, and stores it. It returns when to do so again.
func (f *Follower) refresh(ctx context.Context, doc *dovetail.Document, fence store.Condition) time.Duration {
	interval := DefaultInterval
	err := store.Transact(ctx, func() error {
		current, err := f.Store.Get(ctx, doc.ID)
		if err != nil {
			return err
		}
		interval, err = f.once(ctx, current, fence)
		if dovetail.CodeOf(err) == dovetail.CodeStale { // the source was written meanwhile
			return store.Retry(err)
		}
		return err
	})
	if err != nil && ctx.Err() == nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
		f.Log.Warn("a source could not be followed", "source", doc.ID, "error", err)
	}
	return interval
}

// once fetches and stores. What is wrong with what is followed is noted in the status; the error is that of the store.
func (f *Follower) once(ctx context.Context, doc *dovetail.Document, fence store.Condition) (time.Duration, error) {
	key := doc.Key()
	name := key[len(key)-1].Value
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return DefaultInterval, err
	}
	if data.At("spec", "follow") == nil {
		return DefaultInterval, nil
	}
	before := ReadStatus(doc)
	status := before
	if status.Spec != specDigest(data) { // of something else
		status = Status{Spec: specDigest(data), Requested: before.Requested, Refreshed: before.Refreshed, Packages: before.Packages, Versions: before.Versions, Updated: before.Updated}
	}
	status.Error, status.ErrorCode, status.Refreshed = "", "", status.Requested
	spec, err := SpecOf(name, data)
	if err != nil {
		status.fail(err)
		return DefaultInterval, f.write(ctx, doc, nil, &status, fence)
	}
	content, err := f.Fetcher.Fetch(ctx, name, spec, status.Revision)
	defer content.Release()
	switch {
	case ctx.Err() != nil:
		return spec.Interval, dovetail.AsError(ctx.Err())
	case err != nil:
		status.fail(err)
		return spec.Interval, f.write(ctx, doc, nil, &status, fence)
	case content == nil || content.Digest == status.Digest: // nothing was published
		return spec.Interval, f.write(ctx, doc, nil, &status, fence)
	case len(content.Source.Get("packages").Items) == 0 && len(content.Quarantined) == 0:
		status.fail(errEmpty)
		return spec.Interval, f.write(ctx, doc, nil, &status, fence)
	}
	return spec.Interval, f.store(ctx, doc, name, content, &status, fence)
}

// errEmpty keeps what is stored where nothing is published any more, which is more likely a mistake than meant.
var errEmpty = &dovetail.Error{Code: dovetail.CodeInvalid, Message: "what is followed has no packages, so what is stored stays", Remedy: "delete the packages, or the source, if that is meant"}

// store stores what was published. Packages that the store refuses are quarantined as those that cannot be read.
func (f *Follower) store(ctx context.Context, doc *dovetail.Document, name string, content *Content, status *Status, fence store.Condition) error {
	for {
		now := f.Clock().UTC()
		status.of(content)
		status.Updated = &now
		operations, err := f.operations(ctx, doc.ID, name, content)
		if err == nil {
			err = f.write(ctx, doc, operations, status, fence)
		}
		refused := refusedPackages(doc.ID, err)
		switch code := dovetail.CodeOf(err); {
		case err == nil || code == dovetail.CodeStale || code == dovetail.CodeUnavailable || code == dovetail.CodeUnknown || code == dovetail.CodeConflict || ctx.Err() != nil:
			return err
		case len(refused) == 0:
			failed := ReadStatus(doc)
			failed.Spec, failed.Refreshed = status.Spec, status.Requested
			failed.fail(err)
			return f.write(ctx, doc, nil, &failed, fence)
		}
		content.quarantine(refused)
	}
}

// quarantine takes packages out of what is stored.
func (c *Content) quarantine(refused map[string]string) {
	list := c.Source.Get("packages")
	list.Items = slices.DeleteFunc(slices.Clone(list.Items), func(p *value.Value) bool {
		pkg, _ := textMember(p, "name")
		return refused[pkg] != ""
	})
	for _, pkg := range slices.Sorted(maps.Keys(refused)) {
		c.Quarantined = append(c.Quarantined, Quarantined{pkg, refused[pkg]})
	}
}

// refusedPackages are those of which an error says that something is wrong, and what.
func refusedPackages(source dovetail.ID, err error) map[string]string {
	if err == nil {
		return nil
	}
	e := dovetail.AsError(err)
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	refused := make(map[string]string)
	for _, part := range parts {
		if !part.Key.IsDescendantOf(source) {
			return nil // it is not about packages alone
		}
		pkg := part.Key.Key()[1].Value
		if refused[pkg] == "" {
			refused[pkg] = part.Message
		}
	}
	return refused
}

// operations make what is stored of a source equal to what was published, except what is quarantined.
func (f *Follower) operations(ctx context.Context, id dovetail.ID, name string, content *Content) ([]store.Operation, error) {
	kept := make(map[string]bool)
	for _, q := range content.Quarantined {
		kept[q.Package] = true
	}
	stored := []dovetail.ID{id}
	for doc, err := range f.Store.Documents(ctx, store.ListQuery{Under: id}) {
		if err != nil {
			return nil, err
		}
		if key := doc.Key(); !kept[key[1].Value] {
			stored = append(stored, doc.ID)
		}
	}
	return sourcedoc.Refresh(ctx.Err, name, content.Source, nil, stored)
}

// write writes packages and status in one transaction, if there is anything to write.
func (f *Follower) write(ctx context.Context, doc *dovetail.Document, operations []store.Operation, status *Status, fence store.Condition) error {
	next, err := status.document(doc, f.Clock())
	if err != nil {
		return err
	}
	if len(operations) == 0 && bytes.Equal(next.AppendJSON(nil), doc.Status) {
		return nil
	}
	operations = append(slices.Clone(operations), store.Operation{Verb: store.PutStatus, ID: doc.ID, Data: next, Inputs: doc.Inputs, IfMatch: []dovetail.ETag{doc.ETag()}})
	_, err = f.Store.Apply(ctx, operations, store.Options{Fence: &fence, Message: "follow " + string(doc.ID)})
	return err
}
