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

// Keep implements protocol.VersionServer.
func (s *server) Keep(ctx context.Context, versions []*protocol.Record) error {
	documents := make([]any, len(versions))
	for i, v := range versions {
		raw, err := encodeVersion(v)
		if err != nil {
			return err
		}
		documents[i] = raw
	}
	for _, err := range insertMany(ctx, s.versions.in(ctx), documents) {
		if err != nil && !errors.Is(err, protocol.ErrDuplicate) {
			return err
		}
	}
	return nil
}

// ForgetVersion implements protocol.VersionServer.
func (s *server) ForgetVersion(ctx context.Context, id dovetail.ID, etag dovetail.ETag) error {
	same := bson.D{{Key: fieldID, Value: versionsOf(id)}, {Key: fieldGone, Value: bson.D{{Key: "$exists", Value: false}}},
		{Key: fieldUID, Value: etag.UID}, {Key: fieldRevision, Value: int64(etag.Revision)}}
	_, err := s.versions.in(ctx).DeleteMany(noDeadline{ctx}, same)
	return writeError(ctx, err)
}

// RewriteVersions implements protocol.VersionServer.
func (s *server) RewriteVersions(ctx context.Context, versions []*protocol.Record) error {
	if len(versions) == 0 {
		return nil
	}
	models := make([]mongo.WriteModel, len(versions))
	for i, v := range versions {
		raw, err := encodeVersion(v)
		if err != nil {
			return err
		}
		filter := bson.D{{Key: fieldID, Value: protocol.VersionKey(v)}, {Key: fieldErased, Value: bson.D{{Key: "$exists", Value: false}}}}
		models[i] = mongo.NewReplaceOneModel().SetFilter(filter).SetReplacement(raw)
	}
	_, err := s.versions.in(ctx).BulkWrite(noDeadline{ctx}, models, options.BulkWrite().SetOrdered(false))
	return writeError(ctx, err)
}

// EraseVersions implements protocol.VersionServer.
func (s *server) EraseVersions(ctx context.Context, keys []string) error {
	for part := range slices.Chunk(keys, maxIDs) {
		if err := s.erase(ctx, bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: part}}}, {Key: fieldGone, Value: bson.D{{Key: "$exists", Value: false}}}}); err != nil {
			return err
		}
	}
	return nil
}

// erase removes the contents of the versions that match a filter.
func (s *server) erase(ctx context.Context, filter bson.D) error {
	contents := bson.D{{Key: fieldData, Value: 1}, {Key: fieldStatus, Value: 1}, {Key: fieldExact, Value: 1}, {Key: fieldContent, Value: 1}}
	_, err := s.versions.in(ctx).UpdateMany(noDeadline{ctx}, filter,
		bson.D{{Key: "$set", Value: bson.D{{Key: fieldErased, Value: true}}}, {Key: "$unset", Value: contents}}, options.UpdateMany().SetHint(byID))
	return writeError(ctx, err)
}

// versionsOf returns the range of the keys of a document's versions.
func versionsOf(id dovetail.ID) bson.D {
	return bson.D{{Key: "$gt", Value: string(id) + "\x01"}, {Key: "$lt", Value: protocol.VersionsEnd(id)}}
}

// Forget implements protocol.VersionServer.
func (s *server) Forget(ctx context.Context, keys []string) error {
	for part := range slices.Chunk(keys, maxIDs) {
		filter := bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: part}}}}
		if _, err := s.versions.in(ctx).DeleteMany(noDeadline{ctx}, filter); err != nil {
			return writeError(ctx, err)
		}
	}
	return nil
}

// Version implements protocol.VersionServer.
func (s *server) Version(ctx context.Context, keys []string) (map[string]*protocol.Record, error) {
	found := make(map[string]*protocol.Record, len(keys))
	for part := range slices.Chunk(keys, maxIDs) {
		for v, err := range s.findVersions(ctx, bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: part}}}}, options.Find()) {
			if err != nil {
				return nil, err
			}
			found[protocol.VersionKey(v)] = v
		}
	}
	return found, nil
}

// lastVersions is the number of documents in one command for last versions: servers are slow to plan commands with many parts.
const lastVersions = 10

