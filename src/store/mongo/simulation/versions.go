package simulation

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Keep implements protocol.VersionServer.
func (c *Client) Keep(ctx context.Context, versions []*protocol.Record) error {
	for _, v := range versions {
		err := c.step(ctx, true, func() string { return "keep " + describe(v) }, func() {
			if key := protocol.VersionKey(v); c.server.kept[key] == nil {
				c.server.kept[key] = whole(v)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetVersion implements protocol.VersionServer.
func (c *Client) ForgetVersion(ctx context.Context, id dovetail.ID, etag dovetail.ETag) error {
	return c.step(ctx, true, func() string { return "forget a version of " + string(id) }, func() {
		maps.DeleteFunc(c.server.kept, func(_ string, v *protocol.Record) bool { return v.ID == id && !v.Gone && v.Doc.ETag() == etag })
	})
}

// RewriteVersions implements protocol.VersionServer.
func (c *Client) RewriteVersions(ctx context.Context, versions []*protocol.Record) error {
	for _, v := range versions {
		err := c.step(ctx, true, func() string { return "write a version of " + string(v.ID) + " again" }, func() {
			if key := protocol.VersionKey(v); c.server.kept[key] != nil && !c.server.kept[key].Erased {
				c.server.kept[key] = whole(v)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EraseVersions implements protocol.VersionServer.
func (c *Client) EraseVersions(ctx context.Context, keys []string) error {
	for _, key := range keys {
		err := c.step(ctx, true, func() string { return "erase a version of " + string(protocol.VersionID(key)) }, func() {
			if v := c.server.kept[key]; v != nil && !v.Gone {
				v = head(v)
				v.Erased = true
				c.server.kept[key] = v
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Forget implements protocol.VersionServer.
func (c *Client) Forget(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return c.step(ctx, true, func() string { return "forget versions" }, func() {
		for _, key := range keys {
			delete(c.server.kept, key)
		}
	})
}

// Version implements protocol.VersionServer.
func (c *Client) Version(ctx context.Context, keys []string) (map[string]*protocol.Record, error) {
	found := make(map[string]*protocol.Record, len(keys))
	for _, key := range keys {
		err := c.step(ctx, false, func() string { return "read version " + key }, func() {
			v := c.server.kept[key]
			c.server.learn(c.server.sumRecord(v))
			if v != nil {
				found[key] = whole(v)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// LastVersion implements protocol.VersionServer.
func (c *Client) LastVersion(ctx context.Context, ids []dovetail.ID, at protocol.Stamp) ([]*protocol.Record, error) {
	found := make([]*protocol.Record, len(ids))
	for i, id := range ids {
		err := c.step(ctx, false, func() string { return "look for the last version of " + string(id) }, func() {
			versions := c.server.versions(func(v *protocol.Record) bool { return v.ID == id && !at.Before(v.Committed()) })
			if len(versions) > 0 {
				found[i] = whole(versions[0])
			}
			c.server.learn(c.server.sumRecord(found[i]))
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// versions returns those that fit, in the order of their keys.
func (s *Server) versions(fits func(*protocol.Record) bool) []*protocol.Record {
	var found []*protocol.Record
	for _, key := range slices.Sorted(maps.Keys(s.kept)) {
		if v := s.kept[key]; fits(v) {
			found = append(found, v)
		}
	}
	return found
}

// walkVersions yields versions that fit, each as it is when it is come to.
func (c *Client) walkVersions(ctx context.Context, what string, limit int, order func(a, b *protocol.Record) int, fits func(*protocol.Record) bool) iter.Seq2[*protocol.Record, error] {
	taken := make(map[string]bool)
	return sequence(ctx, c, what, limit, c.server.sumRecord, func() []*protocol.Record {
		found := c.server.versions(func(v *protocol.Record) bool { return fits(v) && !taken[protocol.VersionKey(v)] })
		slices.SortStableFunc(found, order)
		return found
	}, func(v *protocol.Record) *protocol.Record {
		taken[protocol.VersionKey(v)] = true
		return whole(v)
	})
}

func byKey(a, b *protocol.Record) int {
	return cmp.Compare(protocol.VersionKey(a), protocol.VersionKey(b))
}

func latestFirst(a, b *protocol.Record) int { return b.Stamp.Compare(a.Stamp) }

// VersionsOf implements protocol.VersionServer.
func (c *Client) VersionsOf(ctx context.Context, id dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return c.walkVersions(ctx, "list the versions of "+string(id), 0, byKey, func(v *protocol.Record) bool { return v.ID == id })
}

// ScanVersions implements protocol.VersionServer.
func (c *Client) ScanVersions(ctx context.Context, q store.Query, last dovetail.ID, at protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	return c.walkVersions(ctx, "list versions", 0, byKey, func(v *protocol.Record) bool {
		return strings.HasPrefix(string(v.ID), q.Under.Prefix()) && v.ID > q.After && (last == "" || v.ID <= last) &&
			(q.Kind == "" || v.Doc.Kind == q.Kind) && hasTerms(v, q.Terms) && !at.Before(v.Committed())
	})
}

// LinkedVersions implements protocol.VersionServer.
func (c *Client) LinkedVersions(ctx context.Context, to []dovetail.ID, weak bool) iter.Seq2[*protocol.Record, error] {
	return c.walkVersions(ctx, "list versions that refer to "+join(to), 0, byKey, func(v *protocol.Record) bool { return linked(v, to, weak) })
}

// ChangedBefore implements protocol.VersionServer.
func (c *Client) ChangedBefore(ctx context.Context, before protocol.Stamp, versions bool, limit int) iter.Seq2[*protocol.Record, error] {
	fits := func(r *protocol.Record) bool { return !r.Stamp.IsZero() && r.Stamp.Before(before) }
	if versions {
		return c.walkVersions(ctx, "look for earlier versions", limit, latestFirst, fits)
	}
	return sequence(ctx, c, "look for earlier changes", limit, c.server.sumRecord, func() []*protocol.Record {
		var found []*protocol.Record
		for _, r := range c.server.records {
			if fits(r) {
				found = append(found, head(r))
			}
		}
		slices.SortFunc(found, latestFirst)
		return found
	}, func(r *protocol.Record) *protocol.Record {
		before = r.Stamp
		return r
	})
}

// ChangedVersions implements protocol.VersionServer.
func (c *Client) ChangedVersions(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	earliestFirst := func(a, b *protocol.Record) int { return a.Stamp.Compare(b.Stamp) }
	return c.walkVersions(ctx, "look for earlier versions since", 0, earliestFirst, func(v *protocol.Record) bool {
		return !v.Stamp.IsZero() && !v.Stamp.Before(since)
	})
}

// LogBefore implements protocol.VersionServer.
func (c *Client) LogBefore(ctx context.Context, before protocol.Stamp, limit int) iter.Seq2[protocol.LogEntry, error] {
	return sequence(ctx, c, "read the log backwards", limit, c.server.sumEntry, func() []protocol.LogEntry {
		var found []protocol.LogEntry
		for _, entry := range c.server.entries {
			if entry.State != protocol.Pending && entry.Stamp.Before(before) {
				found = append(found, entry)
			}
		}
		slices.SortFunc(found, func(a, b protocol.LogEntry) int { return b.Stamp.Compare(a.Stamp) })
		return found
	}, func(entry protocol.LogEntry) protocol.LogEntry {
		before = entry.Stamp
		return entry
	})
}

// Oldest implements protocol.VersionServer.
func (c *Client) Oldest(ctx context.Context) (oldest protocol.Stamp, err error) {
	err = c.step(ctx, false, func() string { return "look how far the history reaches" }, func() {
		oldest = c.server.purged
		c.server.learn(sumStamp(oldest))
	})
	return oldest, err
}
