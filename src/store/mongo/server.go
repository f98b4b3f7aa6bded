package mongo

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// server is the protocol's view of a database, through the driver.
type server struct {
	records  collection
	log      collection
	versions collection
	// commitTime is how long a command may take that must not commit from a moment on.
	commitTime time.Duration
	// sorts says that the server sorts what an index finds, even where the index has the order that is asked for.
	sorts bool
	effort
	known largeSelections
	level atomic.Int64 // protocol.Level
}

// collection is one by two ways to read it. Alone, reads have the read concern of the connection string; where the server is replicated
// and that says nothing, they are of what a majority has, which no failover takes back. In a session they always are, and of all
// that the session has written or seen: so that two transactions of which each looks for the other's
// intent cannot miss each other, even across a failover. Standalone servers have no sessions,
// and need none.
type collection struct {
	alone     *mongo.Collection
	inSession *mongo.Collection
}

func (c collection) in(ctx context.Context) *mongo.Collection {
	if mongo.SessionFromContext(ctx) != nil {
		return c.inSession
	}
	return c.alone
}

// noDeadline is a context that ends when it does, but does not say when that will be: the driver ignores its
// own limit of an operation, timeoutMS, where a context has a deadline, and a server that does not answer
// must not take up all of a request's time.
type noDeadline struct{ context.Context }

// Deadline says that there is none.
func (noDeadline) Deadline() (at time.Time, known bool) { return at, false }

// timely is a context whose commands the server ends at a moment, by maxTimeMS.
type timely struct {
	context.Context
	until time.Time
}

// Deadline returns the moment.
func (t timely) Deadline() (at time.Time, known bool) { return t.until, true }

// commitContext is the context of a command that may commit. One that must not from a moment on is compared with the clock
// when it begins, so it must also end soon: within store.Agreement.Margin.
func (s *server) commitContext(ctx context.Context, before time.Time) context.Context {
	if before.IsZero() {
		return noDeadline{ctx}
	}
	return timely{ctx, time.Now().Add(s.commitTime)}
}

// maxIDs is how many ids one query names at most.
const maxIDs = 5000

// Insert implements protocol.Server. Many records go as several commands, so that each has time enough; after one
// that fails, the rest fail alike.
func (s *server) Insert(ctx context.Context, records []*protocol.Record) []error {
	errs := make([]error, 0, len(records))
	for part := range parts(records, maxIDs, sizeOfRecord) {
		errs = append(errs, s.insert(ctx, part)...)
		broken := func(err error) bool { return err != nil && !errors.Is(err, protocol.ErrDuplicate) }
		if at := slices.IndexFunc(errs, broken); at >= 0 && len(errs) < len(records) {
			return append(errs, slices.Repeat([]error{errs[at]}, len(records)-len(errs))...)
		}
	}
	return errs
}

func (s *server) insert(ctx context.Context, records []*protocol.Record) []error {
	errs := make([]error, len(records))
	if records[0].Intent != nil && records[0].Intent.Implicit {
		return s.insertStamped(ctx, records)
	}
	documents := make([]any, 0, len(records))
	positions := make([]int, 0, len(records)) // of each document, where its record stands
	for i, r := range records {
		raw, err := encodeRecord(r)
		if err != nil {
			errs[i] = err
			continue
		}
		documents, positions = append(documents, raw), append(positions, i)
	}
	if len(documents) == 0 {
		return errs
	}
	for i, err := range insertMany(ctx, s.records.in(ctx), documents) {
		errs[positions[i]] = err
	}
	return errs
}

// insertMany inserts documents, each by itself, and returns an error for each.
func insertMany(ctx context.Context, c *mongo.Collection, documents []any) []error {
	errs := make([]error, len(documents))
	_, err := c.InsertMany(noDeadline{ctx}, documents, options.InsertMany().SetOrdered(false))
	var bulk mongo.BulkWriteException
	all := !errors.As(err, &bulk) || bulk.WriteConcernError != nil
	for i := range errs {
		if all {
			errs[i] = writeError(ctx, err)
		}
	}
	for _, failed := range bulk.WriteErrors {
		errs[failed.Index] = insertError(ctx, failed.WriteError)
	}
	return errs
}

