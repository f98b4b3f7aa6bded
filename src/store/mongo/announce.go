package mongo

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// join reads the name of the store and joins its registry.
func (b *Backend) join(ctx context.Context) (err error) {
	r := registry{b.server}
	if b.name, err = r.name(ctx); err != nil {
		return err
	}
	b.member = newMember(b.options)
	read, err := protocol.Join(ctx, r, b.member)
	if err != nil {
		return err
	}
	b.registered.Store(&read)
	b.server.level.Store(int64(read.Level))
	for _, m := range read.Members {
		if m.ID == b.member.ID {
			_ = r.forget(ctx, read, m.Seen) // otherwise the next process does it
		}
	}
	return nil
}

// keepAnnouncing announces this process periodically until the context ends, and adopts the level that it reads.
func (b *Backend) keepAnnouncing(ctx context.Context) {
	const again = 10 * time.Second
	for next := protocol.AnnounceInterval; clock.Sleep(ctx, b.clock, next) == nil; {
		next = protocol.AnnounceInterval
		if err := b.announce(ctx); err != nil && ctx.Err() == nil {
			if b.refused.Load() != nil {
				return
			}
			b.options.Logger.Warn("the process could not announce itself", "error", err)
			next = again
		}
	}
}

// announce announces this process once. If the store is at a level that this process does not know, it disconnects: it must have
// been suspended for longer than MemberExpiry, since otherwise the level would not have been raised.
func (b *Backend) announce(ctx context.Context) error {
	b.announcing.Lock()
	defer b.announcing.Unlock()
	read, err := protocol.Join(ctx, registry{b.server}, b.member)
	if dovetail.CodeOf(err) == dovetail.CodeInvalid {
		b.refused.Store(&err)
		b.options.Logger.Error("this process no longer uses the store", "error", err)
		_ = b.client.Disconnect(ctx) // prevents operations in progress from reaching the server
	}
	if err != nil {
		return err
	}
	if was := b.registered.Swap(&read).Level; was != read.Level {
		b.options.Logger.Info("the protocol level was raised", "from", was, "to", read.Level)
	}
	b.runtime.SetLevel(read.Level)
	b.server.level.Store(int64(read.Level))
	return nil
}

// SetName changes the name under which other processes see this one.
func (b *Backend) SetName(ctx context.Context, name string) error {
	b.announcing.Lock()
	b.member.Name = name
	b.announcing.Unlock()
	return b.announce(ctx)
}

// Level returns the protocol level of the store, as far as this process knows, and the newest level that it supports.
func (b *Backend) Level() (level, newest protocol.Level) { return b.runtime.Level(), b.member.Knows }
