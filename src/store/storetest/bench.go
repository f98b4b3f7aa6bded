package storetest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The workload of the benchmarks: applications below projects, each with a reference to a cluster
// and to a profile.
const (
	projects = 100
	clusters = 20
	profiles = 30
)

// Foundation returns the documents that the creations of the workload need.
func Foundation() []*dovetail.Document {
	var ids []dovetail.ID
	for name, n := range map[string]int{"project": projects, "cluster": clusters, "profile": profiles} {
		for i := range n {
			ids = append(ids, numberedID(name, i))
		}
	}
	return newDocuments(ids...)
}

func numberedID(name string, i int) dovetail.ID {
	return dovetail.ID("").Child(name, fmt.Sprintf("%s%03d", name, i))
}

func applicationID(i int) dovetail.ID {
	return numberedID("project", i%projects).Child("app", fmt.Sprintf("app%09d", i))
}

// Creation returns the i-th transaction of the workload: it creates an application of about 500
// bytes, which must be new, and whose parent and two references must exist.
func Creation(i int) store.Txn {
	d := newDocument(applicationID(i),
		dovetail.Reference{ID: numberedID("cluster", i%clusters), Kind: "cluster"},
		dovetail.Reference{ID: numberedID("profile", i%profiles), Kind: "profile"})
	d.UID = fmt.Sprintf("app%09d", i)
	d.Data = json.RawMessage(fmt.Sprintf(`{"metadata":{"name":"app%09d","description":%q},"spec":{"replicas":3,"image":"registry.example/app:%d"}}`,
		i, strings.Repeat("words ", 50), i))
	return creation(d, numberedID("project", i%projects))
}

// update returns the transaction that writes a document of the workload again, as the store makes it.
func update(i int, from uint64) store.Txn {
	txn := Creation(i)
	d := txn.Puts[0]
	txn.Require[0] = store.Condition{Test: store.AtVersion, ID: d.ID, Version: dovetail.ETag{UID: d.UID, Revision: from}}
	d.Revision = from + 1
	return txn
}

// Creations returns n transactions of the workload, from the first on.
func Creations(first, n int) []store.Txn {
	all := make([]store.Txn, n)
	for i := range all {
		all[i] = Creation(first + i)
	}
	return all
}

// Fill creates the foundation and n documents of the workload.
func Fill(b *testing.B, backend store.Backend, n int) {
	b.Helper()
	if err := backend.Commit(b.Context(), store.Txn{Puts: Foundation()}); err != nil {
		b.Fatal(err)
	}
	const batch = 2000
	for from := 0; from < n; from += batch {
		putAll(b, backend, Creations(from, min(batch, n-from)))
	}
}

// putAll does the puts of all transactions in one.
func putAll(b *testing.B, backend store.Backend, all []store.Txn) {
	b.Helper()
	var together store.Txn
	for _, txn := range all {
		together.Puts = append(together.Puts, txn.Puts...)
	}
	if err := backend.Commit(b.Context(), together); err != nil {
		b.Fatal(err)
	}
}

// InParallel runs op b.N times, with i from 0, from so many goroutines, and reports operations a
// second and the median time of one.
func InParallel(b *testing.B, goroutines int, op func(i int) error) {
	b.Helper()
	var taken atomic.Int64
	times := make([]time.Duration, b.N)
	var group sync.WaitGroup
	b.ResetTimer()
	for range goroutines {
		group.Go(func() {
			for i := int(taken.Add(1)) - 1; i < b.N; i = int(taken.Add(1)) - 1 {
				began := time.Now()
				if err := op(i); err != nil {
					b.Error(err)
					return
				}
				times[i] = time.Since(began)
			}
		})
	}
	group.Wait()
	b.StopTimer()
	slices.Sort(times)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "op/s")
	b.ReportMetric(float64(times[b.N/2])/float64(time.Microsecond), "p50-us")
	b.ReportMetric(0, "ns/op") // the same as op/s, and misleading with many goroutines
}

// Benchmarks measures a backend that holds 1,000 documents, and then one that holds as many as the
// environment variable DOVETAIL_BENCH_DOCS says.
func Benchmarks(b *testing.B, open func(b *testing.B) store.Backend) {
	sizes := []int{1000}
	if text := os.Getenv("DOVETAIL_BENCH_DOCS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			b.Fatalf("DOVETAIL_BENCH_DOCS is %q, want a number of documents", text)
		}
		sizes = append(sizes, n)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("docs=%d", size), func(b *testing.B) {
			backend := open(b)
			defer backend.Close()
			Fill(b, backend, size)
			benchmarkAll(b, backend, size)
		})
	}
}

func benchmarkAll(b *testing.B, backend store.Backend, size int) {
	created := size // how many of the workload's documents were created so far
	take := func(n int) []store.Txn {
		created += n
		return Creations(created-n, n)
	}
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("create/writers=%d", writers), func(b *testing.B) {
			txns := take(b.N)
			InParallel(b, writers, func(i int) error { return backend.Commit(b.Context(), txns[i]) })
		})
	}
	revisions := slices.Repeat([]uint64{1}, size)
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("update/writers=%d", writers), func(b *testing.B) {
			txns := make([]store.Txn, b.N)
			for i := range txns {
				txns[i] = update(i%size, revisions[i%size])
				revisions[i%size]++
			}
			InParallel(b, writers, func(i int) error { return backend.Commit(b.Context(), txns[i]) })
		})
	}
	b.Run("update-same", func(b *testing.B) {
		txns := make([]store.Txn, b.N)
		for i := range txns {
			txns[i] = update(0, revisions[0])
			revisions[0]++
		}
		InParallel(b, 1, func(i int) error { return backend.Commit(b.Context(), txns[i]) })
	})
	b.Run("delete-leaf", func(b *testing.B) {
		txns := take(b.N)
		for chunk := range slices.Chunk(txns, 500) {
			putAll(b, backend, chunk)
		}
		for i := range txns {
			txns[i] = removal(txns[i].Puts[0])
		}
		InParallel(b, 1, func(i int) error { return backend.Commit(b.Context(), txns[i]) })
	})
	b.Run("get", func(b *testing.B) {
		ids := make([]dovetail.ID, b.N)
		for i := range ids {
			const prime = 2_654_435_761 // scatters
			ids[i] = applicationID(i * prime % size)
		}
		InParallel(b, 1, func(i int) error {
			_, err := backend.Get(b.Context(), ids[i])
			return err
		})
	})
	b.Run("list-page", func(b *testing.B) {
		InParallel(b, 1, func(i int) error {
			_, err := list(b.Context(), backend, store.Query{Under: numberedID("project", i%projects), Kind: "app", Limit: 100})
			return err
		})
	})
}
