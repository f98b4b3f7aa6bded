package storetest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// IndexBenchmarks measures pages that selectors list by indexes, in a store of 10,000 documents or as many as the environment
// variable DOVETAIL_BENCH_DOCS says, and creations with two indexes beside those without. Load, where not nil, stores new
// documents faster than a commit.
func IndexBenchmarks(b *testing.B, open func(b *testing.B) store.Backend, load func(b *testing.B, backend store.Backend, documents []*dovetail.Document)) {
	size := 10_000
	if text := os.Getenv("DOVETAIL_BENCH_DOCS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			b.Fatalf("DOVETAIL_BENCH_DOCS is %q, want a number of documents", text)
		}
		size = n
	}
	if load == nil {
		load = func(b *testing.B, backend store.Backend, documents []*dovetail.Document) {
			if err := backend.Commit(b.Context(), store.Txn{Puts: documents}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run(fmt.Sprintf("docs=%d", size), func(b *testing.B) {
		backend := open(b)
		defer backend.Close()
		s := openDevices(b, &capturing{Backend: backend}, "[spec.serial, spec.rack]")
		loadDevices(b, s, size, load)
		benchmarkSelectors(b, s, size)
	})
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprintf("create/writers=%d", writers), func(b *testing.B) { benchmarkIndexedCreations(b, open, writers) })
	}
}

// capturing keeps what is committed instead of storing it, while it is on.
type capturing struct {
	store.Backend
	on       bool
	captured []*dovetail.Document
}

func (c *capturing) Commit(ctx context.Context, txn store.Txn) error {
	if !c.on {
		return c.Backend.Commit(ctx, txn)
	}
	c.captured = append(c.captured, txn.Puts...)
	return nil
}

// openDevices opens a store of devices; their labels are indexed too unless index is "none".
func openDevices(b *testing.B, backend store.Backend, index string) *store.Store {
	b.Helper()
	if index == "none" {
		index = "{labels: false}"
	}
	model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte("resources:\n- name: device\n  index: " + index + "\n")}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := store.Open(b.Context(), backend, model, store.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// creationOf is the creation of the n-th device. All are in one environment, a tenth in each zone, a thousandth in each rack and in each
// batch; those of a rack follow one another.
func creationOf(b *testing.B, n, size int) store.Operation {
	text := fmt.Sprintf(`{"metadata":{"name":"d%09d","labels":{"env":"prod","zone":"z%d","batch":"b%d"}},"spec":{"serial":"s%d","rack":"r%d","description":%q}}`,
		n, n%10, n%1000, n, n*1000/size, fmt.Sprintf("%0200d", n))
	data, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	return store.Operation{Verb: store.Create, ID: dovetail.ID(fmt.Sprintf("device/d%09d", n)), Data: data}
}

func loadDevices(b *testing.B, s *store.Store, size int, load func(*testing.B, store.Backend, []*dovetail.Document)) {
	b.Helper()
	to := s.Backend().(*capturing)
	const batch = 5000
	for n := 0; n < size; n += batch {
		to.on, to.captured = true, nil
		for i := n; i < min(n+batch, size); i++ {
			if _, err := s.Apply(b.Context(), []store.Operation{creationOf(b, i, size)}, store.Options{}); err != nil {
				b.Fatal(err)
			}
		}
		to.on = false
		load(b, to.Backend, slices.DeleteFunc(to.captured, func(doc *dovetail.Document) bool { return doc.Kind != "device" }))
	}
}

func benchmarkSelectors(b *testing.B, s *store.Store, size int) {
	for _, c := range []struct{ name, labels, fields string }{
		{"one", "", "spec.serial=s%d"},
		{"thousandth", "batch=b%d", ""},
		{"rack", "", "spec.rack=r%d"},
		{"tenth", "zone=z%d", ""},
		{"all", "env=prod", ""},
		{"both", "zone=z%d", "spec.rack=r%d"},
	} {
		q := func(n int) store.ListQuery {
			q := store.ListQuery{Kind: "device", Limit: 100}
			one := func(text string) string {
				switch c.name {
				case "all":
					return c.labels
				case "one":
					return fmt.Sprintf(text, n%size)
				case "tenth":
					return fmt.Sprintf(text, n%10)
				case "both":
					if text == c.labels {
						return fmt.Sprintf(text, n%10)
					}
				}
				return fmt.Sprintf(text, n%1000)
			}
			var err error
			if c.labels != "" {
				if q.Labels, err = selector.ParseLabels(one(c.labels)); err != nil {
					b.Fatal(err)
				}
			}
			if c.fields != "" {
				if q.Fields, err = selector.ParseFields(one(c.fields)); err != nil {
					b.Fatal(err)
				}
			}
			return q
		}
		var next store.ListQuery
		b.Run(c.name+"/first", func(b *testing.B) {
			pages(b, func(n int) {
				of := q(n * 7919)
				page, err := s.List(b.Context(), of)
				if err != nil || len(page.Documents) == 0 && c.name != "both" {
					b.Fatalf("%d documents, %v", len(page.Documents), err)
				}
				if page.Next != "" {
					next = of
					next.After, next.Position = page.Next, page.Position
				}
			})
		})
		if next.After == "" {
			continue
		}
		b.Run(c.name+"/next", func(b *testing.B) {
			from := next
			pages(b, func(int) {
				page, err := s.List(b.Context(), next)
				if err != nil {
					b.Fatal(err)
				}
				if next.After = page.Next; next.After == "" {
					next = from
				}
			})
		})
	}
}

// pages reports the median time of a page.
func pages(b *testing.B, page func(n int)) {
	times := make([]time.Duration, b.N)
	for n := range b.N {
		began := time.Now()
		page(n)
		times[n] = time.Since(began)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[b.N/2])/float64(time.Millisecond), "p50-ms")
	b.ReportMetric(0, "ns/op")
}

// benchmarkIndexedCreations creates documents in turns, with indexes and without, and reports both rates and their ratio.
func benchmarkIndexedCreations(b *testing.B, open func(b *testing.B) store.Backend, writers int) {
	const turn = 200
	var stores [2]*store.Store
	for i, index := range []string{"{paths: [spec.serial, spec.rack], labels: false}", "none"} {
		backend := open(b)
		defer backend.Close()
		stores[i] = openDevices(b, backend, index)
	}
	operations := make([]store.Operation, b.N)
	for n := range operations {
		operations[n] = creationOf(b, n, b.N)
	}
	var times [2]time.Duration
	b.ResetTimer()
	for from := 0; from < b.N; from += turn {
		for i, s := range stores {
			began := time.Now()
			taken := atomic.Int64{}
			taken.Store(int64(from))
			var group sync.WaitGroup
			for range writers {
				group.Go(func() {
					for n := int(taken.Add(1)) - 1; n < min(from+turn, b.N); n = int(taken.Add(1)) - 1 {
						if _, err := s.Apply(b.Context(), operations[n:n+1], store.Options{}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			times[i] += time.Since(began)
		}
	}
	b.ReportMetric(float64(b.N)/times[0].Seconds(), "indexed-op/s")
	b.ReportMetric(float64(b.N)/times[1].Seconds(), "plain-op/s")
	b.ReportMetric(float64(times[1])/float64(times[0]), "of-plain")
	b.ReportMetric(0, "ns/op")
}
