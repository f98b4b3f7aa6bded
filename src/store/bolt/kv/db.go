package kv

import (
	"errors"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// DB is an open database. View may be called by any number of goroutines at the same time, Update by
// one at a time, Close in the end, when nothing else runs.
type DB struct {
	file    atomic.Pointer[bbolt.DB]
	path    string
	options Options
	names   [][]byte // of the spaces
	owner   atomic.Pointer[owner]
	closed  atomic.Bool

	checkpoint *checkpoint // that the file is, until it is taken over
	logged     bool        // the file says that there is a log
	replayed   uint64      // generation up to which the log was read

	// unsettled is the answer to all writes until the database is settled; nil from then on.
	unsettled atomic.Pointer[dovetail.Error]
	opening   sync.Mutex // guards the exchange of the file

	state atomic.Pointer[state] // what readers see

	// These belong to the goroutine that writes.
	live   table // what was written, by a batch under way too
	log    *log
	record []byte // to be used again

	// These are of the flusher.
	mu          sync.Mutex
	flushed     sync.Cond     // signals the end of a flush, good or not
	flushError  error         // of the last attempt
	work        chan flushing // a frozen table
	flusherDone chan struct{}
	commit      func(*bbolt.Tx) error // tests let it fail

	// broken, once set, is the answer to all writes.
	broken atomic.Pointer[dovetail.Error]
	// stuck says that bbolt holds its lock for good.
	stuck bool
}

// state is what readers see beside the file. It does not change; a new one replaces it.
type state struct {
	live   table
	frozen *table // is being flushed; nil when none is
	// since is the bbolt transaction from which on the file holds all that is in neither table.
	since int
}

func newDB(file *bbolt.DB, path string, options Options) *DB {
	db := &DB{path: path, options: options, commit: (*bbolt.Tx).Commit,
		work: make(chan flushing, 1), flusherDone: make(chan struct{})}
	db.file.Store(file)
	db.flushed.L = &db.mu
	for _, name := range options.Spaces {
		db.names = append(db.names, []byte(name))
	}
	return db
}

// owner is whose positions the database knows.
type owner struct {
	identity string
	former   []string // notes of the checkpoints that the database comes from
}

// Identity returns the random name that the database got when it was made.
func (db *DB) Identity() string { return db.owner.Load().identity }

// View calls read with what the database holds at one instant. It neither waits for a batch nor
// holds one up. read must not wait for a batch either: a table that is full waits for the flusher,
// and that may wait for readers.
func (db *DB) View(read func(*View) error) (err error) {
	defer catchFaults()()
	defer guard(&err)
	v, err := db.view()
	if err != nil {
		return err
	}
	defer v.tx.Rollback()
	return read(&v)
}

// view returns a view whose transaction the caller ends.
func (db *DB) view() (View, error) {
	for {
		file := db.file.Load()
		tx, err := file.Begin(false)
		if err != nil {
			if errors.Is(err, berrors.ErrDatabaseNotOpen) {
				if db.isReplaced(file) {
					continue
				}
				return View{}, closed()
			}
			return View{}, damagedFile(err)
		}
		// The state is read after the file, so that all that the file has was in a table of an
		// earlier state. What the state left out since then is in the file, but not for this
		// transaction: that one is too old.
		s := db.state.Load()
		if tx.ID() < s.since {
			tx.Rollback()
			continue
		}
		if s.frozen != nil {
			return newView(tx, db.names, s.live, *s.frozen), nil
		}
		return newView(tx, db.names, s.live), nil
	}
}

// Health returns why nothing can be written at the moment, nil when nothing is known against it.
func (db *DB) Health() error {
	if broken := db.broken.Load(); broken != nil {
		return broken
	}
	if unsettled := db.unsettled.Load(); unsettled != nil {
		return unsettled
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.flushError != nil {
		return NotWritten(db.flushError)
	}
	return nil
}

// stop makes all writes from here on return later, and returns now.
func (db *DB) stop(later, now *dovetail.Error) error {
	db.options.Logger.Error("the store stops writing", "file", db.path, "error", later.Err)
	db.broken.CompareAndSwap(nil, later)
	return now
}
