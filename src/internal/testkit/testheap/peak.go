package testheap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// Peak returns how much the heap took at most while something was done, with garbage, and beyond what it took before. Garbage is collected as
// in the product, and the heap is examined every few milliseconds.
func Peak(do func()) uint64 {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	runtime.GC()
	took := heap()
	var most atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			most.Store(max(most.Load(), heap()))
			select {
			case <-ticker.C:
			case <-done:
				return
			}
		}
	}()
	do()
	most.Store(max(most.Load(), heap()))
	close(done)
	<-ended
	return most.Load() - min(took, most.Load())
}

// heap is what objects take, dead ones included.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
