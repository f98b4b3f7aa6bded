package finder

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Source is the database; store.Backend is one.
type Source interface {
	Head(ctx context.Context) (store.Cursor, error)
	List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error]
	Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error]
}

// mostDocuments bounds the memory of an index, to some 200 bytes each.
const mostDocuments = 1_000_000

// idle is after what time without a query the index is dropped.
const idle = 15 * time.Minute

// Finder finds documents of a database, with an index that it makes when it is first asked. It is safe for concurrent use.
type Finder struct {
	source Source
	most   int
	close  context.CancelFunc
	done   context.Context //nolint:containedctx // it ends what goes on after a query

	mu      sync.Mutex
	current *following
}

// following is an index that follows the database.
type following struct {
	index   Index
	ready   chan struct{} // closed when the index is filled, or failed
	err     error         // why it failed
	partial atomic.Bool   // the database has more documents than the index
	expiry  *time.Timer
}

// New returns a Finder for the documents of the database.
func New(source Source) *Finder {
	done, cancel := context.WithCancel(context.Background())
	return &Finder{source: source, most: mostDocuments, done: done, close: cancel}
}

// Close ends what the Finder does in the background.
func (f *Finder) Close() { f.close() }

// Find returns what fits the query best; see Index.Find. What was written a moment ago may be missing yet. Partial says that the
// database has more documents than are searched.
func (f *Finder) Find(ctx context.Context, q Query) (found []Match, partial bool, err error) {
	c, err := f.filled(ctx)
	if err != nil {
		return nil, false, err
	}
	return c.index.Find(q), c.partial.Load(), nil
}

// Count returns how many documents there are of each kind below one, or everywhere; see Index.Count. What was written a moment ago may be missing yet. Partial
// says that the database has more documents than are counted.
func (f *Finder) Count(ctx context.Context, under dovetail.ID, reads func(kind string, id dovetail.ID) bool) (counts map[string]int, partial bool, err error) {
	c, err := f.filled(ctx)
	if err != nil {
		return nil, false, err
	}
	return c.index.Count(under, reads), c.partial.Load(), nil
}

// filled returns the index once it has all documents.
func (f *Finder) filled(ctx context.Context) (*following, error) {
	c := f.use()
	select {
	case <-c.ready:
		return c, c.err
	case <-ctx.Done():
		return nil, dovetail.AsError(ctx.Err())
	}
}

// use returns the index, and begins to fill one if there is none.
func (f *Finder) use() *following {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current != nil && f.current.expiry.Reset(idle) {
		return f.current
	}
	ctx, cancel := context.WithCancel(f.done)
	c := &following{ready: make(chan struct{}), expiry: time.AfterFunc(idle, cancel)}
	f.current = c
	go func() {
		defer cancel()
		f.follow(ctx, c)
		f.mu.Lock()
		defer f.mu.Unlock()
		c.expiry.Stop()
		if f.current == c {
			f.current = nil
		}
	}()
	return c
}

// follow fills the index and keeps it current until the context or the feed ends; the next query makes another one then.
func (f *Finder) follow(ctx context.Context, c *following) {
	from, err := f.fill(ctx, c)
	c.err = err
	close(c.ready)
	if err != nil {
		return
	}
	for set, err := range f.source.Changes(ctx, from) {
		if err != nil {
			return
		}
		for _, change := range set.Changes {
			switch {
			case change.Op == store.Deleted:
				c.index.Delete(change.ID)
			case store.IsInternal(change.ID):
			case c.index.Len() == f.most:
				c.partial.Store(c.partial.Load() || !c.index.Has(change.ID))
			default:
				c.index.Put(change.ID, change.Kind)
			}
		}
	}
}

// fill reads the names of all documents. It returns where the changes go on.
func (f *Finder) fill(ctx context.Context, c *following) (store.Cursor, error) {
	from, err := f.source.Head(ctx) // before the list, so that nothing slips between
	if err != nil {
		return "", err
	}
	for doc, err := range f.source.List(ctx, store.Query{}) {
		switch {
		case doc == nil: // an error of a single document, which comes with it, hides no name
			return "", err
		case store.IsInternal(doc.ID):
		case c.index.Len() == f.most:
			c.partial.Store(true)
			return from, nil
		default:
			c.index.Put(doc.ID, doc.Kind)
		}
	}
	return from, nil
}
