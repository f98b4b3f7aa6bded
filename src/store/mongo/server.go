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
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// server implements protocol.Server with the driver.
type server struct {
	records  collection
	log      collection
	versions collection
	// commitTime is the time limit of a command with a commit deadline; see commitContext.
	commitTime time.Duration
	// sorts means that the server sorts all matches of an index even if the index has the requested order; see Scan.
	sorts bool
	effort
	known largeSelections
	level atomic.Int64 // protocol.Level
	local clock.Clock  // of this process
}

// collection is a collection with two read concerns. Reads with alone have that of the connection string, or by default, on a
// replicated server, majority, so that no failover rolls back what they return. Reads in a session always have majority, and return
// everything that the session has written or read: so two transactions that each look for the other's intent cannot miss each
// other, even across a failover. Standalone servers have no sessions, and need none.
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

// noDeadline is a context that ends with its parent but hides the deadline: the driver ignores timeoutMS, its own time limit of an
// operation, if the context has a deadline, and a server that does not answer must not use up all of a request's time.
type noDeadline struct{ context.Context }

// Deadline returns no deadline.
func (noDeadline) Deadline() (at time.Time, known bool) { return at, false }

// timely is a context with a deadline that the driver passes to the server as maxTimeMS.
type timely struct {
	context.Context
	until time.Time
}

// Deadline returns the time of the deadline.
func (t timely) Deadline() (at time.Time, known bool) { return t.until, true }

// commitContext returns the context of a command that may commit. A deadline for the commit is compared with the clock when the
// command starts, so the command must also end soon: within store.Agreement.Margin.
func (s *server) commitContext(ctx context.Context, before time.Time) context.Context {
	if before.IsZero() {
		return noDeadline{ctx}
	}
	return timely{ctx, time.Now().Add(s.commitTime)}
}

// maxIDs is the maximum number of ids in one query.
const maxIDs = 5000

// Insert implements protocol.Server. Many records are sent as several commands, each with its own time limit; after one fails, the
// rest fail with the same error.
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

// insert inserts records by one command. They all have implicit intents, or none of them does.
func (s *server) insert(ctx context.Context, records []*protocol.Record) []error {
	errs := make([]error, len(records))
	if records[0].Intent != nil && records[0].Intent.Implicit {
		return s.insertStamped(ctx, records)
	}
	documents := make([]any, 0, len(records))
	positions := make([]int, 0, len(records)) // the index of each document's record
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

// insertMany inserts documents, each independently, and returns an error for each.
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
		opts.SetLimit(int64(len(part))) // so that servers keep no cursor open
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

// find yields the records that match a filter.
func (s *server) find(ctx context.Context, filter bson.D, opts *options.FindOptionsBuilder) iter.Seq2[*protocol.Record, error] {
	return query(ctx, s.records.in(ctx), filter, opts, decodeRecord)
}

// query yields the documents that match a filter.
func query[T any](ctx context.Context, c *mongo.Collection, filter bson.D, opts *options.FindOptionsBuilder, decode func(bson.Raw) (T, error)) iter.Seq2[T, error] {
	return results(ctx, func(ctx context.Context) (*mongo.Cursor, error) { return c.Find(ctx, filter, opts) }, decode)
}

// results yields the results of a command.
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

// concurrency returns how many commands of one transaction may be in progress: in a session only one.
func concurrency(ctx context.Context) int {
	if mongo.SessionFromContext(ctx) != nil {
		return 1
	}
	return 8
}

// inParallel calls do for all items concurrently, and returns one of the errors.
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

// linkedTo returns the condition that one of the links is one of the ids, and the index for it.
func linkedTo(to []dovetail.ID, weak bool) (condition bson.E, index bson.D) {
	field, index := fieldRefs, byRefs
	if weak {
		field, index = fieldWeak, byWeak
	}
	return oneOf(field, to), index
}

// oneOf returns the condition that a field is, or contains, one of the ids.
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
	return s.find(ctx, changedSince(since), options.Find().SetHint(byChanged).SetSort(byChanged).SetProjection(headFields))
}

func changedSince(since protocol.Stamp) bson.D {
	return bson.D{{Key: fieldChanged, Value: bson.D{{Key: "$gte", Value: timestamp(since)}}}}
}

func timestamp(s protocol.Stamp) bson.Timestamp { return bson.Timestamp{T: s.Seconds, I: s.Count} }
