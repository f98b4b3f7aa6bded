package app

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
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
		{"nothing known", 0, 144},
		{"a few", 5, 144},
		{"as much as the least limit is for", 112, 144},
		{"more", 212, 294},
		{"much", 4096, 6120},
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
	for _, tt := range []struct {
		name        string
		given       int64
		bodies      int64
		least, most int64 // of the limit, in MiB
	}{
		{"small requests", math.MaxInt64, 1000, math.MaxInt64 >> 20, math.MaxInt64 >> 20},
		{"large requests", math.MaxInt64, 2 << 20, 276, 350},
		{"small again", math.MaxInt64, 0, math.MaxInt64 >> 20, math.MaxInt64 >> 20},
		{"a low limit from outside", 100 << 20, 2 << 20, 100, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tuner := &tuner{bodies: func() int64 { return tt.bodies }, given: tt.given, samples: gcSamples()}
			tuner.tune()
			if tuner.percent >= 70 || tuner.percent < 50 {
				t.Errorf("a heap of 200 MiB gets %d percent", tuner.percent)
			}
			if got := debug.SetMemoryLimit(-1) >> 20; got < tt.least || got > tt.most {
				t.Errorf("a heap of 200 MiB gets %d MiB", got)
			}
		})
	}
	runtime.KeepAlive(big)
}
