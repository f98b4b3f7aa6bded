package simulation

import (
	"context"
	"io"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Backend is the protocol on a server in memory, as a whole backend: one process of those on the server.
type Backend struct {
	*protocol.Engine
	live   *protocol.Runtime
	server *Server
	name   string
}

// NewBackend returns a process on a server, for a store of the name. Time passes on the server from then on.
func NewBackend(server *Server, name string) *Backend {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	server.now = time.Now
	live := protocol.NewRuntime(protocol.Settings{})
	return &Backend{Engine: protocol.New(server.Connect(nil), live.Env(), name), live: live, server: server, name: name}
}

// Commit implements store.Backend.
func (b *Backend) Commit(ctx context.Context, txn store.Txn) error {
	defer b.live.Notify()
	return b.Engine.Commit(ctx, txn)
}

// Checkpoint implements store.Backend.
func (b *Backend) Checkpoint(context.Context, func(store.Checkpoint) (io.Writer, error)) error {
	return store.NoCheckpoints("a simulation")
}

// Capabilities implements store.Backend.
func (b *Backend) Capabilities() store.Capabilities {
	return store.Capabilities{Name: "simulation", Versions: true, Terms: true, EveryTerm: true}
}

// Time implements store.Backend.
func (b *Backend) Time(context.Context) (time.Time, error) { return b.server.time(), nil }

// Ping implements store.Backend.
func (b *Backend) Ping(ctx context.Context) error {
	_, err := b.Head(ctx)
	return err
}

// Close implements store.Backend. The server stays.
func (b *Backend) Close() error { return nil }

// Wipe has nothing to overwrite.
func (b *Backend) Wipe(context.Context) error { return nil }
