package bench

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/test/bench/load"
	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// started counts the items that BenchmarkStart created, so that no two have a name.
var started int

// BenchmarkStart starts a process on a million documents and then works with it: how long until it is ready, and the
// largest heap in use, seen while it lists, reads and creates from 64 connections.
func BenchmarkStart(b *testing.B) {
	const items = 1_000_000
	b.Run(fmt.Sprintf("documents=%d", items), func(b *testing.B) {
		database := filled(b, items)
		b.ResetTimer()
		var ready time.Duration
		var largest float64
		for range b.N {
			s := serve(b, database)
			ready += s.ready
			heap, err := s.largestHeap(func() error { return work(b, s, items) })
			s.stop(b)
			if err != nil {
				b.Fatal(err)
			}
			largest = max(largest, heap)
		}
		b.ReportMetric(ready.Seconds()*1e3/float64(b.N), "ready-ms")
		b.ReportMetric(largest/1e6, "heap-MB")
	})
}

// work lists pages, reads and creates items beyond the given number.
func work(b *testing.B, s *server, items int) error {
	const requests, pages = 10_000, 20
	for n := range pages {
		if err := s.get(fmt.Sprintf("/v2/parents/%s/items?limit=500", peer.TargetName(n)), io.Discard); err != nil {
			return err
		}
	}
	gets := load.Plan{Address: s.address, Connections: connections, Requests: requests, Status: 200,
		Request: func(buffer []byte, n int) []byte { return s.getRequest(buffer, peer.ItemOf(n*7919%items)) }}
	if _, err := gets.Run(b.Context()); err != nil {
		return err
	}
	first := 2*items + started
	started += requests
	creates := load.Plan{Address: s.address, Connections: connections, Requests: requests, Status: 201,
		Request: func(buffer []byte, n int) []byte { return s.createRequest(buffer, peer.ItemOf(first+n)) }}
	_, err := creates.Run(b.Context())
	return err
}

// largestHeap is the largest heap seen while the work is done.
func (s *server) largestHeap(work func() error) (float64, error) {
	done := make(chan error, 1)
	go func() { done <- work() }()
	var largest float64
	for {
		heap, err := s.heap()
		if err != nil {
			return 0, err
		}
		largest = max(largest, heap)
		select {
		case err := <-done:
			return largest, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
