package simulation

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// backend is the protocol on a server in memory, as a whole backend.
type backend struct {
	*protocol.Engine
	live   *protocol.Runtime
	server *Server
	name   string
}

var names atomic.Uint64

func newBackend(server *Server, name string) *backend {
	live := protocol.NewRuntime(protocol.Settings{})
	return &backend{Engine: protocol.New(server.Connect(nil), live.Env(), name), live: live, server: server, name: name}
}

func (b *backend) Commit(ctx context.Context, txn store.Txn) error {
	defer b.live.Notify()
	return b.Engine.Commit(ctx, txn)
}

func (b *backend) Checkpoint(context.Context, func(store.Checkpoint) (io.Writer, error)) error {
	return store.NoCheckpoints("a simulation")
}

func (b *backend) Capabilities() store.Capabilities {
	return store.Capabilities{Name: "simulation", Versions: true, Terms: true}
}
func (b *backend) Time(context.Context) (time.Time, error) { return b.server.time(), nil }

func (b *backend) Ping(ctx context.Context) error {
	_, err := b.Head(ctx)
	return err
}
func (b *backend) Close() error { return nil }

// TestConformance holds the protocol to the contract without a database.
func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Config{
		Open: func(*testing.T) store.Backend {
			server := NewServer()
			server.now = time.Now
			return newBackend(server, fmt.Sprint(names.Add(1)))
		},
		Reopen: func(_ *testing.T, b store.Backend) store.Backend {
			return newBackend(b.(*backend).server, b.(*backend).name)
		},
		Expire: func(t *testing.T, b store.Backend) {
			if err := b.(*backend).Purge(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		},
		Advance: func(_ *testing.T, b store.Backend, by time.Duration) {
			s := b.(*backend).server
			s.mutex.Lock() // work in the background goes on
			defer s.mutex.Unlock()
			s.clock += uint32(by / time.Millisecond)
		},
		Corrupt: func(t *testing.T, b store.Backend) {
			s := b.(*backend).server
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
