package protocol

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestLookback lets polls follow each other at random, and changes become visible out of the order of their stamps, by less than the
// delay. The polls find every change, and once each has been found by some poll, those that follow within the delay twice only read what is near.
func TestLookback(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const delay = 100 * time.Millisecond
		start := time.Unix(1000, 0)
		visible := rapid.SliceOfN(rapid.IntRange(0, 99), 1, 60).Draw(t, "how late each change is, in milliseconds")
		at := func(n int) time.Time { // when a change is visible, of which each has a stamp 20 ms after the one before
			return start.Add(time.Duration(20*n+visible[n]) * time.Millisecond)
		}
		l := lookback{delay: delay}
		found := make([]bool, len(visible))
		high, now := Stamp{}, start
		for n := 0; now.Before(start.Add(time.Duration(20*len(visible)+200) * time.Millisecond)); n++ {
			since, known := l.since()
			if known && n == 1 {
				t.Fatal("a single poll says how far the next reads back")
			}
			began := now
			for i := range visible {
				if stamp := (Stamp{Seconds: 1, Count: uint32(i + 1)}); !at(i).After(began) && (!known || !stamp.Before(since)) {
					found[i], high = true, later(high, stamp)
				}
			}
			l.add(began, high)
			now = now.Add(time.Duration(rapid.IntRange(1, 400).Draw(t, "until the next poll")) * time.Millisecond)
		}
		for i, ok := range found {
			if !ok && !at(i).After(now.Add(-400*time.Millisecond)) {
				t.Fatalf("no poll has found change %d", i)
			}
		}
	})
}

func TestLookbackOfRegularPolls(t *testing.T) {
	tests := []struct {
		name  string
		every time.Duration
		reads int // of a change, at most
	}{
		{name: "polls further apart than the delay", every: 250 * time.Millisecond, reads: 2},
		{name: "polls in quick succession", every: 25 * time.Millisecond, reads: 6},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := lookback{delay: 100 * time.Millisecond}
			reads := make(map[uint32]int)
			now := time.Unix(1000, 0)
			for n := range uint32(40) { // each finds one change that is new
				since, known := l.since()
				for i := uint32(1); i <= n+1; i++ {
					if known && since.Before(Stamp{1, i}) && n > 10 {
						reads[i]++
					}
				}
				l.add(now, Stamp{1, n + 1})
				now = now.Add(test.every)
			}
			for i, n := range reads {
				if n > test.reads {
					t.Errorf("change %d was read %d times, want at most %d", i, n, test.reads)
				}
			}
			if len(reads) == 0 {
				t.Error("nothing was read")
			}
		})
	}
}
