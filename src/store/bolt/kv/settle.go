package kv

import (
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A database is opened in two steps. The first only reads: the file, and the log into memory, which is all that readers need.
// The second, settling, writes: the log into the file, and new log files. On a disk that is full or read-only it fails, and is
// tried again until it succeeds; until then writes are refused. It may be repeated after each of its parts, like an
// opening after a crash.

// settle makes the database ready for writes.
func (db *DB) settle() error {
	if err := db.openForWriting(); err != nil {
		return err
	}
	if err := db.takeOver(); err != nil {
		return err
	}
	if err := db.upgrade(); err != nil {
		return err
	}
	since := 0
	if s := db.state.Load(); s.frozen != nil {
		if !s.frozen.empty() {
			if db.unsettled.Load() == nil { // the first attempt
				db.options.Logger.Info("bringing the store up to date from its log", "file", db.path, "writes", s.frozen.entries.Len())
			}
			var err error
			if since, err = db.flush(*s.frozen, db.replayed); err != nil {
				return err
			}
		}
	}
	log, err := openLog(db.path, db.Identity(), db.replayed+1, !db.logged)
	if err != nil {
		return err
	}
	if err := db.markLogged(db.logged, true); err != nil {
		_ = log.close() // what was written to it does not count
		return err
	}
	db.log, db.live = log, newTable()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.state.Store(&state{live: db.live.copy(), since: since})
	db.unsettled.Store(nil)
	return nil
}

// trySettle settles the database, or notes why that must wait. It returns an error where waiting does not help.
func (db *DB) trySettle() (err error) {
	defer catchFaults()()
	defer guard(&err)
	err = db.settle()
	if err == nil || !onlyReads(err) {
		return err
	}
	if db.unsettled.Swap(NotWritten(err)) == nil {
		db.options.Logger.Warn("the store serves reads only, until it can write", "file", db.path, "error", err)
	}
	return nil
}

// awaitSettled tries to settle the database until it succeeds or the database is closed.
func (db *DB) awaitSettled() {
	for db.unsettled.Load() != nil && !db.closed.Load() {
		db.pause()
		if db.closed.Load() {
			return
		}
		switch err := db.trySettle(); {
		case err != nil:
			e := dovetail.AsError(openError(db.path, err))
			_ = db.stop(e, e) // the log says it, and all writes from here on
			return
		case db.unsettled.Load() == nil:
			db.options.Logger.Info("the store can write again", "file", db.path)
		}
	}
}

// openForWriting opens again a file that is open for reading, because its file system was read-only. Readers are waited for: they and the
// writer must know of each other.
func (db *DB) openForWriting() error {
	db.opening.Lock()
	defer db.opening.Unlock()
	old := db.file.Load()
	if !old.IsReadOnly() {
		return nil
	}
	probe, err := os.OpenFile(db.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := probe.Close(); err != nil {
		return err
	}
	was := transactionOf(old)
	if err := old.Close(); err != nil {
		return err
	}
	file, err := openBolt(db.path, db.options)
	if err != nil && onlyReads(err) { // it was writable for a moment
		reading := db.options
		reading.ReadOnly = true
		var again error
		if file, again = openBolt(db.path, reading); again != nil {
			return again
		}
	} else if err != nil {
		return err
	}
	db.file.Store(file)
	if transactionOf(file) != was {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: fmt.Sprintf("another process has written to %s", db.path),
			Remedy: "restart the server, so that it reads what is new"}
	}
	return err
}

// transactionOf is the number of the last transaction in the file.
func transactionOf(file *bbolt.DB) (id int) {
	_ = file.View(func(tx *bbolt.Tx) error { id = tx.ID(); return nil }) // 0 for a file that is closed, which is no number of one
	return id
}

// isReplaced reports whether another file has taken the place of this one, which was closed. It waits for one that is being opened.
func (db *DB) isReplaced(file *bbolt.DB) bool {
	db.opening.Lock()
	defer db.opening.Unlock()
	return db.file.Load() != file
}
