package mongo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// BenchmarkWatches measures what 1,000 watches of a process cost that get nothing: the throughput of reads and of creations with them
// beside that without, in turns; and how long a creation takes to reach all of as many that get it.
func BenchmarkWatches(b *testing.B) {
	const watches, turns, clients, events = 1000, 3, 8, 20
	const turn = 2 * time.Second
	backend := mustOpen(b, freshURI(b))
	defer backend.Close()
	s, err := store.Open(b.Context(), backend, compileModel(b, boxes), store.Config{})
	must(b, err)
	created := 0
	create := func(id string) {
		_, err := s.Apply(b.Context(), []store.Operation{{Verb: store.Create, ID: dovetail.ID(id), Data: item("red", id, "")}}, store.Options{})
		must(b, err)
	}
	create("box/1")
	create("box/quiet")
	create("box/1/item/read")
	operations := []struct {
		name string
		do   func(n int64) error
	}{
		{"get", func(int64) error { _, err := s.Get(b.Context(), "box/1/item/read"); return err }},
		{"create", func(n int64) error {
			id := dovetail.ID(fmt.Sprintf("box/1/item/%d-%d", created, n))
			_, err := s.Apply(b.Context(), []store.Operation{{Verb: store.Create, ID: id, Data: item("red", "x", "")}}, store.Options{})
			return err
		}},
	}
	for b.Loop() {
		for _, operation := range operations {
			rates := make(map[int][]float64)
			for range turns {
				for _, n := range []int{0, watches} {
					end := watch(b, s, n, store.WatchQuery{Under: "box/quiet"}, nil)
					created++
					rates[n] = append(rates[n], rate(b, clients, turn, operation.do))
					end()
				}
			}
			with, without := median(rates[watches]), median(rates[0])
			b.ReportMetric(with, operation.name+"s/s")
			b.ReportMetric(with/without, operation.name+"s-to-none")
		}
		var got sync.Map // of ids, how many watches got it
		all := make(chan dovetail.ID, events)
		end := watch(b, s, watches, store.WatchQuery{Under: "box/1"}, func(c store.EventChange) {
			n, _ := got.LoadOrStore(c.ID, new(atomic.Int64))
			if n.(*atomic.Int64).Add(1) == watches && strings.Contains(string(c.ID), "/event-") {
				all <- c.ID
			}
		})
		var took []float64
		for n := range events {
			elapse(time.Duration(n) * 37 * time.Millisecond) // not in step with the polls
			created++
			create(fmt.Sprintf("box/1/item/event-%d", created))
			began := time.Now()
			select {
			case <-all:
			case <-time.After(patience):
				b.Fatal("an event has not reached all watches")
			}
			took = append(took, time.Since(began).Seconds())
		}
		end()
		b.ReportMetric(1000*median(took), "ms-to-all")
		b.ReportMetric(1000*slices.Max(took), "ms-to-all-at-most")
	}
}

// BenchmarkIdleWatches measures what watches of a process cost that get nothing while nothing is written, beside none: commands a second, and
// time of the processor of the process, which do not depend on what else the machine does.
func BenchmarkIdleWatches(b *testing.B) {
	const settled, measured = 7 * time.Second, 20 * time.Second // polls become rarer when nothing has changed for five seconds
	var sent commandCount
	backend, err := Open(b.Context(), freshURI(b), Options{ExternalMaintenance: true, Command: sent.note})
	must(b, err)
	defer backend.Close()
	s, err := store.Open(b.Context(), backend, compileModel(b, boxes), store.Config{})
	must(b, err)
	used := func() time.Duration {
		var usage syscall.Rusage
		must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	for _, watches := range []int{0, 1, 1000} {
		b.Run(fmt.Sprintf("watches=%d", watches), func(b *testing.B) {
			for b.Loop() {
				end := watch(b, s, watches, store.WatchQuery{Under: "box/quiet"}, nil)
				elapse(settled)
				sent.take()
				before := used()
				elapse(measured)
				commands, _ := sent.take()
				b.ReportMetric(float64(commands)/measured.Seconds(), "commands/s")
				b.ReportMetric((used()-before).Seconds()*1000/measured.Seconds(), "cpu-ms/s")
				end()
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// watch opens watches and returns once each follows, and a function that ends them. Each calls got, if it is not nil, for each change.
func watch(b *testing.B, s *store.Store, n int, q store.WatchQuery, got func(store.EventChange)) (end func()) {
	ctx, cancel := context.WithCancel(b.Context())
	head, err := s.Head(ctx)
	must(b, err)
	var open sync.WaitGroup
	for range n {
		open.Go(func() {
			for event, err := range s.Watch(ctx, head, q) {
				if err != nil {
					b.Error(err)
					return
				}
				for _, c := range event.Changes {
					if got != nil {
						got(c)
					}
				}
			}
		})
	}
	elapse(time.Second)
	return func() {
		cancel()
		open.Wait()
	}
}

// rate is how many operations clients do in a second.
func rate(b *testing.B, clients int, of time.Duration, do func(n int64) error) float64 {
	var started, done atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range clients {
		all.Go(func() {
			for time.Since(began) < of {
				if err := do(started.Add(1)); err != nil {
					b.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(began).Seconds()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
