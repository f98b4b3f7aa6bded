package peer

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"
)

// The buckets are those of Dovetail's backend.
var boltBuckets = [][]byte{[]byte("docs"), []byte("kinds"), []byte("referrers"), []byte("log")}

// rawBolt puts what Dovetail's backend puts, in groups of what waits, and checks nothing. It is the upper bound of
// what a store on bbolt can do.
type rawBolt struct {
	db     *bbolt.DB
	puts   chan boltPut
	closed chan struct{}
}

// boltPut is an item that waits to be written.
type boltPut struct {
	item Item
	done chan error
}

// OpenBolt opens a bbolt file with one goroutine that writes.
func OpenBolt(_ context.Context, dir string, writers int) (Peer, error) {
	// The options are those of Dovetail's backend.
	db, err := bbolt.Open(filepath.Join(dir, "raw.db"), 0o600,
		&bbolt.Options{FreelistType: bbolt.FreelistMapType, InitialMmapSize: 16 << 30, NoStatistics: true})
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range boltBuckets {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &rawBolt{db: db, puts: make(chan boltPut, writers), closed: make(chan struct{})}
	go r.write()
	return r, nil
}

// Create waits until the item is written and synced.
func (r *rawBolt) Create(_ context.Context, item Item) error {
	put := boltPut{item, make(chan error, 1)}
	r.puts <- put
	return <-put.done
}

func (r *rawBolt) Close() error {
	close(r.puts)
	<-r.closed
	return r.db.Close()
}

// write commits all that waits in one transaction, over and over.
func (r *rawBolt) write() {
	defer close(r.closed)
	var sequence uint64
	for first := range r.puts {
		group := []boltPut{first}
		gather(r.puts)
		for waiting := len(r.puts); waiting > 0; waiting-- {
			group = append(group, <-r.puts)
		}
		err := r.db.Update(func(tx *bbolt.Tx) error {
			for _, put := range group {
				sequence++
				for _, e := range boltEntries(put.item, sequence) {
					if err := tx.Bucket(e.bucket).Put(e.key, e.value); err != nil {
						return err
					}
				}
			}
			return nil
		})
		for _, put := range group {
			put.done <- err
		}
	}
}

// gather lets the writers that were just answered come back with their next item, as long as more do: one commit for
// all is better than one for the first and one for the rest.
func gather(puts chan boltPut) {
	const turns = 4
	for before := -1; before != len(puts); {
		before = len(puts)
		for range turns {
			runtime.Gosched()
		}
	}
}

// boltEntry is a key and its value.
type boltEntry struct{ bucket, key, value []byte }

// Bytes that Dovetail stores beside an item's data and its texts: uid, revision, times, schema hash, commit, lengths, checksums.
const (
	documentOverhead = 108
	changeOverhead   = 54
)

// Dovetail indexes an item's three labels with two terms each, of the label and of its value, which begins with the former:
// an entry among the referrers for each value, and, in the document, the terms with their lengths.
const (
	labels       = 3
	labelTerm    = 8
	valueTerm    = 16
	termOverhead = 3
)

// boltEntries are as many keys of as many bytes as Dovetail writes for an item: the document, its kind, its two
// references, the terms of its labels, and its change.
func boltEntries(item Item, sequence uint64) []boltEntry {
	id := string(item.ID())
	left, right := "left/"+TargetName(item.Left), "right/"+TargetName(item.Right)
	document := append(item.Data(), left+right...)
	document = append(document, make([]byte, documentOverhead+labels*(labelTerm+valueTerm+2*termOverhead))...)
	change := append([]byte(id), make([]byte, changeOverhead)...)
	present := []byte{1}
	entries := []boltEntry{
		{boltBuckets[0], []byte(id), document},
		{boltBuckets[1], []byte("item\x00" + id), present},
		{boltBuckets[2], []byte(left + "\x00" + id), present},
		{boltBuckets[2], []byte(right + "\x00" + id), present},
		{boltBuckets[3], binary.BigEndian.AppendUint64(nil, sequence), change},
	}
	for n := range labels {
		// Many items share a term, so that it is the first part of the key.
		term := fmt.Sprintf("#%0*d\x00", valueTerm, n)
		entries = append(entries, boltEntry{boltBuckets[2], []byte(term + id), present})
	}
	return entries
}
