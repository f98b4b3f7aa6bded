package bolt

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

func BenchmarkBackend(b *testing.B) {
	storetest.Benchmarks(b, func(b *testing.B) store.Backend {
		return mustOpen(b, filepath.Join(b.TempDir(), "store.db"), Options{})
	})
}

// BenchmarkRaw puts the keys and bytes of the same creations straight into bbolt, without testing
// anything: all that wait go into one transaction. It is the measure of BenchmarkBackend's creations.
func BenchmarkRaw(b *testing.B) {
	const size = 1000
	backend := mustOpen(b, filepath.Join(b.TempDir(), "store.db"), Options{})
	defer backend.Close()
	storetest.Fill(b, backend, size)
	created := size
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("docs=%d/create/writers=%d", size, writers), func(b *testing.B) {
			puts := make([]rawPut, b.N)
			for i, txn := range storetest.Creations(created, b.N) {
				puts[i] = newRawPut(b, txn, uint64(created+i+1))
			}
			created += b.N
			raw := make(chan *rawPut, writers)
			go rawWriter(b, backend.db, raw)
			defer close(raw)
			storetest.InParallel(b, writers, func(i int) error {
				raw <- &puts[i]
				return <-puts[i].done
			})
		})
	}
}

// rawPut is what one creation stores.
type rawPut struct {
	pairs []rawPair
	done  chan error
}

type rawPair struct {
	bucket, key, value []byte
}

func newRawPut(b *testing.B, txn store.Txn, sequence uint64) rawPut {
	t, err := prepare(txn)
	if err != nil {
		b.Fatal(err)
	}
	w := t.writes[0]
	change := store.Change{Op: store.Created, ID: w.id, Kind: w.kind, UID: w.uid, Revision: w.revision}
	pairs := []rawPair{
		{docsBucket, []byte(w.id), w.value},
		{kindsBucket, kindKey(w.kind, w.id), present},
		{logBucket, sequenceKey(sequence), encodeChanges(time.Now(), []store.Change{change})},
	}
	for _, l := range w.links {
		pairs = append(pairs, rawPair{referrersBucket, referrerKey(l.target, w.id), linkValue(l)})
	}
	return rawPut{pairs, make(chan error, 1)}
}

func rawWriter(b *testing.B, db *bbolt.DB, raw <-chan *rawPut) {
	for first := range raw {
		group := []*rawPut{first}
		for len(raw) > 0 {
			group = append(group, <-raw)
		}
		err := db.Update(func(tx *bbolt.Tx) error {
			for _, put := range group {
				for _, pair := range put.pairs {
					if err := tx.Bucket(pair.bucket).Put(pair.key, pair.value); err != nil {
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
