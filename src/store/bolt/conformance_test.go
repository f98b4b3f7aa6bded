package bolt

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

const history = 1000

func TestConformance(t *testing.T) { conform(t, Options{History: history}) }

// TestConformanceWhileFlushing has much of what is read in two tables and the file at the same time.
func TestConformanceWhileFlushing(t *testing.T) {
	conform(t, Options{History: history, tableSize: 2000})
}

func conform(t *testing.T, options Options) {
	var passed atomic.Int64
	options.Clock = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
	storetest.Run(t, storetest.Config{
		Advance: func(_ *testing.T, _ store.Backend, by time.Duration) { passed.Add(int64(by)) },
		Open: func(t *testing.T) store.Backend {
			return mustOpen(t, filepath.Join(memdir.New(t), "store.db"), options)
		},
		Reopen: func(t *testing.T, b store.Backend) store.Backend { return reopen(t, b.(*Backend)) },
		Expire: func(t *testing.T, b store.Backend) {
			for range history {
				commit(t, b, store.Txn{Puts: []*dovetail.Document{document("filler/f")}})
			}
		},
		Corrupt: corruptIndexes,
	})
}
