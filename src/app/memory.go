package app

import (
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
)

// Go collects garbage when there is as much of it as there is live memory. Requests make much garbage and keep little,
// so that a small heap, which is a few mebibytes, may have four times as much; a large one, as that of a server with
// ten thousand connections or one that takes a site of ten thousand documents, may have maxGarbage, or half as much as it has.
const (
	mostPercent  = 400
	leastPercent = 50
	maxGarbage   = 96 << 20
)

// gcPercent is the share of garbage that so many live bytes may have.
func gcPercent(live uint64) int {
	if live == 0 {
		return mostPercent
	}
	return int(min(mostPercent, max(leastPercent, maxGarbage*100/live)))
}

// tuneGC keeps the share as gcPercent has it, from now on, after every collection.
func tuneGC() {
	t := &tuner{percent: mostPercent, samples: gcSamples()}
	debug.SetGCPercent(t.percent)
	t.arm()
}

func gcSamples() []runtimemetrics.Sample {
	return []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}}
}

type tuner struct {
	percent int
	samples []runtimemetrics.Sample
}

// arm has the next collection call tune: it finds that nobody holds the bell.
func (t *tuner) arm() {
	type bell struct{ *tuner }
	runtime.SetFinalizer(&bell{t}, func(b *bell) { b.tune() })
}

func (t *tuner) tune() {
	runtimemetrics.Read(t.samples)
	var live uint64
	for _, sample := range t.samples {
		live += sample.Value.Uint64()
	}
	if percent := gcPercent(live); percent != t.percent {
		t.percent = percent
		debug.SetGCPercent(percent)
	}
	t.arm()
}
