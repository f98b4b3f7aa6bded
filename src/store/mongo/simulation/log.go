package simulation

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// WriteEntries implements protocol.Server.
func (c *Client) WriteEntries(ctx context.Context, entries []protocol.LogEntry) error {
	for _, entry := range entries {
		err := c.step(ctx, true, func() string { return "log " + entry.Txn + " as " + string(entry.State) }, func() {
			if _, there := c.server.entries[entry.Txn]; !there {
				entry.Stamp = c.server.tick()
				c.server.entries[entry.Txn] = entry
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// UpdateEntry implements protocol.Server.
func (c *Client) UpdateEntry(ctx context.Context, txn string, from protocol.State, to protocol.EntryUpdate) (updated bool, err error) {
	err = c.step(ctx, true, func() string { return "change " + txn + " from " + string(from) + " to " + string(to.State) }, func() {
		entry, there := c.server.entries[txn]
		updated = there && entry.State == from
		c.server.learn(sumBool(updated))
		if !updated {
			return
		}
		entry.State, entry.Heartbeats = to.State, max(entry.Heartbeats, to.Heartbeats)
		c.server.entries[txn] = entry
	})
	return updated && err == nil, err
}

// ResolveEntries implements protocol.Server.
func (c *Client) ResolveEntries(ctx context.Context, txns []string) error {
	for _, txn := range txns {
		if _, err := c.UpdateEntry(ctx, txn, protocol.Committed, protocol.EntryUpdate{State: protocol.Resolved}); err != nil {
			return err
		}
	}
	return nil
}

// FenceEntries implements protocol.Server.
func (c *Client) FenceEntries(ctx context.Context, txns []string, fence string) error {
	for _, txn := range txns {
		err := c.step(ctx, true, func() string { return "fence " + txn + " with " + fence }, func() {
			if entry, there := c.server.entries[txn]; there && entry.State == protocol.Pending {
				entry.Fence = fence
				c.server.entries[txn] = entry
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CommitEntry implements protocol.Server.
func (c *Client) CommitEntry(ctx context.Context, commit protocol.LogEntry, before time.Time) (at protocol.Stamp, done bool, err error) {
	taken, err := c.stamp(ctx, true)
	if err != nil {
		return at, false, err
	}
	err = c.step(ctx, true, func() string { return "commit " + commit.Txn + " if its fence is " + commit.Fence }, func() {
		entry, there := c.server.entries[commit.Txn]
		done = there && entry.State == protocol.Pending && entry.Fence == commit.Fence && !c.server.isLate(before)
		c.server.learn(sumBool(done))
		if done {
			at = c.server.stampOf(taken)
			entry.State, entry.Changes, entry.By, entry.Stamp = protocol.Committed, commit.Changes, commit.By, at
			c.server.entries[commit.Txn] = entry
		}
	})
	return at, done && err == nil, err
}

// DeleteEntry implements protocol.Server.
func (c *Client) DeleteEntry(ctx context.Context, txn string, in protocol.State) (deleted bool, err error) {
	err = c.step(ctx, true, func() string { return "delete entry " + txn + " if " + string(in) }, func() {
		if entry, there := c.server.entries[txn]; there && entry.State == in {
			deleted = true
			delete(c.server.entries, txn)
		}
		c.server.learn(sumBool(deleted))
	})
	return deleted && err == nil, err
}

// Entries implements protocol.Server.
func (c *Client) Entries(ctx context.Context, txns []string) (map[string]protocol.LogEntry, error) {
	found := make(map[string]protocol.LogEntry, len(txns))
	for _, txn := range txns {
		err := c.step(ctx, false, func() string { return "look up " + txn }, func() {
			if entry, there := c.server.entries[txn]; there {
				entry.Changes = nil
				found[txn] = entry
				c.server.learn(c.server.sumEntry(entry))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// OpenEntries implements protocol.Server.
func (c *Client) OpenEntries(ctx context.Context) iter.Seq2[protocol.LogEntry, error] {
	return c.log(ctx, "look for open entries", protocol.Stamp{}, false, protocol.Pending, protocol.Committed)
}

// Log implements protocol.Server.
func (c *Client) Log(ctx context.Context, since protocol.Stamp) iter.Seq2[protocol.LogEntry, error] {
	return c.log(ctx, "read the log", since, true, protocol.Committed, protocol.Resolved, protocol.Tombstone, protocol.Purged)
}

// Deletions implements protocol.Server.
func (c *Client) Deletions(ctx context.Context, of []dovetail.ID, since protocol.Stamp) iter.Seq2[protocol.LogEntry, error] {
	return func(yield func(protocol.LogEntry, error) bool) {
		for entry, err := range c.Log(ctx, since) {
			at := slices.IndexFunc(entry.Changes, func(change store.Change) bool {
				return change.Op == store.Deleted && slices.Contains(of, change.ID)
			})
			if err == nil && at < 0 {
				continue
			}
			if err == nil {
				entry.Changes = entry.Changes[at : at+1]
			}
			if !yield(entry, err) {
				return
			}
		}
	}
}

func (c *Client) log(ctx context.Context, what string, since protocol.Stamp, changes bool, states ...protocol.State) iter.Seq2[protocol.LogEntry, error] {
	return ordered(ctx, c, what, since, c.server.sumEntry, func() []protocol.LogEntry {
		var all []protocol.LogEntry
		for _, entry := range c.server.entries {
			all = append(all, entry)
		}
		if !c.server.purged.IsZero() {
			all = append(all, protocol.LogEntry{State: protocol.Purged, Stamp: c.server.purged})
		}
		all = slices.DeleteFunc(all, func(entry protocol.LogEntry) bool { return !slices.Contains(states, entry.State) })
		for i := range all {
			if all[i].Changes = slices.Clone(all[i].Changes); !changes {
				all[i].Changes = nil
			}
		}
		return all
	}, func(entry protocol.LogEntry) protocol.Stamp { return entry.Stamp })
}

// Purge implements protocol.Server.
func (c *Client) Purge(ctx context.Context, before protocol.Stamp) error {
	err := c.step(ctx, true, func() string { return "announce the purge" }, func() {
		if c.server.purged.Before(before) {
			c.server.purged = before
		}
	})
	if err != nil {
		return err
	}
	return c.step(ctx, true, func() string { return "purge the log" }, func() {
		for txn, entry := range c.server.entries {
			if (entry.State == protocol.Resolved || entry.State == protocol.Tombstone) && entry.Stamp.Before(before) {
				delete(c.server.entries, txn)
			}
		}
	})
}

// Latest implements protocol.Server.
func (c *Client) Latest(ctx context.Context) (latest, purged protocol.Stamp, err error) {
	err = c.step(ctx, false, func() string { return "look for the latest change" }, func() {
		for _, r := range c.server.records {
			if latest.Before(r.Stamp) {
				latest = r.Stamp
			}
		}
		for _, entry := range c.server.entries {
			if entry.State != protocol.Pending && latest.Before(entry.Stamp) {
				latest = entry.Stamp
			}
		}
		purged = c.server.purged
		c.server.learn(mix(sumStamp(latest), sumStamp(purged)))
	})
	return latest, purged, err
}

// Now implements protocol.Server.
func (c *Client) Now(ctx context.Context) (now protocol.Stamp, err error) {
	err = c.step(ctx, false, func() string { return "read the clock" }, func() {
		now = c.server.tick()
		c.server.taken = now
		if c.server.followed {
			c.server.learn(sumStamp(now))
		}
	})
	return now, err
}
