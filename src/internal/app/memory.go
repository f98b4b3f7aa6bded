package app

import (
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"time"
)

// Go collects garbage when there is as much of it as there is live memory. Requests make much garbage and keep little,
// so that a small heap, which is a few mebibytes, may have four times as much. A larger one may have what is left of
// usualHeap, and a very large one, as that of a server with ten thousand connections, half as much as it has.
const (
	mostPercent  = 400
	leastPercent = 50
	usualHeap    = 140 << 20
	mostGarbage  = 96 << 20
)

// While large requests are served, all memory that Go takes is limited, so that the process stays near 200 MB, its
// program included, when it takes a site of ten thousand documents: close to the limit garbage is collected more often,
// and what is free is given back. That takes time, which such requests take anyway. It lasts a while longer, since what
// they leave behind is still there, and what they wrote is read next. A process that must hold more than leanHeap gets
// half as much again for what is beyond.
const (
	largeRequests = 1 << 20 // bytes of their bodies
	leanAfter     = 10 * time.Second
	leanLimit     = 136 << 20
	leanHeap      = 108 << 20
)

// gcPercent is the share of garbage that so many live bytes may have.
func gcPercent(live uint64) int {
	if live == 0 {
		return mostPercent
	}
	garbage := min(mostGarbage, usualHeap-min(live, usualHeap))
	return int(min(mostPercent, max(leastPercent, garbage*100/live)))
}

// memoryLimit is how much memory Go should take when it holds so many bytes, while large requests are served.
func memoryLimit(held uint64) int64 {
	return int64(leanLimit + (max(held, leanHeap)-leanHeap)*3/2)
}

// tuneGC keeps the share as gcPercent has it, and the limit as memoryLimit has it for so many bytes of bodies, from now
// on, after every collection. A limit that is set from outside is kept to as well.
func tuneGC(bodies func() int64) {
	t := &tuner{bodies: bodies, now: time.Now, given: debug.SetMemoryLimit(-1), samples: gcSamples()}
	t.limit = t.given
	t.tune()
	t.arm()
}

func gcSamples() []runtimemetrics.Sample {
	return []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
}

type tuner struct {
	bodies  func() int64
	now     func() time.Time
	lean    time.Time // until when memory is limited
	percent int
	limit   int64
	given   int64 // the limit that was set from outside
	samples []runtimemetrics.Sample
}

// arm makes the next garbage collection call tune: it runs the finalizer of an object without references.
func (t *tuner) arm() {
	type bell struct{ *tuner }
	runtime.SetFinalizer(&bell{t}, func(b *bell) {
		b.tune()
		b.arm()
	})
}

func (t *tuner) tune() {
	runtimemetrics.Read(t.samples)
	live, used, stacks := t.samples[0].Value.Uint64(), t.samples[1].Value.Uint64(), t.samples[2].Value.Uint64()
	if percent := gcPercent(live + used); percent != t.percent {
		t.percent = percent
		debug.SetGCPercent(percent)
	}
	now := t.now()
	if t.bodies() >= largeRequests {
		t.lean = now.Add(leanAfter)
	}
	limit := t.given
	if now.Before(t.lean) {
		limit = min(limit, memoryLimit(live+stacks))
	}
	if limit != t.limit {
		t.limit = limit
		debug.SetMemoryLimit(limit)
	}
}
