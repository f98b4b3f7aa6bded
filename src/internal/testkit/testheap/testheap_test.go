package testheap

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercent(t *testing.T) {
	if _, given := os.LookupEnv("GOGC"); given {
		t.Skip("GOGC takes precedence")
	}
	if got := debug.SetGCPercent(percent); got != percent {
		t.Errorf("%d percent of garbage, want %d", got, percent)
	}
	if percent != larger && !benchmarks(os.Args[1:]) {
		t.Errorf("tests have %d percent, want %d", percent, larger)
	}
}

func TestBenchmarks(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want bool
	}{
		{"tests", []string{"-test.timeout=10m0s", "-test.run=TestA"}, false},
		{"benchmarks", []string{"-test.run=^$", "-test.bench=."}, true},
		{"with a time for benchmarks only", []string{"-test.benchtime=1x"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := benchmarks(test.args); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestPeak(t *testing.T) {
	const size = 64 << 20
	var held []byte
	peak := Peak(func() {
		held = make([]byte, size)
		held[0] = 1
	})
	if runtime.KeepAlive(held); peak < size || peak > 2*size {
		t.Errorf("%d bytes at most, want %d", peak, size)
	}
	if peak := Peak(func() {}); peak > size/4 {
		t.Errorf("%d bytes for nothing", peak)
	}
}
