package mongo

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// The fields of a transaction record in the log. Its _id is the transaction; the other documents of the log have a fixed _id.
const (
	entryState      = "state"
	entryAt         = "at"
	entryHeartbeats = "beat"
	entryChanges    = "changes"
	entryFence      = "fence"

	purgeID    = "_purged"   // has the timestamp of the latest purge, as entryAt
	versionsID = "_versions" // has the timestamp from which on versions are kept, as versionsSince
	clockID    = "_clock"    // is written to read the server's clock
	identityID = "_identity" // names the store, and has its registry
)

var stampNow = bson.D{{Key: "$currentDate", Value: bson.D{{Key: entryAt, Value: bson.D{{Key: "$type", Value: "timestamp"}}}}}}

// WriteEntries implements protocol.Server.
func (s *server) WriteEntries(ctx context.Context, entries []protocol.LogEntry) error {
	models := make([]mongo.WriteModel, len(entries))
	for i, entry := range entries {
		set := bson.D{{Key: entryState, Value: string(entry.State)}}
		if len(entry.Changes) > 0 {
			set = append(set, bson.E{Key: entryChanges, Value: encodeChanges(entry.Changes)})
		}
		set = appendProvenance(set, entry.By)
		// The filter never matches, so that the record is inserted; if there is one with the id already, that fails.
		filter := bson.D{{Key: fieldID, Value: entry.Txn}, {Key: entryState, Value: "none"}}
		models[i] = mongo.NewUpdateOneModel().SetFilter(filter).SetUpdate(append(bson.D{{Key: "$set", Value: set}}, stampNow...)).SetUpsert(true)
	}
	_, err := s.log.in(ctx).BulkWrite(noDeadline{ctx}, models, options.BulkWrite().SetOrdered(false))
	if mongo.IsDuplicateKeyError(err) {
		return nil
	}
	return writeError(ctx, err)
}

// UpdateEntry implements protocol.Server.
func (s *server) UpdateEntry(ctx context.Context, txn string, from protocol.State, to protocol.EntryUpdate) (bool, error) {
	set := bson.D{{Key: entryState, Value: string(to.State)}}
	if to.Heartbeats > 0 {
		set = append(set, bson.E{Key: entryHeartbeats, Value: to.Heartbeats})
	}
	result, err := s.log.in(ctx).UpdateOne(noDeadline{ctx}, inState(txn, from), bson.D{{Key: "$set", Value: set}})
	if err != nil {
		return false, writeError(ctx, err)
	}
	return result.MatchedCount == 1, nil
}

// ResolveEntries implements protocol.Server.
func (s *server) ResolveEntries(ctx context.Context, txns []string) error {
	filter := bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: txns}}}, {Key: entryState, Value: string(protocol.Committed)}}
	update := bson.D{{Key: "$set", Value: bson.D{{Key: entryState, Value: string(protocol.Resolved)}}}}
	_, err := s.log.in(ctx).UpdateMany(noDeadline{ctx}, filter, update, options.UpdateMany().SetHint(byID))
	return writeError(ctx, err)
}

// FenceEntries implements protocol.Server.
func (s *server) FenceEntries(ctx context.Context, txns []string, fence string) error {
	filter := bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: txns}}}, {Key: entryState, Value: string(protocol.Pending)}}
	update := bson.D{{Key: "$set", Value: bson.D{{Key: entryFence, Value: fence}}}}
	_, err := s.log.in(ctx).UpdateMany(noDeadline{ctx}, filter, update, options.UpdateMany().SetHint(byID))
	return writeError(ctx, err)
}

// CommitEntry implements protocol.Server.
func (s *server) CommitEntry(ctx context.Context, entry protocol.LogEntry, before time.Time) (at protocol.Stamp, done bool, err error) {
	filter := append(inState(entry.Txn, protocol.Pending), bson.E{Key: entryFence, Value: bson.D{{Key: "$exists", Value: false}}})
	if entry.Fence != "" {
		filter[len(filter)-1].Value = entry.Fence
	}
	filter = appendBefore(filter, before)
	set := bson.D{{Key: entryState, Value: string(protocol.Committed)}, {Key: entryChanges, Value: encodeChanges(entry.Changes)}}
	set = appendProvenance(set, entry.By)
	raw, err := s.log.in(ctx).FindOneAndUpdate(s.commitContext(ctx, before), filter, append(bson.D{{Key: "$set", Value: set}}, stampNow...),
		options.FindOneAndUpdate().SetReturnDocument(options.After).SetProjection(bson.D{{Key: entryAt, Value: 1}})).Raw()
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return at, false, nil
	case err != nil:
		return at, false, writeError(ctx, err)
	}
	committed, err := decodeEntry(raw)
	return committed.Stamp, err == nil, err
}

