package kv

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Batch is a set of writes that are done all or not at all. It reads what the database holds with its
// own writes. It is good until the function that got it returns.
type Batch struct {
	View
	db     *DB
	record []byte // of the log, with the writes so far that were not spilled
	err    error  // of spilling; nothing of the batch may count
}

// Update calls change with a batch, and makes what it wrote durable; then readers see it. Only one
// may be under way. When much was written lately it may wait for the flusher. When it returns an
// error, that of change or its own, nothing was written, except with CodeUnknown.
func (db *DB) Update(change func(*Batch) error) error {
	b, err := db.begin()
	if err != nil {
		return err
	}
	err = guarded(func() error { return change(b) })
	b.tx.Rollback() // it was for reading only
	if b.empty() {
		return err
	}
	if err == nil {
		err = b.err
	}
	if err == nil {
		err = db.append(b.record)
	}
	if err != nil {
		db.forget()
		return err
	}
	db.publish()
	if cap(b.record) <= growth {
		db.record = b.record
	}
	db.freezeIfFull()
	return nil
}

func (db *DB) begin() (*Batch, error) {
	switch broken, unsettled := db.broken.Load(), db.unsettled.Load(); {
	case db.closed.Load():
		return nil, closed()
	case db.options.ReadOnly:
		return nil, readOnly()
	case broken != nil:
		return nil, broken
	case unsettled != nil:
		return nil, unsettled
	}
	if err := db.makeRoom(); err != nil {
		return nil, err
	}
	view, err := db.view()
	if err != nil {
		return nil, err
	}
	// The view's own copy of the live table backs off to the one that is written to.
	view.tables[0] = db.live
	record := slices.Grow(db.record[:0], recordHeader)[:recordHeader]
	return &Batch{View: view, db: db, record: record}, nil
}

// Put sets the value of a key. It keeps the value, which must not change afterwards; nil is kept as
// an empty value.
func (b *Batch) Put(space Space, key, value []byte) {
	if value == nil {
		value = []byte{}
	}
	b.write(space, key, value)
}

// Delete removes a key, if it is there.
func (b *Batch) Delete(space Space, key []byte) { b.write(space, key, nil) }

func (b *Batch) write(space Space, key, value []byte) {
	b.record = appendWrite(b.record, space, key, value)
	b.db.live.set(space, key, value)
	if len(b.record) >= b.db.options.spillSize {
		b.spill()
	}
}

// spill moves the writes so far into the log, where they do not count yet.
func (b *Batch) spill() {
	if b.err == nil {
		b.err = notAppended(b.db.log.spill(b.record[recordHeader:]))
	}
	b.record = b.record[:recordHeader]
}

func (b *Batch) empty() bool {
	return len(b.record) == recordHeader && b.db.log.spilled == 0 && b.err == nil
}

// append writes a batch to the log.
func (db *DB) append(record []byte) error {
	// gofail: var beforeLog struct{}
	unsure, err := db.log.append(record)
	// gofail: var afterLog struct{}
	switch {
	case err == nil:
		return nil
	case unsure:
		return db.stop(stopped(err), notKnown(err))
	}
	return notAppended(err)
}

// notAppended is the error of a write to the log that certainly does not count.
func notAppended(err error) error {
	if err == nil || dovetail.CodeOf(err) == dovetail.CodeTooLarge {
		return err
	}
	return NotWritten(err)
}

// publish shows readers the live table as it is now.
func (db *DB) publish() {
	db.mu.Lock()
	defer db.mu.Unlock()
	next := *db.state.Load()
	next.live = db.live.copy()
	db.state.Store(&next)
}

// forget takes back from the live table what readers were not shown.
func (db *DB) forget() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.live = db.state.Load().live.copy()
	db.log.drop()
}
