package simulation

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

var _ protocol.LevelServer = (*Client)(nil)

// Announce implements protocol.LevelServer. Members whose processes have died have expired: that none is taken for dead that lives is assumed.
func (c *Client) Announce(ctx context.Context, m protocol.Member) (read protocol.Registry, err error) {
	now := time.Unix(firstSecond, 0)
	err = c.step(ctx, true, func() string { return "announce itself" }, func() {
		s := c.server
		m.Seen = now
		members := slices.DeleteFunc(slices.Clone(s.registry.Members), func(other protocol.Member) bool { return other.ID == m.ID })
		members = append(members, m)
		s.registry.Members = members
		s.registry.Changes++
		read = s.registry
		read.Members = slices.Clone(read.Members)
		for i, other := range read.Members {
			if s.died[other.ID] {
				read.Members[i].Seen = now.Add(-2 * protocol.MemberExpiry)
			}
		}
		s.learn(mix(sumRegistry(read), uint64(read.Changes)))
	})
	return read, err
}

// Leave implements protocol.LevelServer.
func (c *Client) Leave(ctx context.Context, id string) error {
	return c.step(ctx, true, func() string { return "leave" }, func() {
		members := slices.Clone(c.server.registry.Members)
		c.server.registry.Members = slices.DeleteFunc(members, func(m protocol.Member) bool { return m.ID == id })
	})
}

// RaiseLevel implements protocol.LevelServer.
func (c *Client) RaiseLevel(ctx context.Context, read protocol.Registry, to protocol.Level) (raised bool, err error) {
	err = c.step(ctx, true, func() string { return "raise the level" }, func() {
		if raised = c.server.registry.Changes == read.Changes; raised {
			c.server.registry.Level = to
			c.server.registry.Changes++
		}
		c.server.learn(sumBool(raised))
	})
	return raised && err == nil, err
}

// sumRegistry does not count changes: only whether there are any matters.
func sumRegistry(r protocol.Registry) uint64 {
	sum := uint64(r.Level)
	for _, m := range r.Members {
		sum += mix(mix(sumString(m.ID), uint64(m.Knows)), sumBool(m.Seen.Unix() < firstSecond))
	}
	return sum
}

// join has the process take part in a store that has levels, and reports whether it may.
func (p *process) join(ctx context.Context) bool {
	if p.run.scenario.Level == 0 {
		return true
	}
	read, err := protocol.Join(ctx, p.levels, p.member())
	if err != nil {
		return false
	}
	p.level = read.Level
	return true
}

func (p *process) member() protocol.Member {
	m := protocol.Member{ID: p.Name, Name: p.Name, Knows: p.Knows}
	if m.Knows == 0 {
		m.Knows = protocol.NewestLevel
	}
	return m
}

// raise raises the level to the newest.
func (p *process) raise(ctx context.Context) {
	if _, err := protocol.Raise(ctx, p.levels, p.member(), protocol.NewestLevel); err == nil {
		p.level = protocol.NewestLevel
	}
}