func inState(txn string, state protocol.State) bson.D {
	return bson.D{{Key: fieldID, Value: txn}, {Key: entryState, Value: string(state)}}
}

// DeleteEntry implements protocol.Server.
func (s *server) DeleteEntry(ctx context.Context, txn string, in protocol.State) (bool, error) {
	result, err := s.log.in(ctx).DeleteOne(noDeadline{ctx}, inState(txn, in))
	if err != nil {
		return false, writeError(ctx, err)
	}
	return result.DeletedCount == 1, nil
}

// Entries implements protocol.Server.
func (s *server) Entries(ctx context.Context, txns []string) (map[string]protocol.LogEntry, error) {
	found := make(map[string]protocol.LogEntry, len(txns))
	filter := bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: txns}}}}
	for entry, err := range query(ctx, s.log.in(ctx), filter, options.Find().SetProjection(withoutChanges), decodeEntry) {
		if err != nil {
			return nil, err
		}
		found[entry.Txn] = entry
	}
	return found, nil
}

var withoutChanges = bson.D{{Key: entryState, Value: 1}, {Key: entryAt, Value: 1}, {Key: entryHeartbeats, Value: 1},
	{Key: entryFence, Value: 1}, {Key: fieldProvenance, Value: 1}}

// OpenEntries implements protocol.Server.
func (s *server) OpenEntries(ctx context.Context) iter.Seq2[protocol.LogEntry, error] {
	return query(ctx, s.log.in(ctx), states(protocol.Pending, protocol.Committed), options.Find().SetHint(byState).SetProjection(withoutChanges), decodeEntry)
}

func states(states ...protocol.State) bson.D {
	return bson.D{{Key: entryState, Value: bson.D{{Key: "$in", Value: states}}}}
}

// Log implements protocol.Server.
func (s *server) Log(ctx context.Context, since protocol.Stamp) iter.Seq2[protocol.LogEntry, error] {
	filter := bson.D{{Key: entryAt, Value: bson.D{{Key: "$gte", Value: timestamp(since)}}}}
	all := query(ctx, s.log.in(ctx), filter, options.Find().SetHint(byAt).SetSort(byAt), decodeEntry)
	return func(yield func(protocol.LogEntry, error) bool) {
		for entry, err := range all {
			if err == nil && entry.State == protocol.Pending {
				continue
			}
			if !yield(entry, err) {
				return
			}
		}
	}
}

