package bolt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

func BenchmarkBackend(b *testing.B) {
	storetest.Benchmarks(b, func(b *testing.B) store.Backend {
		return mustOpen(b, filepath.Join(b.TempDir(), "store.db"), Options{})
	})
}

// BenchmarkRaw puts the keys and bytes of the same creations straight into bbolt, without testing
// anything or logging: all that wait go into one transaction. It is a measure for BenchmarkBackend's
// creations.
func BenchmarkRaw(b *testing.B) {
	const size = 1000
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(func(tx *bbolt.Tx) (err error) {
		for _, name := range spaceNames {
			_, err := tx.CreateBucket([]byte(name))
			if err != nil {
				return err
			}
		}
		for i, txn := range storetest.Creations(0, size) {
			if err := newRawPut(b, txn, uint64(i+1)).do(tx); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	created := size
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("docs=%d/create/writers=%d", size, writers), func(b *testing.B) {
			puts := make([]rawPut, b.N)
			for i, txn := range storetest.Creations(created, b.N) {
				puts[i] = newRawPut(b, txn, uint64(created+i+1))
			}
			created += b.N
			raw := make(chan *rawPut, writers)
			go rawWriter(db, raw)
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
	bucket     string
	key, value []byte
}

func newRawPut(b *testing.B, txn store.Txn, sequence uint64) rawPut {
	t, err := prepare(txn)
	if err != nil {
		b.Fatal(err)
	}
	w := t.writes[0]
	change := store.Change{Op: store.Created, ID: w.id, Kind: w.kind, UID: w.uid, Revision: w.revision}
	pairs := []rawPair{
		{spaceNames[docs], []byte(w.id), w.value},
		{spaceNames[kinds], kindKey(w.kind, w.id), present},
		{spaceNames[changes], sequenceKey(sequence), encodeChanges(time.Now(), []store.Change{change}, store.Provenance{})},
	}
	for _, l := range w.links {
		pairs = append(pairs, rawPair{spaceNames[referrers], referrerKey(l.target, w.id), linkValue(l)})
	}
	return rawPut{pairs, make(chan error, 1)}
}

func (p rawPut) do(tx *bbolt.Tx) error {
	for _, pair := range p.pairs {
		if err := tx.Bucket([]byte(pair.bucket)).Put(pair.key, pair.value); err != nil {
			return err
		}
	}
	return nil
}

func rawWriter(db *bbolt.DB, raw <-chan *rawPut) {
	for first := range raw {
		group := []*rawPut{first}
		for len(raw) > 0 {
			group = append(group, <-raw)
		}
		err := db.Update(func(tx *bbolt.Tx) error {
			for _, put := range group {
				if err := put.do(tx); err != nil {
					return err
				}
			}
			return nil
		})
		for _, put := range group {
			put.done <- err
		}
	}
}

// BenchmarkUpdates changes a member of documents that lie far apart, each of which has some earlier versions. DOVETAIL_BENCH_DOCS says of
// how many; 100,000 otherwise.
func BenchmarkUpdates(b *testing.B) {
	size := 100_000
	if text := os.Getenv("DOVETAIL_BENCH_DOCS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			b.Fatalf("DOVETAIL_BENCH_DOCS is %q, want a number of documents", text)
		}
		size = n
	}
	const stride = 7919 // a prime: no two neighbors
	backend := mustOpen(b, filepath.Join(b.TempDir(), "store.db"), Options{})
	defer backend.Close()
	storetest.Fill(b, backend, size)
	made := 0
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("docs=%d/writers=%d", size, writers), func(b *testing.B) {
			storetest.InParallel(b, writers, func(i int) error {
				i += made
				round := uint64(i / size)
				txn := storetest.Creation(i * stride % size)
				d := txn.Puts[0]
				d.Data = fmt.Appendf(d.Data[:len(d.Data)-2], `,"round":%d}}`, round)
				d.Revision = round + 2
				txn.Require[0] = store.Condition{Test: store.AtVersion, ID: d.ID, Version: dovetail.ETag{UID: d.UID, Revision: round + 1}}
				return backend.Commit(b.Context(), txn)
			})
			made += b.N
		})
	}
}

// BenchmarkWatched measures a writer while watches are open that read what it commits.
func BenchmarkWatched(b *testing.B) {
	for _, watches := range []int{0, 100, 1000} {
		b.Run(fmt.Sprintf("watches=%d", watches), func(b *testing.B) {
			backend := mustOpen(b, filepath.Join(b.TempDir(), "store.db"), Options{})
			head, err := backend.Head(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			var all sync.WaitGroup
			defer all.Wait()
			defer cancel()
			for range watches {
				all.Go(func() {
					for _, err := range backend.Changes(ctx, head) {
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			b.ResetTimer()
			for n := range b.N {
				txn := store.Txn{Puts: []*dovetail.Document{{ID: dovetail.ID(fmt.Sprintf("cluster/c%d", n)), Kind: "cluster", UID: fmt.Sprint("u", n), Revision: 1}}}
				if err := backend.Commit(b.Context(), txn); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
		})
	}
}

// BenchmarkIndexes measures selectors on indexed paths.
func BenchmarkIndexes(b *testing.B) {
	storetest.IndexBenchmarks(b, func(b *testing.B) store.Backend {
		return mustOpen(b, filepath.Join(b.TempDir(), "store.db"), Options{})
	}, nil)
}
