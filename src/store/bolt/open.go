package bolt

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// format is the version of what the spaces hold. A file of another one is refused.
const format = "4"

// earlier are the formats of files that are taken over: they lack spaces, have all versions whole, or differences among them.
var earlier = []string{"1", "2", "3"}

// Options of a store. The zero value is what a server wants.
type Options struct {
	// Clock gives the time of commits; nil means time.Now.
	Clock func() time.Time
	// History is how many commits Changes can look back; 0 means 100,000. A commit takes about 150
	// bytes for each of its documents.
	History int
	// HistoryBytes is how much the earlier versions of documents that these commits replaced may take, before the oldest are
	// dropped; 0 means 1 GiB. Then less can be read of the past; Changes looks back as far as before.
	HistoryBytes int
	// LockTimeout is how long Open waits for another process to release the file; 0 means a second.
	LockTimeout time.Duration
	// ReadOnly opens an existing file without changing it. Several processes may do that at once,
	// while none has it open for writing.
	ReadOnly bool
	// Logger gets what operators should know; nil means nothing is logged.
	Logger *slog.Logger

	// tableSize and mapSize are those of package kv; for tests.
	tableSize, mapSize int
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.History <= 0 {
		o.History = 100_000
	}
	if o.HistoryBytes <= 0 {
		o.HistoryBytes = 1 << 30
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// files returns the options of package kv.
func (o Options) files() kv.Options {
	return kv.Options{
		Spaces:      spaceNames,
		Format:      format,
		Earlier:     earlier,
		LockTimeout: o.LockTimeout,
		ReadOnly:    o.ReadOnly,
		Logger:      o.Logger,
		TableSize:   o.tableSize,
		MapSize:     o.mapSize,
	}
}

// Salvage writes what is intact of the store at path, whose log is damaged, to a new file, and changes nothing of the original.
// It returns a finding of each damage, whose commits are left out; Check finds in the new file what they leave without a
// target.
//
// Errors: those of Open where the file itself is damaged; CodeInvalid when there is a file of the new name.
func Salvage(path, to string) ([]store.Finding, error) {
	lost, err := kv.Salvage(path, to, Options{}.withDefaults().files())
	if err != nil {
		return nil, err
	}
	findings := make([]store.Finding, len(lost))
	for i, err := range lost {
		findings[i] = store.Finding{Problem: logDamaged, Message: err.Error()}
	}
	return findings, nil
}

// Backend is a store in one file. Open makes it. Its methods may be called by any number of
// goroutines at the same time.
type Backend struct {
	db      *kv.DB
	path    string
	options Options

	queue queue         // of transactions that wait for the writer
	news  notifier      // wakes the readers of Changes
	tail  tail          // of the change log
	done  chan struct{} // closed when the writer has ended

	// update is db.Update; tests stand between.
	update func(func(*kv.Batch) error) error
	// last is the time of the latest commit: times in the log never go back. It belongs to the writer.
	last time.Time
	// degraded says that the last group could not be written.
	degraded atomic.Bool
	// full says that a group did not fit the disk, and Ping has found no space since.
	full atomic.Bool
	// probe looks for space; tests stand in for the disk.
	probe func() error
}

var _ store.Backend = (*Backend)(nil)

// Open opens the store in the file at path, which with its folders is created when it is not there.
// Close must be called in the end. While it is open, and after a crash, two files beside it,
// PATH-log0 and PATH-log1, belong to it.
//
// Errors: CodeUnavailable when the file is in use by another process or cannot be read or written,
// CodeCorrupt when it is damaged, CodeInvalid when it is something else: a folder, the database of
// another program, a store of another format. A file that is refused is not changed.
func Open(path string, options Options) (*Backend, error) {
	options = options.withDefaults()
	db, err := kv.Open(path, options.files())
	if err != nil {
		return nil, err
	}
	b := &Backend{db: db, path: path, options: options, done: make(chan struct{}), update: db.Update,
		probe: func() error { return probe(path) }}
	if err := b.readLast(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	b.queue.init()
	b.news.init()
	go b.run()
	return b, nil
}

// readLast reads the time of the latest commit. A damaged log is for its readers to find.
func (b *Backend) readLast() error {
	return b.db.View(func(v *kv.View) error {
		if bounds, err := readBounds(v); err == nil {
			set, _, _ := b.transaction(v, bounds.last)
			b.last = set.Time
		}
		return nil
	})
}

// Close waits for the commits in flight and closes the file.
func (b *Backend) Close() error {
	b.queue.close()
	b.news.close()
	<-b.done
	return b.db.Close()
}

// Ping implements store.Backend. After a failed write it tries one that means nothing, and after one that did not fit
// the disk it looks for space, so that a store whose disk was full for a while is well again. A store that is open for reading only need
// not write.
func (b *Backend) Ping(ctx context.Context) error {
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	if err := b.db.Health(); err != nil {
		return err
	}
	if b.full.Load() {
		if err := b.probe(); err != nil {
			return err
		}
		b.full.Store(false)
	}
	if b.degraded.Load() {
		return b.do(ctx, func(batch *kv.Batch) error {
			batch.Put(meta, []byte("ping"), nil)
			return nil
		})
	}
	return b.view(ctx, func(*kv.View) error { return nil })
}

// view calls read with what the store holds at one instant. What read got from it is not valid
// afterwards. It must not call anything that waits for a commit.
func (b *Backend) view(ctx context.Context, read func(*kv.View) error) error {
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	return b.db.View(read)
}
