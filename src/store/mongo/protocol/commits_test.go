package protocol

import (
	"testing"
	"time"
)

// TestEachUntil reads pages that never divide what has one timestamp, however much that is, and bounds them by the sizes of the items.
func TestEachUntil(t *testing.T) {
	at := func(n int) Stamp { return Stamp{Seconds: 1, Count: uint32(n)} }
	end := Stamp{Seconds: 2}
	for _, tt := range []struct {
		name       string
		items      int
		stamp      func(n int) int
		size, want int
		next       Stamp
	}{
		{"few", 3, func(n int) int { return n }, 1, 3, end},
		{"a page", historyPage, func(n int) int { return n }, 1, historyPage, end},
		{"more than a page", historyPage + 7, func(n int) int { return n }, 1, historyPage, at(historyPage)},
		{"one timestamp", 3 * historyPage, func(int) int { return 5 }, 1, 3 * historyPage, end},
		{"one timestamp across the page", 3 * historyPage, func(n int) int { return n / (historyPage - 1) }, 1, 2 * (historyPage - 1), at(2)},
		{"large items", 10, func(n int) int { return n }, historyPage / 2, 2, at(2)},
	} {
		items := func(yield func(Stamp, error) bool) {
			for n := range tt.items {
				if !yield(at(tt.stamp(n)), nil) {
					return
				}
			}
			yield(end, nil)
		}
		got := 0
		next, err := eachUntil(items, end, func(s Stamp) Stamp { return s }, func(Stamp) int { got++; return tt.size })
		if err != nil || got != tt.want || next != tt.next {
			t.Errorf("%s: %d items up to %v (%v), want %d up to %v", tt.name, got, next, err, tt.want, tt.next)
		}
	}
}

// TestHistoryFrom reads the history after positions of each kind: none of them leaves out a commit that its reader may lack.
func TestHistoryFrom(t *testing.T) {
	e := &Engine{env: Env{VisibilityWindow: 10 * time.Second}}
	high := Stamp{100, 7}
	for _, tt := range []struct {
		name string
		p    position
		want Stamp
	}{
		{"a snapshot", position{low: high, high: high}, Stamp{100, 8}},
		{"a commit", position{low: Stamp{90, 7}, high: high}, Stamp{100, 8}},
		{"changes that are listed", position{low: Stamp{90, 7}, high: high, seen: []uint64{1}}, Stamp{90, 7}},
		{"changes up to one that is listed", position{low: high, high: high, seen: []uint64{1}}, high},
		{"an entry of a tail", position{low: Stamp{90, 7}, high: high, entry: 3}, Stamp{90, 7}},
		{"changes that are not listed", position{low: Stamp{95, 1}, high: high}, Stamp{95, 1}},
	} {
		if got := e.historyFrom(tt.p); got != tt.want {
			t.Errorf("after %s: from %v, want %v", tt.name, got, tt.want)
		}
	}
}