// LastVersion implements protocol.VersionServer. One command reads several documents, and several commands run concurrently.
func (s *server) LastVersion(ctx context.Context, ids []dovetail.ID, at protocol.Stamp) ([]*protocol.Record, error) {
	last := make(map[dovetail.ID]*protocol.Record, len(ids))
	for wave := range slices.Chunk(slices.Collect(slices.Chunk(ids, lastVersions)), concurrency(ctx)) {
		parts := make([][]*protocol.Record, len(wave))
		err := inParallel(wave, func(i int, part []dovetail.ID) (err error) {
			parts[i], err = collect(s.lastOf(ctx, part, at))
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, v := range slices.Concat(parts...) {
			last[v.ID] = v
		}
	}
	found := make([]*protocol.Record, len(ids))
	for i, id := range ids {
		found[i] = last[id]
	}
	return found, nil
}

// lastOf yields the last version of each document at a timestamp, by one command.
func (s *server) lastOf(ctx context.Context, ids []dovetail.ID, at protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	var all mongo.Pipeline
	for _, id := range ids {
		keys := bson.D{{Key: "$gte", Value: protocol.VersionsFrom(id, at)}, {Key: "$lt", Value: protocol.VersionsEnd(id)}}
		one := mongo.Pipeline{{{Key: "$match", Value: bson.D{{Key: fieldID, Value: keys}}}}, {{Key: "$sort", Value: byID}}, {{Key: "$limit", Value: 1}}}
		if all == nil {
			all = one
		} else {
			all = append(all, bson.D{{Key: "$unionWith", Value: bson.D{{Key: "coll", Value: versionsName}, {Key: "pipeline", Value: one}}}})
		}
	}
	return results(ctx, func(ctx context.Context) (*mongo.Cursor, error) {
		return s.versions.in(ctx).Aggregate(ctx, all, options.Aggregate().SetHint(byID))
	}, decodeVersion)
}

// findVersions yields the versions that match a filter.
func (s *server) findVersions(ctx context.Context, filter bson.D, opts *options.FindOptionsBuilder) iter.Seq2[*protocol.Record, error] {
	return query(ctx, s.versions.in(ctx), filter, opts, decodeVersion)
}

// VersionsOf implements protocol.VersionServer.
func (s *server) VersionsOf(ctx context.Context, id dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return s.findVersions(ctx, bson.D{{Key: fieldID, Value: versionsOf(id)}}, options.Find().SetHint(byID).SetSort(byID))
}

// ScanVersions implements protocol.VersionServer.
func (s *server) ScanVersions(ctx context.Context, q store.Query, last dovetail.ID, at protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	from := bson.E{Key: "$gt", Value: q.Under.Prefix()}
	if q.After != "" && q.After > dovetail.ID(q.Under.Prefix()) {
		from.Value = protocol.VersionsEnd(q.After)
	}
	keys := bson.D{from}
	switch {
	case last != "":
		keys = append(keys, bson.E{Key: "$lt", Value: protocol.VersionsEnd(last)})
	case q.Under != "":
		keys = append(keys, bson.E{Key: "$lt", Value: string(q.Under) + "0"})
	}
	filter, index := bson.D{{Key: fieldID, Value: keys}}, byID
	order := byID
	if q.Kind != "" {
		filter, index, order = append(bson.D{{Key: fieldKind, Value: q.Kind}}, filter...), byKind, byKind
	}
	if len(q.Terms) > 0 {
		filter, index, order = append(filter, termConditions(q.Terms)...), byTerms, byID
	}
	all := s.findVersions(ctx, filter, options.Find().SetHint(index).SetSort(order).SetProjection(headFields))
	return func(yield func(*protocol.Record, error) bool) {
		for v, err := range all {
			if err == nil && at.Before(v.Committed()) {
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// LinkedVersions implements protocol.VersionServer.
func (s *server) LinkedVersions(ctx context.Context, to []dovetail.ID, weak bool) iter.Seq2[*protocol.Record, error] {
	linked, index := linkedTo(to, weak)
	return s.findVersions(ctx, bson.D{linked}, options.Find().SetHint(index).SetProjection(headFields))
}

// ChangedBefore implements protocol.VersionServer.
func (s *server) ChangedBefore(ctx context.Context, before protocol.Stamp, versions bool, limit int) iter.Seq2[*protocol.Record, error] {
	c, decode := s.records, decodeRecord
	if versions {
		c, decode = s.versions, decodeVersion
	}
	return latestBefore(ctx, c.in(ctx), bson.D{}, byChanged, before, options.Find().SetLimit(int64(limit)).SetProjection(headFields), decode)
}

// ChangedVersions implements protocol.VersionServer.
func (s *server) ChangedVersions(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	return s.findVersions(ctx, changedSince(since), options.Find().SetHint(byChanged).SetSort(byChanged).SetProjection(headFields))
}

// LogBefore implements protocol.VersionServer.
func (s *server) LogBefore(ctx context.Context, before protocol.Stamp, limit int) iter.Seq2[protocol.LogEntry, error] {
	happened := states(protocol.Committed, protocol.Resolved, protocol.Tombstone)
	return latestBefore(ctx, s.log.in(ctx), happened, byAt, before, options.Find().SetLimit(int64(limit)), decodeEntry)
}

// latestBefore yields what the index finds with earlier timestamps, the latest first. Like newest, it searches a minute first, and
// further back if that has too few.
func latestBefore[T any](ctx context.Context, c *mongo.Collection, filter, index bson.D, before protocol.Stamp, opts *options.FindOptionsBuilder,
	decode func(bson.Raw) (T, error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		const enough = 200
		var found []T
		for _, back := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour, 0} {
			since := bson.Timestamp{I: 1}
			if back > 0 {
				since = timestamp(before.Back(back))
			}
			bounded := append(slices.Clone(filter), bson.E{Key: index[0].Key, Value: bson.D{{Key: "$gte", Value: since}, {Key: "$lt", Value: timestamp(before)}}})
			var err error
			found, err = collect(query(ctx, c, bounded, opts.SetHint(index).SetSort(bson.D{{Key: index[0].Key, Value: -1}}), decode))
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if len(found) >= enough {
				break
			}
		}
		for _, item := range found {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// versionsSince is the field of the document versionsID.
const versionsSince = "since"

// beginVersions stores the timestamp from which on versions are kept: that of the first start of a version of Dovetail that keeps
// them, or zero if the database was empty then.
func (s *server) beginVersions(ctx context.Context) error {
	own := bson.D{{Key: fieldID, Value: versionsID}}
	for _, err := range query(ctx, s.log.in(ctx), own, options.Find(), raw) {
		return err
	}
	set := bson.D{{Key: entryState, Value: "begun"}}
	for _, err := range query(ctx, s.records.in(ctx), bson.D{{Key: fieldID, Value: below("")}}, options.Find().SetLimit(1).SetProjection(bson.D{{Key: fieldID, Value: 1}}), raw) {
		if err != nil {
			return err
		}
		now, err := s.Now(ctx)
		if err != nil {
			return err
		}
		set = append(set, bson.E{Key: versionsSince, Value: timestamp(now)})
	}
	_, err := s.log.in(ctx).UpdateOne(noDeadline{ctx}, own, bson.D{{Key: "$setOnInsert", Value: set}}, options.UpdateOne().SetUpsert(true))
	if mongo.IsDuplicateKeyError(err) { // another process was first
		return nil
	}
	return writeError(ctx, err)
}

func raw(r bson.Raw) (bson.Raw, error) { return r, nil }

// Oldest implements protocol.VersionServer.
func (s *server) Oldest(ctx context.Context) (oldest protocol.Stamp, err error) {
	filter := bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: bson.A{purgeID, versionsID}}}}}
	for entry, err := range query(ctx, s.log.in(ctx), filter, options.Find(), raw) {
		if err != nil {
			return oldest, err
		}
		for _, name := range []string{entryAt, versionsSince} {
			if t, i, ok := entry.Lookup(name).TimestampOK(); ok && oldest.Before(protocol.Stamp{Seconds: t, Count: i}) {
				oldest = protocol.Stamp{Seconds: t, Count: i}
			}
		}
	}
	return oldest, nil
}
