package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/embedded"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// BenchmarkScale times single operations, one after the other, in a small and in a large store: what a create, the
// deletion of a document without referrers, and a get cost must hardly depend on how much is stored.
func BenchmarkScale(b *testing.B) {
	for _, items := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("documents=%d", items), func(b *testing.B) {
			scaleInProcess(b, items)
			s := serve(b, filled(b, items))
			defer s.stop(b)
			b.Run("get-rest", func(b *testing.B) {
				s.load(b, 1, 200, func(buffer []byte, n int) []byte {
					return s.getRequest(buffer, peer.ItemOf(n*stride%items))
				})
			})
		})
	}
}

// stride is a prime, so that gets go all over the store.
const stride = 7919

func scaleInProcess(b *testing.B, items int) {
	d, err := peer.OpenStore(b.Context(), filled(b, items))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	b.Run("create", func(b *testing.B) {
		median(b, func(n int) error { return d.Create(b.Context(), peer.ItemOf(items+n)) })
		b.StopTimer()
		deleteAll(b, d, items)
	})
	b.Run("delete", func(b *testing.B) {
		if err := d.CreateAll(b.Context(), items, b.N); err != nil {
			b.Fatal(err)
		}
		median(b, func(n int) error {
			_, err := d.Apply(b.Context(), embedded.Delete(peer.ItemOf(items+n).ID()))
			return err
		})
	})
	b.Run("get", func(b *testing.B) {
		warm(b, d)
		median(b, func(n int) error {
			_, err := d.Get(b.Context(), peer.ItemOf(n*stride%items).ID())
			return err
		})
	})
}

// warm reads every item once. A server that has run for a while has the store's pages mapped; the small
// store gets there within its first thousand gets.
func warm(b *testing.B, d *peer.Dovetail) {
	for _, err := range d.List(b.Context(), embedded.Query{}) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// median runs the operation for 0 to b.N-1 and reports the median time of one.
func median(b *testing.B, operation func(n int) error) {
	times := make([]time.Duration, b.N)
	b.ResetTimer()
	for n := range times {
		start := time.Now()
		if err := operation(n); err != nil {
			b.Fatal(err)
		}
		times[n] = time.Since(start)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
}

// deleteAll deletes b.N items from number first on.
func deleteAll(b *testing.B, d *peer.Dovetail, first int) {
	const most = 1000
	for n := 0; n < b.N; n += most {
		var operations []store.Operation
		for i := n; i < min(n+most, b.N); i++ {
			operations = append(operations, embedded.Delete(peer.ItemOf(first+i).ID()))
		}
		if _, err := d.Apply(b.Context(), operations...); err != nil {
			b.Fatal(err)
		}
	}
}
