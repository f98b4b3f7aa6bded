package store

import (
	"context"
	"testing"
	"time"
)

// timed is a backend that tells the time only.
type timed struct {
	Backend
	time func() time.Time
}

func (b timed) Time(context.Context) (time.Time, error) { return b.time(), nil }

func TestDatabaseClock(t *testing.T) {
	const day = 24 * time.Hour
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	// A reading is asked for and answered some time after the start, by a local clock, and says that since the start of the database
	// that much has passed.
	type reading struct{ asked, answered, at time.Duration }
	cases := []struct {
		name     string
		readings []reading
		after    time.Duration // by the local clock
		want     time.Duration // by that of the database
	}{
		{"one", []reading{{0, time.Second, 0}}, time.Hour, time.Hour},
		{"a quicker one is better", []reading{{0, 3 * time.Second, 2 * time.Second}, {10 * time.Second, 11 * time.Second, 11 * time.Second}}, 20 * time.Second, 21 * time.Second},
		{"a slower one is left", []reading{{0, time.Second, 0}, {10 * time.Second, 15 * time.Second, 14 * time.Second}}, 20 * time.Second, 20 * time.Second},
		{"a slower one counts when the other is old", []reading{{0, time.Second, 0}, {2 * time.Minute, 2*time.Minute + 5*time.Second, 2*time.Minute + 4*time.Second}},
			3 * time.Minute, 3*time.Minute + 4*time.Second},
		{"a slower one counts when the machine was suspended between", []reading{{0, time.Second, 0}, {10 * time.Second, 15 * time.Second, 2 * day}},
			20 * time.Second, 2*day + 10*time.Second},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			var local, database time.Time
			clock := newDatabaseClock(func() time.Time { return local.Add(-40 * day) })
			for _, r := range tt.readings {
				local, database = start.Add(r.asked), start.Add(r.at)
				answer := timed{time: func() time.Time { local = start.Add(r.answered); return database }}
				if at, err := clock.read(t.Context(), answer); err != nil || !at.Equal(database) {
					t.Fatal(at, err)
				}
			}
			local = start.Add(tt.after)
			if got := clock.now().Sub(start); got != tt.want {
				t.Errorf("%v after the start it is %v, want %v", tt.after, got, tt.want)
			}
		})
	}
}
