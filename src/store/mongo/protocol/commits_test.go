package protocol

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
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

// historyServer is a server of a history that has items of both sources, the latest first.
type historyServer struct {
	Server
	records []*Record
	log     []LogEntry
}

func (s *historyServer) ChangedBefore(_ context.Context, before Stamp, versions bool, limit int) iter.Seq2[*Record, error] {
	if versions {
		return itemsBefore[*Record](nil, before, limit, nil)
	}
	return itemsBefore(s.records, before, limit, func(r *Record) Stamp { return r.Stamp })
}

func (s *historyServer) LogBefore(_ context.Context, before Stamp, limit int) iter.Seq2[LogEntry, error] {
	return itemsBefore(s.log, before, limit, func(entry LogEntry) Stamp { return entry.Stamp })
}

func (s *historyServer) WithIntent(context.Context, string) iter.Seq2[*Record, error] {
	return func(func(*Record, error) bool) {}
}

func itemsBefore[T any](items []T, before Stamp, limit int, stampOf func(T) Stamp) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		read := 0
		for _, item := range items {
			if stampOf(item).Before(before) {
				if read++; read > limit || !yield(item, nil) {
					return
				}
			}
		}
	}
}

// TestCommitsBefore reads all pages of histories in which several commits have one timestamp, wherever pages end: none is missing, none
// is there twice, and later ones come first.
func TestCommitsBefore(t *testing.T) {
	for _, tt := range []struct {
		name         string
		records, log int
		together     int // how many have one timestamp
	}{
		{"none", 0, 0, 1},
		{"a page", transactionsPage, 0, 1},
		{"each its own", 2*transactionsPage + 7, 0, 1},
		{"groups across the page", 2*transactionsPage + 7, 0, 7},
		{"groups that end with the page", 2 * transactionsPage, 0, 8},
		{"one timestamp", 3 * transactionsPage, 0, 3 * transactionsPage},
		{"groups larger than a page", 5 * transactionsPage, 0, transactionsPage + 1},
		{"transaction records", 0, 2*transactionsPage + 7, 7},
		{"both", 2*transactionsPage + 7, 3*transactionsPage + 1, 7},
		{"few records among many transaction records", 10, 2 * transactionsPage, 7},
	} {
		at := func(n int) Stamp { return Stamp{Seconds: 1, Count: uint32(1 + n/tt.together)} }
		s := &historyServer{}
		for n := tt.records - 1; n >= 0; n-- {
			id := dovetail.ID(fmt.Sprint("a/", n))
			s.records = append(s.records, &Record{ID: id, Txn: fmt.Sprint("t", n), Stamp: at(n), Doc: &dovetail.Document{ID: id}})
		}
		for n := tt.log - 1; n >= 0; n-- {
			s.log = append(s.log, LogEntry{Txn: fmt.Sprint("l", n), Stamp: at(n)})
		}
		e := &Engine{server: s}
		seen, last, pages := map[uint64]bool{}, Stamp{Seconds: 2}, 0
		for next := last; !next.IsZero(); pages++ {
			page, end, err := e.commitsBefore(t.Context(), next)
			if err != nil || !end.IsZero() && !end.Before(next) {
				t.Fatalf("%s: from %v to %v: %v", tt.name, next, end, err)
			}
			for _, c := range page {
				if last.Before(c.stamp) || seen[c.key] {
					t.Errorf("%s: %v after %v, seen before: %t", tt.name, c.stamp, last, seen[c.key])
				}
				seen[c.key], last = true, c.stamp
			}
			next = end
		}
		if len(seen) != tt.records+tt.log {
			t.Errorf("%s: %d of %d commits in %d pages", tt.name, len(seen), tt.records+tt.log, pages)
		}
	}
}