// Find implements protocol.Server.
func (s *server) Find(ctx context.Context, ids []dovetail.ID, whole bool) (map[dovetail.ID]*protocol.Record, error) {
	found := make(map[dovetail.ID]*protocol.Record, len(ids))
	opts := options.Find()
	if !whole {
		opts.SetProjection(headFields)
	}
	for part := range slices.Chunk(ids, maxIDs) {
		opts.SetLimit(int64(len(part))) // so that servers keep no cursor
		for r, err := range query(ctx, s.records.in(ctx), storedIDs(part), opts, decodeFound) {
			if err != nil {
				return nil, err
			}
			found[r.ID] = r
		}
	}
	if s.protocolLevel() < protocol.Implicit && slices.Contains(ids, protocol.ClockID) {
		if err := s.findEarlierClock(ctx, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// find yields the records that fit a filter.
func (s *server) find(ctx context.Context, filter bson.D, opts *options.FindOptionsBuilder) iter.Seq2[*protocol.Record, error] {
	return query(ctx, s.records.in(ctx), filter, opts, decodeRecord)
}

// query yields what fits a filter.
func query[T any](ctx context.Context, c *mongo.Collection, filter bson.D, opts *options.FindOptionsBuilder, decode func(bson.Raw) (T, error)) iter.Seq2[T, error] {
	return results(ctx, func(ctx context.Context) (*mongo.Cursor, error) { return c.Find(ctx, filter, opts) }, decode)
}

// results yields what a command finds.
func results[T any](ctx context.Context, command func(context.Context) (*mongo.Cursor, error), decode func(bson.Raw) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		own := noDeadline{ctx}
		cursor, err := command(own)
		if err != nil {
			yield(none, readError(ctx, err))
			return
		}
		defer func() { _ = cursor.Close(context.WithoutCancel(ctx)) }()
		for cursor.Next(own) {
			item, err := decode(cursor.Current)
			if !yield(item, err) || err != nil {
				return
			}
		}
		if err := cursor.Err(); err != nil {
			yield(none, readError(ctx, err))
		}
	}
}

func collect[T any](items iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// concurrency is how many commands of one transaction may be under way at once: in a session only one.
func concurrency(ctx context.Context) int {
	if mongo.SessionFromContext(ctx) != nil {
		return 1
	}
	return 8
}

// inParallel does something to each item, all at the same time, and returns one of the errors.
func inParallel[T any](items []T, do func(i int, item T) error) error {
	if len(items) == 1 {
		return do(0, items[0])
	}
	errs := make([]error, len(items))
	var group sync.WaitGroup
	for i, item := range items {
		group.Go(func() { errs[i] = do(i, item) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Referrers implements protocol.Server.
func (s *server) Referrers(ctx context.Context, of []dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return func(yield func(*protocol.Record, error) bool) {
		for part := range slices.Chunk(of, maxIDs) {
			for r, err := range s.find(ctx, bson.D{oneOf(fieldRefs, part)}, options.Find().SetHint(byRefs).SetProjection(headFields)) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// Holders implements protocol.Server.
func (s *server) Holders(ctx context.Context, of dovetail.ID) iter.Seq2[*protocol.Record, error] {
	match := func(field string, value any) mongo.Pipeline {
		return mongo.Pipeline{{{Key: "$match", Value: bson.D{{Key: field, Value: value}}}}, {{Key: "$project", Value: headFields}}}
	}
	pipeline := append(match(fieldRefs, of), bson.D{{Key: "$unionWith", Value: bson.D{{Key: "coll", Value: recordsName}, {Key: "pipeline", Value: match(fieldID, below(of))}}}})
	return results(ctx, func(ctx context.Context) (*mongo.Cursor, error) {
		return s.records.in(ctx).Aggregate(ctx, pipeline, options.Aggregate().SetHint(byRefs))
	}, decodeRecord)
}

// Linked implements protocol.Server.
func (s *server) Linked(ctx context.Context, to []dovetail.ID, weak bool, after dovetail.ID, limit int) iter.Seq2[*protocol.Record, error] {
	linked, index := linkedTo(to, weak)
	filter := bson.D{linked, {Key: fieldID, Value: bson.D{{Key: "$gt", Value: after}}}}
	return s.find(ctx, filter, options.Find().SetHint(index).SetSort(byID).SetLimit(int64(limit)).SetProjection(headFields))
}

// linkedTo is the condition that one of the links is to one of the ids, and the index that finds them.
func linkedTo(to []dovetail.ID, weak bool) (condition bson.E, index bson.D) {
	field, index := fieldRefs, byRefs
	if weak {
		field, index = fieldWeak, byWeak
	}
	return oneOf(field, to), index
}

// oneOf is the condition that a member is, or has, one of the ids.
func oneOf(field string, ids []dovetail.ID) bson.E {
	if len(ids) == 1 {
		return bson.E{Key: field, Value: ids[0]}
	}
	return bson.E{Key: field, Value: bson.D{{Key: "$in", Value: ids}}}
}

// WithIntent implements protocol.Server.
func (s *server) WithIntent(ctx context.Context, txn string) iter.Seq2[*protocol.Record, error] {
	filter := bson.D{{Key: "mark.txn", Value: bson.D{{Key: "$gt", Value: ""}}}}
	if txn != "" {
		filter = bson.D{{Key: "mark.txn", Value: txn}}
	}
	return s.find(ctx, filter, options.Find().SetHint(byIntent).SetProjection(headFields))
}

// WithOtherIntent implements protocol.Server.
func (s *server) WithOtherIntent(ctx context.Context, than []string) iter.Seq2[*protocol.Record, error] {
	if len(than) == 0 {
		return s.WithIntent(ctx, "")
	}
	filter := bson.D{{Key: "mark.txn", Value: bson.D{{Key: "$gt", Value: ""}, {Key: "$nin", Value: than}}}}
	return s.find(ctx, filter, options.Find().SetHint(byIntent).SetProjection(headFields))
}

// Changed implements protocol.Server.
func (s *server) Changed(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	filter := bson.D{{Key: fieldChanged, Value: bson.D{{Key: "$gte", Value: timestamp(since)}}}}
	return s.find(ctx, filter, options.Find().SetHint(byChanged).SetSort(byChanged).SetProjection(headFields))
}

func timestamp(s protocol.Stamp) bson.Timestamp { return bson.Timestamp{T: s.Seconds, I: s.Count} }
