package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestAuditNewestFirst writes in bursts, with pauses, and by clocks that go before that of the reader, and reads pages newest first: each record
// comes once, in the reverse of the order of time.
func TestAuditNewestFirst(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	uid := 0
	s := openWith(t, testSchema, store.Config{
		Clock:  func() time.Time { return at },
		NewUID: func() string { uid++; return fmt.Sprintf("u%06d", uid) },
		Audit:  store.Audit{Keep: true},
	})
	written := 0
	write := func(n int) {
		for range n {
			written++
			applyAs(as(t, "root"), t, s, fmt.Sprintf(`put project/p {"x":%d}`, written))
		}
	}
	write(3)
	at = at.AddDate(0, 2, 0)
	write(1_500) // in one millisecond, more than a window holds
	for range 300 {
		at = at.Add(40 * time.Millisecond)
		write(4)
	}
	at = at.Add(90 * time.Minute)
	write(2)
	ahead := at
	at = at.Add(-time.Hour) // the clock of the reader
	_, all := records(t, s, store.AuditQuery{})
	if len(all) != written {
		t.Fatalf("%d records of %d", len(all), written)
	}
	rounds.Checks(t, 25, 400)
	rapid.Check(t, func(t2 *rapid.T) {
		q := store.AuditQuery{Newest: true}
		low, high := 0, len(all)
		if rapid.Bool().Draw(t2, "bounded") {
			low = rapid.IntRange(0, len(all)-1).Draw(t2, "from")
			q.From, _ = time.Parse("20060102T150405.000Z", all[low][:20])
			low = slices.IndexFunc(all, func(id string) bool { return id[:20] >= all[low][:20] })
		}
		if rapid.Bool().Draw(t2, "continued") {
			high = rapid.IntRange(0, len(all)-1).Draw(t2, "after")
			q.After = all[high]
		}
		want := reversed(all[low:max(low, high)])
		if _, got := records(t, s, q); !slices.Equal(got, want) {
			t2.Fatalf("%d records, want %d; clock %s, last %s", len(got), len(want), at, ahead)
		}
	})
}