// Deletions implements protocol.Server.
func (s *server) Deletions(ctx context.Context, of []dovetail.ID, since protocol.Stamp) iter.Seq2[protocol.LogEntry, error] {
	return func(yield func(protocol.LogEntry, error) bool) {
		for part := range slices.Chunk(of, maxIDs) {
			deletion := bson.D{{Key: "$elemMatch", Value: bson.D{{Key: "op", Value: string(store.Deleted)}, {Key: "id", Value: bson.D{{Key: "$in", Value: part}}}}}}
			filter := bson.D{{Key: entryAt, Value: bson.D{{Key: "$gte", Value: timestamp(since)}}}, {Key: entryChanges, Value: deletion}}
			fields := bson.D{{Key: entryState, Value: 1}, {Key: entryAt, Value: 1}, {Key: entryChanges, Value: deletion}}
			for entry, err := range query(ctx, s.log.in(ctx), filter, options.Find().SetHint(byAt).SetProjection(fields), decodeEntry) {
				if err == nil && entry.State == protocol.Pending {
					continue
				}
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
}

// Purge implements protocol.Server.
func (s *server) Purge(ctx context.Context, before protocol.Stamp) error {
	_, err := s.log.in(ctx).UpdateOne(noDeadline{ctx}, bson.D{{Key: fieldID, Value: purgeID}},
		bson.D{{Key: "$max", Value: bson.D{{Key: entryAt, Value: timestamp(before)}}},
			{Key: "$set", Value: bson.D{{Key: entryState, Value: string(protocol.Purged)}}}}, options.UpdateOne().SetUpsert(true))
	if err != nil {
		return writeError(ctx, err)
	}
	_, err = s.log.in(ctx).DeleteMany(noDeadline{ctx}, append(states(protocol.Resolved, protocol.Tombstone),
		bson.E{Key: entryAt, Value: bson.D{{Key: "$lt", Value: timestamp(before)}}}), options.DeleteMany().SetHint(byState))
	return writeError(ctx, err)
}

// Latest implements protocol.Server.
func (s *server) Latest(ctx context.Context) (latest, purged protocol.Stamp, err error) {
	record, err := s.newest(ctx, s.records.in(ctx), bson.D{}, fieldChanged, byChanged)
	if err != nil {
		return latest, purged, err
	}
	entry, err := s.newest(ctx, s.log.in(ctx), states(protocol.Committed, protocol.Resolved, protocol.Tombstone), entryAt, byAt)
	if err != nil {
		return latest, purged, err
	}
	latest = record
	if latest.Before(entry) {
		latest = entry
	}
	for entry, err := range query(ctx, s.log.in(ctx), bson.D{{Key: fieldID, Value: purgeID}}, options.Find(), decodeEntry) {
		return latest, entry.Stamp, err
	}
	return latest, purged, nil
}

// newest returns the latest timestamp in a collection. Servers that sort the matches of an index are slow if there are many, so it
// searches the last minute first, by the local clock, which may be wrong, and then further back.
func (s *server) newest(ctx context.Context, c *mongo.Collection, filter bson.D, field string, index bson.D) (
	protocol.Stamp, error) {
	now := s.local.Now()
	for _, back := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour, 0} {
		since := bson.Timestamp{I: 1}
		if back > 0 {
			since = bson.Timestamp{T: uint32(now.Add(-back).Unix())}
		}
		bounded := append(slices.Clone(filter), bson.E{Key: field, Value: bson.D{{Key: "$gte", Value: since}}})
		opts := options.Find().SetHint(index).SetSort(bson.D{{Key: field, Value: -1}}).SetLimit(1).SetProjection(bson.D{{Key: field, Value: 1}})
		for raw, err := range query(ctx, c, bounded, opts, func(raw bson.Raw) (bson.Raw, error) { return raw, nil }) {
			if err != nil {
				return protocol.Stamp{}, err
			}
			t, i, ok := raw.Lookup(field).TimestampOK()
			if !ok {
				return protocol.Stamp{}, corrupt("a stamp is damaged")
			}
			return protocol.Stamp{Seconds: t, Count: i}, nil
		}
	}
	return protocol.Stamp{}, nil
}

func encodeChanges(changes []store.Change) bson.A {
	all := make(bson.A, len(changes))
	for i, c := range changes {
		all[i] = bson.D{{Key: "op", Value: string(c.Op)}, {Key: "id", Value: string(c.ID)}, {Key: "kind", Value: c.Kind},
			{Key: "uid", Value: c.UID}, {Key: "revision", Value: int64(c.Revision)}}
	}
	return all
}

func decodeEntry(raw bson.Raw) (protocol.LogEntry, error) {
	var entry protocol.LogEntry
	d := decoder{}
	d.each(bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw}, func(name string, v bson.RawValue) {
		switch name {
		case fieldID:
			entry.Txn = d.text(v)
		case entryState:
			entry.State = protocol.State(d.text(v))
		case entryAt:
			entry.Stamp = d.stamp(v)
		case entryHeartbeats:
			entry.Heartbeats = int(d.number(v))
		case entryFence:
			entry.Fence = d.text(v)
		case fieldProvenance:
			entry.By = d.provenance(v)
		case entryChanges:
			d.each(v, func(_ string, v bson.RawValue) { entry.Changes = append(entry.Changes, d.change(v)) })
		}
	})
	if d.err != nil {
		failure := corrupt("an entry of the log is damaged")
		failure.Err = d.err
		return entry, failure
	}
	return entry, nil
}

func (d *decoder) change(v bson.RawValue) store.Change {
	var c store.Change
	d.each(v, func(name string, v bson.RawValue) {
		switch name {
		case "op":
			c.Op = store.Op(d.text(v))
		case "id":
			c.ID = dovetail.ID(d.text(v))
		case "kind":
			c.Kind = d.text(v)
		case "uid":
			c.UID = d.text(v)
		case "revision":
			c.Revision = uint64(d.number(v))
		}
	})
	return c
}
