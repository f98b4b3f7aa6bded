package bolt

import (
	"context"
	"sync/atomic"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Backend is a store in one file. Open makes it. Its methods may be called by any number of
// goroutines at the same time.
type Backend struct {
	db       *bbolt.DB
	path     string
	options  Options
	identity string // of the store, random

	queue queue         // of transactions that wait for the writer
	news  news          // wakes the readers of Changes
	done  chan struct{} // closed when the writer has ended

	// commit makes a bbolt transaction durable; tests let it fail.
	commit func(*bbolt.Tx) error
	// broken, once set, is the answer to all writes.
	broken atomic.Pointer[dovetail.Error]
	// ailing says that the last group could not be written.
	ailing atomic.Bool
	// stuck says that bbolt holds its lock for good; it belongs to the writer.
	stuck bool
}

var _ store.Backend = (*Backend)(nil)

func newBackend(db *bbolt.DB, path string, options Options) *Backend {
	b := &Backend{db: db, path: path, options: options, done: make(chan struct{}), commit: (*bbolt.Tx).Commit}
	b.queue.init()
	b.news.init()
	return b
}

// view calls read with a bbolt transaction that sees one instant. What read got from it is not
// valid afterwards. It must not call anything that waits for a commit.
func (b *Backend) view(ctx context.Context, read func(*bbolt.Tx) error) (err error) {
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	defer catchFaults()()
	defer guard(&err)
	tx, err := b.db.Begin(false)
	if err != nil {
		return readError(err)
	}
	defer tx.Rollback()
	return read(tx)
}

// Get implements store.Backend.
func (b *Backend) Get(ctx context.Context, id dovetail.ID) (d *dovetail.Document, err error) {
	err = b.view(ctx, func(tx *bbolt.Tx) (err error) {
		d, err = get(tx.Bucket(docsBucket), id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
	}
	return d, nil
}

// GetAll implements store.Backend. All are read at one instant.
func (b *Backend) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	all := make([]*dovetail.Document, len(ids))
	err := b.view(ctx, func(tx *bbolt.Tx) (err error) {
		docs := tx.Bucket(docsBucket)
		for i, id := range ids {
			if all[i], err = get(docs, id); err != nil {
				return err
			}
			if i%1024 == 1023 && ctx.Err() != nil {
				return dovetail.AsError(ctx.Err())
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// get returns nil when there is no such document.
func get(docs *bbolt.Bucket, id dovetail.ID) (*dovetail.Document, error) {
	value := docs.Get([]byte(id))
	if value == nil {
		return nil, nil
	}
	d, ok := decodeDocument(id, value)
	if !ok {
		return nil, damagedDocument(id)
	}
	return d, nil
}

// Referrers implements store.Backend.
func (b *Backend) Referrers(ctx context.Context, id, after dovetail.ID, limit int) (found []dovetail.ID, err error) {
	err = b.view(ctx, func(tx *bbolt.Tx) error {
		for key := range scan(tx.Bucket(referrersBucket), referrerKey(id, ""), referrerKey(id, after)) {
			_, referrer, _ := splitKey(key)
			found = append(found, dovetail.ID(referrer))
			if len(found) == limit {
				break
			}
			if len(found)%1024 == 0 && ctx.Err() != nil {
				return dovetail.AsError(ctx.Err())
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Capabilities implements store.Backend.
func (b *Backend) Capabilities() store.Capabilities {
	return store.Capabilities{Name: "bolt", SnapshotList: true, EveryChange: true, MaxDocument: maxDocument}
}

// Ping implements store.Backend. After a failed write it tries an empty one, so that a store whose
// disk was full for a while is well again. A store that is open for reading only need not write.
func (b *Backend) Ping(ctx context.Context) error {
	if broken := b.broken.Load(); broken != nil {
		return broken
	}
	if b.ailing.Load() {
		return b.do(ctx, func(*bbolt.Tx) error { return nil })
	}
	return b.view(ctx, func(tx *bbolt.Tx) error { return nil })
}
