package mongo

import (
	"context"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Backend is a store.Backend on a MongoDB database or a compatible one. It is safe for concurrent use, and any number of backends
// may use the same database.
type Backend struct {
	*protocol.Engine

	client     *mongo.Client
	database   *mongo.Database
	server     *server
	runtime    *protocol.Runtime
	options    Options
	clock      clock.Clock // Options.Protocol.Clock
	replicated bool        // the server is a replica set or a sharded cluster, which support sessions and change streams
	// readConcern is that of the connection string, nil if there is none.
	readConcern *readconcern.ReadConcern

	name       string // of the store
	member     protocol.Member
	announcing sync.Mutex                        // guards member.Name, and orders level updates by when they were read
	registered atomic.Pointer[protocol.Registry] // as last read by this process
	refused    atomic.Pointer[error]             // set once the store is at a level that this process does not know

	running sync.WaitGroup
	stop    context.CancelFunc
	silence *silence
	wrote   atomic.Bool   // since the last sweep
	active  chan struct{} // receives an element when wrote becomes true
}

var (
	_ store.Backend = (*Backend)(nil)
	_ store.Remover = (*Backend)(nil)
)

// Commit executes all writes of the transaction if all of its conditions hold; see store.Backend.
func (b *Backend) Commit(ctx context.Context, txn store.Txn) error {
	return b.silence.bound(func() error {
		ctx, end := b.consistent(ctx)
		defer end()
		if !isInternal(txn) {
			b.begin()
		}
		err := b.Engine.Commit(ctx, txn)
		if err == nil && len(txn.Puts)+len(txn.Deletes) > 0 {
			b.runtime.Notify()
		}
		return err
	})
}

// Remove implements store.Remover.
func (b *Backend) Remove(ctx context.Context, id dovetail.ID, by store.Provenance, plan func(*dovetail.Document) (store.Txn, bool)) (bool, error) {
	var removed atomic.Bool
	err := b.silence.bound(func() error {
		ctx, end := b.consistent(ctx)
		defer end()
		b.begin()
		done, err := b.Engine.Remove(ctx, id, by, plan)
		if done {
			removed.Store(true)
			b.runtime.Notify()
		}
		return err
	})
	return removed.Load(), err
}

// begin records a write that may leave intents to sweep.
func (b *Backend) begin() {
	if b.wrote.CompareAndSwap(false, true) {
		select {
		case b.active <- struct{}{}:
		default:
		}
	}
}

// isInternal reports whether a transaction only writes one of the store's own documents, such as a heartbeat.
func isInternal(txn store.Txn) bool {
	return len(txn.Deletes) == 0 && len(txn.Puts) == 1 && store.IsInternal(txn.Puts[0].ID)
}

// Head returns the current cursor.
func (b *Backend) Head(ctx context.Context) (store.Cursor, error) {
	ctx, end := b.consistent(ctx)
	defer end()
	return b.Engine.Head(ctx)
}

// Changes yields what is committed after the cursor, and then waits for more; see store.Backend.
func (b *Backend) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		ctx, end := b.consistent(ctx)
		defer end()
		b.Engine.Changes(ctx, after)(yield)
	}
}

// ChangesUntilNow ends where Changes would wait; see store.Backend.
func (b *Backend) ChangesUntilNow(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		ctx, end := b.consistent(ctx)
		defer end()
		b.Engine.ChangesUntilNow(ctx, after)(yield)
	}
}

// consistent returns a context in which reads return data acknowledged by a majority of a replica set, including everything that
// was written or read in the context before. A standalone server does not need a session.
func (b *Backend) consistent(ctx context.Context) (context.Context, context.CancelFunc) {
	if !b.replicated {
		return ctx, func() {}
	}
	session, err := b.client.StartSession(options.Session().SetCausalConsistency(true))
	if err != nil { // the client is closed; the next operation returns the error
		return ctx, func() {}
	}
	return mongo.NewSessionContext(ctx, session), func() { session.EndSession(context.WithoutCancel(ctx)) }
}

// Check finds missing indexes, and compares the indexes over references with the documents; see store.Backend.
func (b *Backend) Check(ctx context.Context, repair bool) iter.Seq2[store.Finding, error] {
	return func(yield func(store.Finding, error) bool) {
		for _, findings := range []iter.Seq2[store.Finding, error]{b.server.checkIndexes(ctx, repair), b.Engine.Check(ctx, repair)} {
			for finding, err := range findings {
				if !yield(finding, err) || err != nil {
					return
				}
			}
		}
	}
}

