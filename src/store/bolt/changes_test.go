package bolt

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// logLength returns how many commits the log holds.
func logLength(t *testing.T, b *Backend) (n int) {
	t.Helper()
	if err := b.view(t.Context(), func(v *kv.View) error {
		for range v.Scan(changes, nil, nil) {
			n++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHistory keeps as many commits as the options say, and no more.
func TestHistory(t *testing.T) {
	b := openTemporary(t, Options{History: 10})
	cursors := make([]store.Cursor, 26)
	for i := range cursors {
		var err error
		if cursors[i], err = b.Head(t.Context()); err != nil {
			t.Fatal(err)
		}
		commit(t, b, put(dovetail.ID(fmt.Sprintf("project/p%d", i))))
		if got, want := logLength(t, b), min(i+1, 10); got != want {
			t.Errorf("after %d commits the log holds %d, want %d", i+1, got, want)
		}
	}
	for i, cursor := range cursors {
		ctx, cancel := context.WithCancel(t.Context())
		for set, err := range b.Changes(ctx, cursor) {
			if i < len(cursors)-10 {
				wantCode(t, fmt.Sprint("cursor ", i), err, dovetail.CodeExpired)
			} else if want := dovetail.ID(fmt.Sprintf("project/p%d", i)); err != nil || set.Changes[0].ID != want {
				t.Errorf("cursor %d: %+v, %v, want %s", i, set, err, want)
			}
			break
		}
		cancel()
	}
}

// TestShorterHistory opens a store with less history than it has: the log shrinks with the writes.
func TestShorterHistory(t *testing.T) {
	b := openTemporary(t, Options{})
	for range 50 {
		commit(t, b, put("project/p"))
	}
	b.options.History = 5
	b = reopen(t, b)
	defer b.Close()
	if got := logLength(t, b); got != 50 {
		t.Errorf("opening alone leaves %d of 50 commits", got)
	}
	commit(t, b, put("project/p"))
	if got := logLength(t, b); got != 5 {
		t.Errorf("the log holds %d commits, want 5", got)
	}
}

// TestOvertaken falls behind the history in the middle of reading.
func TestOvertaken(t *testing.T) {
	b := openTemporary(t, Options{History: 300})
	cursor, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		commit(t, b, put("project/p"))
	}
	seen, expired := 0, false
	for _, err := range b.Changes(t.Context(), cursor) {
		if err != nil {
			wantCode(t, "Changes", err, dovetail.CodeExpired)
			expired = true
			continue
		}
		if seen++; seen == 1 {
			for range 600 {
				commit(t, b, put("project/p"))
			}
		}
	}
	if !expired || seen == 0 {
		t.Errorf("%d transactions came, expired: %v", seen, expired)
	}
}

// TestTime takes the time of a commit from the clock of the options.
func TestTime(t *testing.T) {
	now := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	b := openTemporary(t, Options{Clock: func() time.Time { return now.In(time.FixedZone("", 3600)) }})
	cursor, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commit(t, b, put("project/p"))
	for set, err := range b.Changes(t.Context(), cursor) {
		if err != nil || !set.Time.Equal(now) {
			t.Errorf("the time is %v, %v, want %v", set.Time, err, now)
		}
		break
	}
}

// TestTimesNeverGoBack lets the clock jump, also while the store is closed: each commit has the time of the clock, or of the commit before where that
// is later, and all are there in their order.
func TestTimesNeverGoBack(t *testing.T) {
	start := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	now := start
	b := openTemporary(t, Options{Clock: func() time.Time { return now }})
	cursor, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want []time.Time
	latest := start
	for n, jump := range []time.Duration{0, time.Hour, -24 * time.Hour, time.Second, 0, 365 * 24 * time.Hour, -10 * 365 * 24 * time.Hour, time.Minute} {
		if n%3 == 2 {
			b = reopen(t, b)
		}
		if now = now.Add(jump); now.After(latest) {
			latest = now
		}
		commit(t, b, create(dovetail.ID(fmt.Sprint("project/p", n))))
		want = append(want, latest)
	}
	defer b.Close()
	var got []time.Time
	for set, err := range b.Changes(t.Context(), cursor) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, set.Time); len(got) == len(want) {
			break
		}
	}
	if !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("the times are %v, want %v", got, want)
	}
}

// TestDamagedLog meets an entry that is not what was written.
func TestDamagedLog(t *testing.T) {
	b := openTemporary(t, Options{})
	cursor, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commit(t, b, put("project/p"))
	commit(t, b, put("project/q"))
	change(t, b, func(batch *kv.Batch) { batch.Put(changes, sequenceKey(2), []byte("damaged")) })
	n := 0
	for _, err := range b.Changes(t.Context(), cursor) {
		want := []dovetail.Code{"", dovetail.CodeCorrupt}[n]
		wantCode(t, fmt.Sprint("transaction ", n), err, want)
		n++
	}
	if n != 2 {
		t.Errorf("%d steps, want a transaction and an error", n)
	}
}

// TestCloseEndsChanges closes the store under a reader that waits.
func TestCloseEndsChanges(t *testing.T) {
	b := openTemporary(t, Options{})
	cursor, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		for _, err := range b.Changes(context.Background(), cursor) {
			ended <- err
		}
	}()
	b.Close()
	wantCode(t, "Changes", <-ended, dovetail.CodeUnavailable)
}
