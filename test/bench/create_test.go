package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// BenchmarkCreate creates documents whose parent and two references are checked, durably, from 1, 8 and 64
// writers: all below one parent and with the same references, and spread over a hundred of each. Each writer waits for its
// document to be safe before it continues with the next.
func BenchmarkCreate(b *testing.B) {
	for _, system := range peer.Systems() {
		for _, targets := range []int{1, peer.Targets} {
			for _, writers := range []int{1, 8, 64} {
				b.Run(fmt.Sprintf("%s/parents=%d/writers=%d", system.Name, targets, writers), func(b *testing.B) {
					createFrom(b, open(b, system, writers), targets, writers)
				})
			}
		}
	}
}

// createFrom creates b.N items from so many writers.
func createFrom(b *testing.B, opened peer.Peer, targets, writers int) {
	var turn atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for range writers {
		group.Go(func() {
			for n := turn.Add(1); n <= int64(b.N); n = turn.Add(1) {
				if err := opened.Create(b.Context(), peer.Spread(int(n), targets)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
}

// TestCreateChecks proves that the systems do the same work: all of them create, and refuse what would dangle.
func TestCreateChecks(t *testing.T) {
	for _, system := range peer.Systems() {
		t.Run(system.Name, func(t *testing.T) {
			opened := open(t, system, 2)
			item := peer.ItemOf(1)
			if err := opened.Create(t.Context(), item); err != nil {
				t.Fatal(err)
			}
			if !system.Checks {
				return
			}
			for name, dangling := range map[string]peer.Item{
				"parent": {Number: 2, Parent: peer.Targets, Left: 1, Right: 1},
				"left":   {Number: 3, Parent: 1, Left: peer.Targets, Right: 1},
				"right":  {Number: 4, Parent: 1, Left: 1, Right: peer.Targets},
			} {
				if err := opened.Create(t.Context(), dangling); !errors.Is(err, peer.ErrDangling) {
					t.Errorf("missing %s: got %v, want ErrDangling", name, err)
				}
			}
		})
	}
}

// open opens a system in a folder of its own until the test ends, or skips the test when it is not installed.
func open(t testing.TB, system peer.System, writers int) peer.Peer {
	t.Helper()
	dir, err := os.MkdirTemp("", "bench") //nolint:usetesting // PostgreSQL's user must reach it, and a socket's path be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	opened, err := system.Open(context.Background(), dir, writers)
	if errors.Is(err, peer.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened
}
