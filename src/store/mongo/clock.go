package mongo

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// clockKey is the _id of protocol.ClockID among the records. It is not a string, so that no range of ids contains it.
const clockKey = int32(0)

// storedID returns the _id of a record.
func storedID(id dovetail.ID) any {
	if id == protocol.ClockID {
		return clockKey
	}
	return string(id)
}

// storedIDs returns the condition that a record has one of the ids.
func storedIDs(ids []dovetail.ID) bson.D {
	if len(ids) == 1 {
		return bson.D{{Key: fieldID, Value: storedID(ids[0])}}
	}
	all := make(bson.A, len(ids))
	for i, id := range ids {
		all[i] = storedID(id)
	}
	return bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: all}}}}
}

// Now implements protocol.Server. While processes without levels may run, it also writes the clock that those read: each clock then
// has the returned timestamp, or a later one.
func (s *server) Now(ctx context.Context) (protocol.Stamp, error) {
	var earlier protocol.Stamp
	if s.protocolLevel() < protocol.Implicit {
		clock, err := s.writeClock(ctx, s.log.in(ctx), clockID, clockNow, clockKnown)
		if err != nil {
			return protocol.Stamp{}, err
		}
		earlier = clock
	}
	now, err := s.writeClock(ctx, s.records.in(ctx), clockKey, clockNow)
	if err == nil && !earlier.IsZero() {
		return earlier, nil
	}
	return now, err
}

// writeClock sets fields of a clock, among them clockNow, to the current timestamp, and returns that of clockNow. Its errors are those
// of a read: it does no harm if the clock was written.
func (s *server) writeClock(ctx context.Context, in *mongo.Collection, id any, members ...string) (protocol.Stamp, error) {
	var now bson.D
	for _, name := range members {
		now = append(now, bson.E{Key: name, Value: bson.D{{Key: "$type", Value: "timestamp"}}})
	}
	raw, err := in.FindOneAndUpdate(noDeadline{ctx}, bson.D{{Key: fieldID, Value: id}}, bson.D{{Key: "$currentDate", Value: now}},
		options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Raw()
	if err != nil {
		return protocol.Stamp{}, readError(ctx, err)
	}
	return decodeClock(raw)
}

// earlierClock returns the timestamp of the latest snapshot according to the clock of versions without levels.
func (s *server) earlierClock(ctx context.Context) (taken protocol.Stamp, err error) {
	for clock, err := range query(ctx, s.log.in(ctx), bson.D{{Key: fieldID, Value: clockID}}, options.Find(), raw) {
		if err != nil {
			return taken, err
		}
		if _, err := clock.LookupErr(clockNow); err == nil { // otherwise only Time has written it so far
			return decodeClock(clock)
		}
	}
	return taken, nil
}

// findEarlierClock sets the clock among the found records to the later one of both clocks.
func (s *server) findEarlierClock(ctx context.Context, found map[dovetail.ID]*protocol.Record) error {
	taken, err := s.earlierClock(ctx)
	if err != nil || taken.IsZero() {
		return err
	}
	if clock := found[protocol.ClockID]; clock == nil || clock.Stamp.Before(taken) {
		found[protocol.ClockID] = &protocol.Record{ID: protocol.ClockID, Stamp: taken}
	}
	return nil
}

// protocolLevel returns the level of the store, as far as this process knows.
func (s *server) protocolLevel() protocol.Level { return protocol.Level(s.level.Load()) }

// decodeFound decodes a record or the clock.
func decodeFound(raw bson.Raw) (*protocol.Record, error) {
	if key, ok := raw.Lookup(fieldID).Int32OK(); ok && key == clockKey {
		taken, err := decodeClock(raw)
		return &protocol.Record{ID: protocol.ClockID, Stamp: taken}, err
	}
	return decodeRecord(raw)
}

func decodeClock(raw bson.Raw) (protocol.Stamp, error) {
	t, i, ok := raw.Lookup(clockNow).TimestampOK()
	if !ok {
		return protocol.Stamp{}, corrupt("the clock of snapshots is damaged")
	}
	return protocol.Stamp{Seconds: t, Count: i}, nil
}

// Time implements protocol.Server. Like Now, it writes to the clock: a read may return the time of another node than the one that
// writes.
func (s *server) Time(ctx context.Context) (time.Time, error) {
	raw, err := s.log.in(ctx).FindOneAndUpdate(noDeadline{ctx}, bson.D{{Key: fieldID, Value: clockID}},
		bson.D{{Key: "$currentDate", Value: bson.D{{Key: clockTime, Value: true}}}},
		options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Raw()
	if err != nil {
		return time.Time{}, readError(ctx, err)
	}
	at, ok := raw.Lookup(clockTime).DateTimeOK()
	if !ok {
		return time.Time{}, corrupt("the clock in the log is damaged")
	}
	return bson.DateTime(at).Time(), nil
}
