package kv

import (
	"context"
	"encoding/binary"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// A chunk of a table is what goes into the file in one bbolt transaction. Its bounds are those of the memory that the
// transaction takes: for the pages of keys far apart, and for the values.
const (
	chunkEntries = 4096
	chunkBytes   = 2 << 20
)

// overflow is how many times the size of a table the live one may grow while a flush is under way.
const overflow = 4

// retryFlush is the pause after a flush that failed.
const retryFlush = 200 * time.Millisecond

// flushing is a table on its way into the file.
type flushing struct {
	table      table
	generation uint64
}

// makeRoom freezes the live table when it is full. When the last one is not flushed yet, it lets the
// live one grow for a while, and then waits.
func (db *DB) makeRoom() error {
	if db.live.size < db.options.TableSize {
		return nil
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	for db.state.Load().frozen != nil {
		if db.live.size < overflow*db.options.TableSize {
			return nil
		}
		if broken := db.broken.Load(); broken != nil { // which is set before flushError
			return broken
		}
		if db.flushError != nil {
			return NotWritten(db.flushError)
		}
		db.flushed.Wait()
	}
	return db.freeze(keptSize)
}

// freezeIfFull freezes the live table when it is full and the flusher has none, so that it does not wait in memory until
// something else is written. What fails here is tried again by makeRoom, which reports it.
func (db *DB) freezeIfFull() {
	if db.live.size < db.options.TableSize {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.state.Load().frozen == nil {
		_ = db.freeze(keptSize)
	}
}

// freeze gives the live table to the flusher, which has no other, and starts a new one, in a log that is cut back to the size that may
// be kept. The caller holds mu.
func (db *DB) freeze(kept int64) error {
	frozen := flushing{db.live, db.log.synced.generation}
	if err := db.log.begin(frozen.generation+1, kept); err != nil {
		return NotWritten(err)
	}
	next := *db.state.Load()
	db.live = newTable()
	next.live, next.frozen = db.live.copy(), &frozen.table
	db.state.Store(&next)
	db.work <- frozen
	return nil
}

// runFlusher flushes frozen tables until there are no more to come.
func (db *DB) runFlusher() {
	defer close(db.flusherDone)
	db.awaitSettled()
	for frozen := range db.work {
		for !db.flushFrozen(frozen) {
			if db.closed.Load() || db.broken.Load() != nil {
				break
			}
			db.pause()
		}
	}
}

// pause waits before another attempt to write to the file.
func (db *DB) pause() { _ = clock.Sleep(context.Background(), db.options.Clock, retryFlush) }

// flushFrozen flushes the table and takes it from the readers' state, since the file has it now.
func (db *DB) flushFrozen(frozen flushing) (done bool) {
	since, err := db.flush(frozen.table, frozen.generation)
	db.mu.Lock()
	defer db.mu.Unlock()
	defer db.flushed.Broadcast()
	if err != nil && db.flushError == nil {
		db.options.Logger.Warn("the store cannot write to its file; the log keeps what is new", "file", db.path, "error", err)
	}
	if db.flushError = err; err != nil {
		return false
	}
	next := *db.state.Load()
	next.frozen, next.since = nil, since
	db.state.Store(&next)
	return true
}

// flush writes the table into the file, and with its last part that the file has the generation. It
// returns the bbolt transaction from which on that is so. A flush that failed may be repeated.
func (db *DB) flush(t table, generation uint64) (since int, err error) {
	// gofail: var beforeFlush struct{}
	for from, more := "", true; more; {
		since, err = db.update(func(tx *bbolt.Tx) (err error) {
			from, more, err = db.flushChunk(tx, t, from)
			if err == nil && !more {
				err = tx.Bucket(ownBucket).Put(generationKey, binary.BigEndian.AppendUint64(nil, generation))
			}
			return err
		})
		if err != nil {
			return 0, err
		}
		// gofail: var duringFlush struct{}
	}
	// gofail: var afterFlush struct{}
	return since, nil
}

// flushChunk writes the entries of the table from one key on, and says which key comes next.
func (db *DB) flushChunk(tx *bbolt.Tx, t table, from string) (next string, more bool, err error) {
	buckets := make([]*bbolt.Bucket, len(db.names))
	for i, name := range db.names {
		buckets[i] = tx.Bucket(name)
	}
	entries, bytes := 0, 0
	for entry, value := range t.all(from) {
		if entries == chunkEntries || bytes >= chunkBytes {
			return entry, true, nil
		}
		entries++
		bytes += len(entry) + len(value)
		bucket, key := buckets[entry[0]], []byte(entry[1:])
		if value == nil {
			err = bucket.Delete(key)
		} else {
			err = bucket.Put(key, value)
		}
		if err != nil {
			return "", false, err
		}
	}
	return "", false, nil
}

// update changes the file in one synced bbolt transaction, and returns its number. Until bbolt has
// written its header page, the file is as it was, and what comes next may succeed. When the header
// is written, but the disk did not confirm it, the next transaction might write over pages that the
// disk's state needs; then the database stops writing.
func (db *DB) update(change func(*bbolt.Tx) error) (id int, err error) {
	tx, err := db.file.Load().Begin(true)
	if err != nil {
		return 0, err
	}
	id = tx.ID()
	err = guarded(func() error {
		if err := change(tx); err != nil {
			return err
		}
		return db.commit(tx)
	})
	if err == nil {
		return id, nil
	}
	// After an error of its own bbolt has rolled back. After a panic not even that may succeed.
	if dovetail.CodeOf(guarded(tx.Rollback)) == dovetail.CodeCorrupt {
		db.stuck = true
	}
	visible := 0
	looked := guarded(func() error {
		return db.file.Load().View(func(tx *bbolt.Tx) error { visible = tx.ID(); return nil })
	})
	switch {
	case looked != nil || visible >= id:
		return 0, db.stop(stopped(err), stopped(err))
	case dovetail.CodeOf(err) == dovetail.CodeCorrupt:
		return 0, db.stop(dovetail.AsError(err), dovetail.AsError(err))
	}
	return 0, err
}

func guarded(do func() error) (err error) {
	defer catchFaults()()
	defer guard(&err)
	return do()
}

// drain flushes all that is in memory, or returns why that cannot be done. Of a database that is not settled the log has all.
func (db *DB) drain() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for {
		if broken := db.broken.Load(); broken != nil {
			return broken
		}
		switch {
		case db.unsettled.Load() != nil:
			return nil
		case db.state.Load().frozen != nil:
			db.flushed.Wait()
			if db.flushError != nil {
				return db.flushError
			}
		case db.live.empty():
			return nil
		default:
			if err := db.freeze(keptSize); err != nil {
				return err
			}
		}
	}
}
