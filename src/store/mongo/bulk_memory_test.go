package mongo

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestBulkTakesBoundedMemory writes many documents in one transaction. What the backend holds meanwhile beside the documents that it is
// given does not grow with their number beyond what is known of each: what is encoded is that of the commands that are under way.
func TestBulkTakesBoundedMemory(t *testing.T) {
	const text, perDocument, commands = 16 << 10, 6 << 10, 64 << 20
	b := mustOpen(t, freshURI(t))
	defer b.Close()
	for _, size := range []int{500, 4_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			var txn store.Txn
			for i := range size {
				d := doc(dovetail.ID(fmt.Sprintf("item/%d-%05d", size, i)), 1)
				d.Data = fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("text", text/4))
				txn.Require = append(txn.Require, store.Condition{Test: store.Absent, ID: d.ID})
				txn.Puts = append(txn.Puts, d)
			}
			used := mostUsed(t, func() { must(t, b.Commit(t.Context(), txn)) })
			t.Logf("%d MiB beside the documents, which take %d MiB", used>>20, size*text>>20)
			if most := uint64(size*perDocument + commands); used > most {
				t.Errorf("a transaction of %d documents takes %d MiB, want at most %d", size, used>>20, most>>20)
			}
			runtime.KeepAlive(txn)
		})
	}
}

// mostUsed is by how much the live heap grows at most while something is done.
func mostUsed(t *testing.T, do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	runtime.GC()
	before := heap()
	var most atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				most.Store(max(most.Load(), heap()))
			}
		}
	}()
	do()
	close(done)
	<-ended
	return most.Load() - min(before, most.Load())
}