// Capabilities returns the optional features of this backend.
func (b *Backend) Capabilities() store.Capabilities {
	return store.Capabilities{Name: "mongo", MaxDocument: maxStored, Versions: true, Terms: true, EveryTerm: b.hasEveryTerm()}
}

// hasEveryTerm reports whether all processes give documents their terms: at the level at which processes without levels may write, some of
// them may not.
func (b *Backend) hasEveryTerm() bool {
	return protocol.Level(b.server.level.Load()) >= protocol.Implicit
}

// Time returns the time of the database's clock.
func (b *Backend) Time(ctx context.Context) (time.Time, error) { return b.server.Time(ctx) }

// Rewrite replaces what is stored of earlier versions; see store.Backend.
func (b *Backend) Rewrite(ctx context.Context, change func(*dovetail.Document) (*dovetail.Document, error)) error {
	ctx, end := b.consistent(ctx)
	defer end()
	return b.Engine.Rewrite(ctx, change)
}

// Wipe has nothing to overwrite: the server stores the data.
func (b *Backend) Wipe(context.Context) error { return nil }

// SetTerms updates the terms of stored documents; see store.Backend.
func (b *Backend) SetTerms(ctx context.Context, documents []*dovetail.Document) error {
	ctx, end := b.consistent(ctx)
	defer end()
	return b.Engine.SetTerms(ctx, documents)
}

// Ping returns nil if the database can be written.
func (b *Backend) Ping(ctx context.Context) error {
	if refused := b.refused.Load(); refused != nil {
		return *refused
	}
	_, err := b.server.Time(ctx)
	return err
}

// Close stops the background tasks and closes the connections.
func (b *Backend) Close() error {
	const patience = 10 * time.Second
	b.stop()
	b.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	b.runtime.Close(ctx, b.Engine)
	_ = registry{b.server}.Leave(ctx, b.member.ID) // otherwise it expires
	return readError(ctx, b.client.Disconnect(ctx))
}

// The wait between sweeps while there is nothing to sweep and this process writes nothing: it starts at a quarter of a lease, and
// grows by the factor restGrows up to maxRest times that, which is five minutes by default.
const (
	restGrows = 4
	maxRest   = 120
)

// Maintain sweeps until the context ends. One process of several is enough; more do no harm, since all writes are conditional on
// what was read. It sweeps four times per lease, and less often when idle.
func (b *Backend) Maintain(ctx context.Context) {
	often := b.options.Protocol.WithDefaults().Lease / 4
	wait := often
	for due := b.clock.Now().Add(wait); ; {
		reached, stop := b.clock.After(due.Sub(b.clock.Now()))
		select {
		case <-ctx.Done():
			stop()
			return
		case <-b.active:
			stop()
			if soon := b.clock.Now().Add(often); soon.Before(due) {
				due = soon
			}
			continue
		case <-reached:
		}
		wrote := b.wrote.Swap(false)
		clean, err := b.Sweep(ctx)
		if err != nil && ctx.Err() == nil {
			b.options.Logger.Warn("sweep failed", "error", err)
		}
		if wait = min(restGrows*wait, maxRest*often); !clean || wrote {
			wait = often
		}
		due = b.clock.Now().Add(wait)
	}
}

// Sweep resolves what dead processes left, in a session: that a transaction was aborted follows from the order of several reads; see
// protocol.Engine.Sweep.
func (b *Backend) Sweep(ctx context.Context) (clean bool, err error) {
	ctx, end := b.consistent(ctx)
	defer end()
	return b.Engine.Sweep(ctx)
}

// listen makes the feeds poll when a change stream of the server reports changes. If it fails, the feeds find the changes at their
// next regular poll.
func (b *Backend) listen(ctx context.Context) {
	const again = 5 * time.Second
	pipeline := mongo.Pipeline{{{Key: "$project", Value: bson.D{{Key: "_id", Value: 1}}}}}
	for ctx.Err() == nil {
		stream, err := b.database.Watch(ctx, pipeline)
		if err == nil {
			for stream.Next(ctx) {
				b.runtime.Notify()
			}
			err = stream.Err()
			_ = stream.Close(context.WithoutCancel(ctx))
		}
		if err != nil && ctx.Err() == nil {
			b.options.Logger.Debug("no change stream", "error", err)
		}
		_ = clock.Sleep(ctx, b.clock, again) // its error ends the loop
	}
}

// Checkpoint implements store.Backend. It is not supported: use the tools of the database server.
func (b *Backend) Checkpoint(context.Context, func(store.Checkpoint) (io.Writer, error)) error {
	return store.NoCheckpoints("on MongoDB")
}
