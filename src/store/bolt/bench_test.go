package bolt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

func BenchmarkBackend(b *testing.B) {
	storetest.Benchmarks(b, func(b *testing.B) store.Backend {
		return mustOpen(b, filepath.Join(b.TempDir(), "store.db"), Options{})
	})
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
