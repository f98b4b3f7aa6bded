package simulation

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Find implements protocol.Server.
func (c *Client) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	found := make(map[dovetail.ID]*protocol.Record, len(ids))
	if slices.Contains(ids, protocol.ClockID) {
		if err := c.findClock(ctx, found); err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		if id == protocol.ClockID {
			continue
		}
		err := c.step(ctx, false, func() string { return "read " + string(id) }, func() {
			r := c.server.records[id]
			c.server.learn(c.server.sumRecord(r))
			switch {
			case r == nil:
			case all:
				found[id] = whole(r)
			default:
				found[id] = head(r)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// findClock reads what Now has returned last. Its step comes before those of other records that are found with it: what is right where
// it is read first is right where it is read later.
func (c *Client) findClock(ctx context.Context, found map[dovetail.ID]*protocol.Record) error {
	return c.step(ctx, false, func() string { return "look how the clock was read last" }, func() {
		if taken := c.server.taken; !taken.IsZero() {
			found[protocol.ClockID] = &protocol.Record{ID: protocol.ClockID, Stamp: taken}
		}
		if c.server.followed {
			c.server.learn(sumStamp(c.server.taken))
		}
	})
}
