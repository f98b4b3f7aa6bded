package mongo

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// insertStamped inserts records with implicit intents, each independently, with the current timestamp. Only updates can take a
// timestamp from the server's clock, so this is an upsert: the filter matches a record with this intent, which cannot exist yet, so
// that the server inserts one, or reports a duplicate if another record has the id.
func (s *server) insertStamped(ctx context.Context, records []*protocol.Record) []error {
	errs := make([]error, len(records))
	models := make([]*mongo.UpdateOneModel, 0, len(records))
	positions := make([]int, 0, len(records)) // the index of each model's record
	var before time.Time
	for i, r := range records {
		raw, err := encodeRecord(r)
		if err != nil {
			errs[i] = err
			continue
		}
		filter, update, err := stampedInsertion(r, raw)
		if err != nil {
			errs[i] = internal(err)
			continue
		}
		if r.Intent.Before.After(before) {
			before = r.Intent.Before
		}
		models, positions = append(models, mongo.NewUpdateOneModel().SetFilter(filter).SetUpdate(update).SetUpsert(true)), append(positions, i)
	}
	if len(models) == 0 {
		return errs
	}
	if len(models) == 1 { // cheaper than a bulk for client and server
		_, err := s.records.in(ctx).UpdateOne(s.commitContext(ctx, before), models[0].Filter, models[0].Update, options.UpdateOne().SetUpsert(true))
		errs[positions[0]] = insertError(ctx, err)
		return errs
	}
	bulk := make([]mongo.WriteModel, len(models))
	for i, m := range models {
		bulk[i] = m
	}
	_, err := s.records.in(ctx).BulkWrite(s.commitContext(ctx, before), bulk, options.BulkWrite().SetOrdered(false))
	var failure mongo.BulkWriteException
	if all := !errors.As(err, &failure) || failure.WriteConcernError != nil; all && err != nil {
		for _, at := range positions {
			errs[at] = writeError(ctx, err)
		}
	}
	for _, failed := range failure.WriteErrors {
		errs[positions[failed.Index]] = insertError(ctx, failed.WriteError)
	}
	return errs
}

// insertError maps the error of an insertion.
func insertError(ctx context.Context, err error) error {
	if mongo.IsDuplicateKeyError(err) {
		return protocol.ErrDuplicate
	}
	return writeError(ctx, err)
}

// stampedInsertion returns the upsert of an encoded record.
func stampedInsertion(r *protocol.Record, raw bson.Raw) (filter, update bson.D, err error) {
	members, err := raw.Elements()
	if err != nil {
		return nil, nil, err
	}
	set := make(bson.D, 0, len(members)+1)
	for _, m := range members {
		if m.Key() != fieldID {
			set = append(set, bson.E{Key: m.Key(), Value: m.Value()})
		}
	}
	set = append(set, bson.E{Key: fieldTxn, Value: r.Intent.Txn}, bson.E{Key: fieldOrigin, Value: r.Intent.Txn})
	stamp := bson.D{{Key: "$type", Value: "timestamp"}}
	return bson.D{{Key: fieldID, Value: string(r.ID)}, {Key: "mark.txn", Value: r.Intent.Txn}},
		bson.D{{Key: "$set", Value: set}, {Key: "$currentDate", Value: bson.D{{Key: fieldChanged, Value: stamp}, {Key: fieldCreatedStamp, Value: stamp}}}}, nil
}
