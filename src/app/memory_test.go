package app

import (
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
		{"as much as may be garbage", 96 << 20, 100},
		{"between", 48 << 20, 200},
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

// A heap that grows gets a smaller share of garbage with the next collection.
func TestTuneGC(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	tuner := &tuner{percent: mostPercent, samples: gcSamples()}
	big := make([]byte, 200<<20)
	runtime.GC()
	tuner.tune()
	runtime.KeepAlive(big)
	if tuner.percent >= 70 || tuner.percent < 50 {
		t.Errorf("a heap of 200 MiB gets %d", tuner.percent)
	}
}
