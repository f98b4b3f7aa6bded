package simulation

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

var names atomic.Uint64

// TestConformance holds the protocol to the contract without a database.
func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Config{
		Open: func(*testing.T) store.Backend {
			return NewBackend(NewServer(), fmt.Sprint(names.Add(1)))
		},
		Reopen: func(_ *testing.T, b store.Backend) store.Backend {
			return NewBackend(b.(*Backend).server, b.(*Backend).name)
		},
		Expire: func(t *testing.T, b store.Backend) {
			if err := b.(*Backend).Purge(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		},
		Advance: func(_ *testing.T, b store.Backend, by time.Duration) {
			s := b.(*Backend).server
			s.mutex.Lock() // work in the background goes on
			defer s.mutex.Unlock()
			s.clock += uint32(by / time.Millisecond)
		},
		Corrupt: func(t *testing.T, b store.Backend) {
			s := b.(*Backend).server
			s.mutex.Lock()
			defer s.mutex.Unlock()
			for id, r := range s.records {
				if len(r.Strong) > 0 {
					broken := *r
					broken.Strong = nil
					s.records[id] = &broken
				}
			}
		},
	})
}
