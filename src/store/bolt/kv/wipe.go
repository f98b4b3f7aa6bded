package kv

import (
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"
)

// wipeBucket fills the free pages of the file while it is wiped.
var wipeBucket = []byte("wipe")

// wipeChunk is how many pages are overwritten in one transaction.
const wipeChunk = chunkBytes / 4096

// Flush moves all that was written into the file, and clears the logs of what they held before. Like Update it belongs to the one that
// writes.
func (db *DB) Flush() error {
	b, err := db.begin()
	if err != nil {
		return err
	}
	b.tx.Rollback()
	if err := db.drain(); err != nil {
		return err
	}
	for range 2 { // each clears the log that it turns to
		if err := db.turn(); err != nil {
			return err
		}
	}
	return nil
}

// turn begins a generation in the other log, without anything that it held, and waits until the file has it.
func (db *DB) turn() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.freeze(headerSize); err != nil {
		return err
	}
	for db.state.Load().frozen != nil {
		if broken := db.broken.Load(); broken != nil {
			return broken
		}
		if db.flushError != nil {
			return NotWritten(db.flushError)
		}
		db.flushed.Wait()
	}
	return nil
}

// Wipe overwrites the pages of the file that are free, so that they hold nothing of what was deleted or replaced before the latest Flush.
// Others may read and write meanwhile; pages that a reader began before may still need stay as they are.
func (db *DB) Wipe() error {
	left, err := db.freePages()
	if err != nil {
		return err
	}
	for key := uint64(0); left > 0; left -= wipeChunk {
		_, err := db.update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists(wipeBucket)
			if err != nil {
				return err
			}
			bucket.FillPercent = 1
			// Two values fill a page: bbolt puts no less into one.
			value := make([]byte, tx.DB().Info().PageSize/2-64)
			for range 2 * min(left, wipeChunk) {
				if err := bucket.Put(binary.BigEndian.AppendUint64(nil, key), value); err != nil {
					return err
				}
				key++
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	_, err = db.update(func(tx *bbolt.Tx) error {
		if tx.Bucket(wipeBucket) == nil {
			return nil
		}
		return tx.DeleteBucket(wipeBucket)
	})
	return err
}

// freePages counts the pages of the file that nothing uses.
func (db *DB) freePages() (n int, err error) {
	tx, err := db.file.Load().Begin(true) // since the list of free pages belongs to the one that writes
	if err != nil {
		return 0, damagedFile(err)
	}
	err = guarded(func() error {
		for id := 0; ; id++ {
			page, err := tx.Page(id)
			if page == nil || err != nil {
				return err
			}
			if page.Type == "free" { // what it says of pages behind it is no longer true
				n++
				continue
			}
			id += page.OverflowCount
		}
	})
	return n, errors.Join(err, tx.Rollback())
}
