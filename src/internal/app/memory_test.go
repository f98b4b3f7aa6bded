package app

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGCPercent(t *testing.T) {
	tests := []struct {
		name string
		live uint64
		want int
	}{
		{"nothing known", 0, 400},
		{"a few mebibytes", 5 << 20, 400},
		{"a small heap", 32 << 20, 300},
		{"what is left of the usual one", 70 << 20, 100},
		{"almost all of it", 100 << 20, 50},
		{"much", 4 << 30, 50},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := gcPercent(tt.live); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestMemoryLimit(t *testing.T) {
	tests := []struct {
		name       string
		live, want uint64 // in MiB
	}{
		{"nothing known", 0, 136},
		{"a few", 5, 136},
		{"as much as the least limit is for", 108, 136},
		{"more", 208, 286},
		{"much", 4096, 6118},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := memoryLimit(tt.live << 20); got != int64(tt.want<<20) {
				t.Errorf("got %d MiB, want %d", got>>20, tt.want)
			}
		})
	}
}

// A heap that grows gets a smaller share of garbage with the next collection, and while large requests are served a limit,
// which is at most the one from outside.
func TestTuneGC(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	big := make([]byte, 200<<20)
	runtime.GC()
	var bodies int64
	var clock time.Time
	tuner := &tuner{bodies: func() int64 { return bodies }, now: func() time.Time { return clock }, samples: gcSamples()}
	for _, tt := range []struct {
		name          string
		given, bodies int64
		after         time.Duration
		limited       bool // by what is held
	}{
		{"small requests", math.MaxInt64, 1000, time.Second, false},
		{"large requests", math.MaxInt64, 2 << 20, time.Second, true},
		{"just after them", math.MaxInt64, 0, 9 * time.Second, true},
		{"small again", math.MaxInt64, 0, time.Second, false},
		{"a low limit from outside", 100 << 20, 2 << 20, time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bodies, clock = tt.bodies, clock.Add(tt.after)
			tuner.given = tt.given
			tuner.tune()
			if tuner.percent >= 70 || tuner.percent < 50 {
				t.Errorf("a heap of 200 MiB gets %d percent", tuner.percent)
			}
			want := tt.given
			if tt.limited {
				want = memoryLimit(tuner.samples[0].Value.Uint64() + tuner.samples[2].Value.Uint64())
			}
			if got := debug.SetMemoryLimit(-1); got != want || tt.limited && got < 274<<20 {
				t.Errorf("a heap of 200 MiB gets %d MiB, want %d", got>>20, want>>20)
			}
		})
	}
	runtime.KeepAlive(big)
}
