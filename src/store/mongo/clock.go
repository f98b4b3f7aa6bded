package mongo

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// clockKey is the _id of protocol.ClockID among the records. It is no text, so that no range of ids contains it.
const clockKey = int32(0)

// clockNow is the member of that record that Now writes. It is in no index.
const clockNow = "now"

// storedID is the _id of a record.
func storedID(id dovetail.ID) any {
	if id == protocol.ClockID {
		return clockKey
	}
	return string(id)
}

// storedIDs is the condition that a record has one of the ids.
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

// Now implements protocol.Server.
func (s *server) Now(ctx context.Context) (protocol.Stamp, error) {
	update := bson.D{{Key: "$currentDate", Value: bson.D{{Key: clockNow, Value: bson.D{{Key: "$type", Value: "timestamp"}}}}}}
	raw, err := s.records.in(ctx).FindOneAndUpdate(noDeadline{ctx}, bson.D{{Key: fieldID, Value: clockKey}}, update,
		options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Raw()
	if err != nil {
		return protocol.Stamp{}, readError(ctx, err)
	}
	clock, err := decodeClock(raw)
	if err != nil {
		return protocol.Stamp{}, err
	}
	return clock.Stamp, nil
}

// decodeFound reads a record, or the clock.
func decodeFound(raw bson.Raw) (*protocol.Record, error) {
	if key, ok := raw.Lookup(fieldID).Int32OK(); ok && key == clockKey {
		return decodeClock(raw)
	}
	return decodeRecord(raw)
}

func decodeClock(raw bson.Raw) (*protocol.Record, error) {
	t, i, ok := raw.Lookup(clockNow).TimestampOK()
	if !ok {
		return nil, corrupt("the clock among the documents is damaged")
	}
	return &protocol.Record{ID: protocol.ClockID, Stamp: protocol.Stamp{Seconds: t, Count: i}}, nil
}

// Time implements protocol.Server. It writes to the clock, as Now does: what the server says in other ways need not be the
// time of the node that writes.
func (s *server) Time(ctx context.Context) (time.Time, error) {
	raw, err := s.log.in(ctx).FindOneAndUpdate(noDeadline{ctx}, bson.D{{Key: fieldID, Value: clockID}},
		bson.D{{Key: "$currentDate", Value: bson.D{{Key: "time", Value: true}}}},
		options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Raw()
	if err != nil {
		return time.Time{}, readError(ctx, err)
	}
	at, ok := raw.Lookup("time").DateTimeOK()
	if !ok {
		return time.Time{}, corrupt("the clock in the log is damaged")
	}
	return bson.DateTime(at).Time(), nil
}
