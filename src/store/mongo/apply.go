package mongo

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Apply implements protocol.Server. Changes with the same batch key are sent as one command, or as one part of a bulk if they are few;
// the others are sent in bulks. Several commands run concurrently, except in a session.
func (s *server) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	const bulk = 250
	var commands []func() (int64, error)
	batches := make(map[batchKey]*batch)
	var others []protocol.Change
	for _, c := range changes {
		if kind, ok := batchKeyOf(c); ok {
			if batches[kind] == nil {
				batches[kind] = &batch{}
			}
			batches[kind].add(c)
		} else {
			others = append(others, c)
		}
	}
	var small []mongo.WriteModel
	var before time.Time
	first := func(a, b batchKey) int { return cmp.Compare(batches[a].ids[0], batches[b].ids[0]) }
	for _, kind := range slices.SortedFunc(maps.Keys(batches), first) { // see Queries in the documentation of the package
		all := batches[kind]
		if len(all.ids) <= maxSmall && len(batches) > 1 {
			model, err := all.model(kind)
			if err != nil {
				return 0, err
			}
			small = append(small, model)
			if !kind.before.IsZero() {
				before = kind.before
			}
			continue
		}
		for part := range slices.Chunk(all.ids, maxIDs) {
			commands = append(commands, func() (int64, error) { return s.applyBatch(ctx, kind, all, part) })
		}
	}
	for part := range slices.Chunk(small, bulk) {
		commands = append(commands, func() (int64, error) { return s.applyModels(ctx, part, before) })
	}
	for part := range parts(others, bulk, sizeOfChange) {
		commands = append(commands, func() (int64, error) { return s.applyEach(ctx, part) })
	}
	var done atomic.Int64
	for part := range slices.Chunk(commands, concurrency(ctx)) {
		err := inParallel(part, func(_ int, command func() (int64, error)) error {
			n, err := command()
			done.Add(n)
			return writeError(ctx, err)
		})
		if err != nil && len(commands) > 1 {
			return 0, partlyDone(err)
		}
		if err != nil {
			return 0, err
		}
	}
	return int(done.Load()), nil
}

// partlyDone returns the error of a command if other commands of the same call may have been executed: then the outcome is unknown,
// unless a document is too large, which retrying would not change.
func partlyDone(err error) error {
	if dovetail.CodeOf(err) == dovetail.CodeTooLarge {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeUnknown, Message: "the database did not answer when some of the writes may have been done", Err: err}
}

// batchKey is what changes have in common that differ only in their ids: removals of records and of intents. If nothing but the only
// intents of their transactions is removed, one batch may have intents of several transactions: its condition allows any of them on
// any of the ids, but each of them can only be on the id of its own change.
type batchKey struct {
	intentTxn, txn string
	remove, moved  bool
	stamping       protocol.Stamping
	since          protocol.Stamp
	before         time.Time
}

// batch has the ids of changes with the same batch key, and their transactions.
type batch struct {
	ids  []dovetail.ID
	txns []string
}

func (b *batch) add(c protocol.Change) {
	b.ids = append(b.ids, c.ID)
	if !slices.Contains(b.txns, c.IntentTxn) {
		b.txns = append(b.txns, c.IntentTxn)
	}
}

func batchKeyOf(c protocol.Change) (batchKey, bool) {
	key := batchKey{c.IntentTxn, c.Txn, c.Remove, c.Moved, c.Stamping, c.Since, c.Before}
	if c.OnlyIntent && c.Txn == "" && !c.Remove && c.Stamping == protocol.KeepStamp {
		key.intentTxn = ""
	}
	return key, c.IntentTxn != "" && c.Intent == nil && c.Doc == nil && c.Link == protocol.KeepLinks
}

// maxSmall is the maximum number of ids of a batch that shares its command with other batches.
const maxSmall = 20

// filter returns the condition for some of the ids.
func (b *batch) filter(kind batchKey, ids []dovetail.ID) bson.D {
	filter := bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: ids}}}, {Key: "mark.txn", Value: bson.D{{Key: "$in", Value: b.txns}}}}
	if len(ids) == 1 {
		filter[0].Value = ids[0]
	}
	if len(b.txns) == 1 {
		filter[1].Value = b.txns[0]
	}
	return appendBefore(filter, kind.before)
}

// update returns the update of each record of a batch that is not removed.
func (b *batch) update(kind batchKey) (bson.D, error) {
	return updateOf(protocol.Change{IntentTxn: b.txns[0], Txn: kind.txn, Stamping: kind.stamping, Since: kind.since, Moved: kind.moved})
}

// model returns the batch as one write model of a bulk.
func (b *batch) model(kind batchKey) (mongo.WriteModel, error) {
	filter := b.filter(kind, b.ids)
	if kind.remove {
		return mongo.NewDeleteManyModel().SetFilter(filter), nil
	}
	update, err := b.update(kind)
	return mongo.NewUpdateManyModel().SetFilter(filter).SetUpdate(update).SetHint(byID), err
}

func (s *server) applyBatch(ctx context.Context, kind batchKey, all *batch, ids []dovetail.ID) (int64, error) {
	filter := all.filter(kind, ids)
	within := s.commitContext(ctx, kind.before)
	if kind.remove {
		result, err := s.records.in(ctx).DeleteMany(within, filter)
		if err != nil {
			return 0, err
		}
		return result.DeletedCount, nil
	}
	update, err := all.update(kind)
	if err != nil {
		return 0, err
	}
	var result *mongo.UpdateResult
	if len(ids) == 1 {
		result, err = s.records.in(ctx).UpdateOne(within, filter, update)
	} else {
		result, err = s.records.in(ctx).UpdateMany(within, filter, update, options.UpdateMany().SetHint(byID))
	}
	if err != nil {
		return 0, err
	}
	return result.MatchedCount, nil
}

func (s *server) applyModels(ctx context.Context, models []mongo.WriteModel, before time.Time) (int64, error) {
	result, err := s.records.in(ctx).BulkWrite(s.commitContext(ctx, before), models, options.BulkWrite().SetOrdered(false))
	if err != nil {
		return 0, err
	}
	return result.MatchedCount + result.DeletedCount, nil
}

func (s *server) applyEach(ctx context.Context, changes []protocol.Change) (int64, error) {
	if len(changes) == 1 {
		update, err := updateOf(changes[0])
		if err != nil {
			return 0, err
		}
		result, err := s.records.in(ctx).UpdateOne(s.commitContext(ctx, changes[0].Before), filterOf(changes[0]), update)
		if err != nil {
			return 0, err
		}
		return result.MatchedCount, nil
	}
	models := make([]mongo.WriteModel, len(changes))
	var before time.Time
	for i, c := range changes {
		if !c.Before.IsZero() {
			before = c.Before
		}
		update, err := updateOf(c)
		if err != nil {
			return 0, err
		}
		models[i] = mongo.NewUpdateOneModel().SetFilter(filterOf(c)).SetUpdate(update)
	}
	return s.applyModels(ctx, models, before)
}

// SetIntent implements protocol.Server.
func (s *server) SetIntent(ctx context.Context, change protocol.Change) (*protocol.Record, error) {
	update, err := updateOf(change)
	if err != nil {
		return nil, err
	}
	raw, err := s.records.in(ctx).FindOneAndUpdate(noDeadline{ctx}, filterOf(change), update,
		options.FindOneAndUpdate().SetReturnDocument(options.Before)).Raw()
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return nil, nil
	case err != nil:
		return nil, writeError(ctx, err)
	}
	return decodeRecord(raw)
}

// Replace implements protocol.Server.
func (s *server) Replace(ctx context.Context, change protocol.Change) (at protocol.Stamp, done bool, err error) {
	update, err := updateOf(change)
	if err != nil {
		return at, false, err
	}
	filter := filterOf(change)
	for _, text := range []struct{ field, value string }{{fieldTxn, change.Intent.Prev.Txn}, {fieldRewritten, change.Intent.Prev.Rewritten}} {
		var value any = text.value
		if value == "" {
			value = bson.D{{Key: "$exists", Value: false}}
		}
		filter = append(filter, bson.E{Key: text.field, Value: value})
	}
	raw, err := s.records.in(ctx).FindOneAndUpdate(s.commitContext(ctx, change.Before), filter, update,
		options.FindOneAndUpdate().SetReturnDocument(options.After).SetProjection(bson.D{{Key: fieldChanged, Value: 1}})).Raw()
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return at, false, nil
	case err != nil:
		return at, false, writeError(ctx, err)
	}
	r, err := decodeRecord(raw)
	if err != nil {
		return at, false, err
	}
	return r.Stamp, true, nil
}

// filterOf returns the condition of a change.
func filterOf(c protocol.Change) bson.D {
	if c.IntentTxn != "" {
		return appendBefore(bson.D{{Key: fieldID, Value: c.ID}, {Key: "mark.txn", Value: c.IntentTxn}}, c.Before)
	}
	if c.AnyVersion {
		return appendBefore(bson.D{{Key: fieldID, Value: c.ID}, {Key: fieldIntent, Value: bson.D{{Key: "$exists", Value: false}}}}, c.Before)
	}
	return appendBefore(bson.D{{Key: fieldID, Value: c.ID}, {Key: fieldUID, Value: c.Version.UID},
		{Key: fieldRevision, Value: int64(c.Version.Revision)}, {Key: fieldIntent, Value: bson.D{{Key: "$exists", Value: false}}}}, c.Before)
}

// appendBefore adds the condition that the server's clock shows an earlier time, if there is one.
func appendBefore(filter bson.D, before time.Time) bson.D {
	if before.IsZero() {
		return filter
	}
	earlier := bson.D{{Key: "$lt", Value: bson.A{"$$NOW", before}}}
	// DocumentDB would look for a comparison in an index, if it has no $$NOW.
	return append(filter, bson.E{Key: "$expr", Value: bson.D{{Key: "$cond", Value: bson.A{earlier, true, false}}}})
}

// updateOf returns the update of a record that is not removed.
func updateOf(c protocol.Change) (bson.D, error) {
	var set, unset, add, now bson.D
	if c.Doc != nil {
		set = encodeBody(c.Doc)
		there := make(map[string]bool, len(set))
		for _, e := range set {
			there[e.Key] = true
		}
		for _, name := range body {
			if !there[name] {
				unset = append(unset, bson.E{Key: name, Value: 1})
			}
		}
	}
	if c.Intent != nil {
		set = append(set, bson.E{Key: fieldIntent, Value: encodeIntent(c.Intent)})
	} else {
		unset = append(unset, bson.E{Key: fieldIntent, Value: 1})
	}
	strong, weak := protocol.Links(c.Links)
	for _, links := range []struct {
		field string
		ids   []dovetail.ID
	}{{fieldRefs, strong}, {fieldWeak, weak}} {
		switch {
		case c.Link == protocol.AddLinks && len(links.ids) > 0:
			add = append(add, bson.E{Key: links.field, Value: bson.D{{Key: "$each", Value: links.ids}}})
		case c.Link == protocol.SetLinks && len(links.ids) > 0:
			set = append(set, bson.E{Key: links.field, Value: links.ids})
		case c.Link == protocol.SetLinks:
			unset = append(unset, bson.E{Key: links.field, Value: 1})
		}
	}
	var pull bson.D
	set, unset, add, pull = changeTerms(c, set, unset, add)
	if c.Txn != "" {
		set = append(set, bson.E{Key: fieldTxn, Value: c.Txn})
	}
	if c.Rewritten != "" {
		set = append(set, bson.E{Key: fieldRewritten, Value: c.Rewritten})
	}
	switch {
	case c.Stamping == protocol.KeepStamp:
	case c.Moved:
		set = append(set, bson.E{Key: fieldMoved, Value: true})
	case c.Stamping != protocol.StampCreated: // which never had it
		unset = append(unset, bson.E{Key: fieldMoved, Value: 1})
	}
	switch {
	case c.Doc == nil || c.Stamping == protocol.KeepStamp:
	case c.By == store.Provenance{}:
		unset = append(unset, bson.E{Key: fieldProvenance, Value: 1})
	default:
		set = appendProvenance(set, c.By)
	}
	switch stamp := (bson.D{{Key: "$type", Value: "timestamp"}}); c.Stamping {
	case protocol.StampCreated:
		set = append(set, bson.E{Key: fieldOrigin, Value: c.Txn})
		now = bson.D{{Key: fieldChanged, Value: stamp}, {Key: fieldCreatedStamp, Value: stamp}}
	case protocol.StampNow:
		now = bson.D{{Key: fieldChanged, Value: stamp}}
	case protocol.StampOrigin, protocol.StampSince:
		set, unset = append(set, bson.E{Key: fieldCommitted, Value: timestamp(c.Since)}), append(unset, bson.E{Key: fieldChanged, Value: 1})
		if c.Stamping == protocol.StampOrigin {
			set = append(set, bson.E{Key: fieldOrigin, Value: c.Txn})
		}
	case protocol.KeepStamp:
	}
	var update bson.D
	for _, part := range []struct {
		operator string
		members  bson.D
	}{{"$set", set}, {"$unset", unset}, {"$addToSet", add}, {"$pullAll", pull}, {"$currentDate", now}} {
		if len(part.members) > 0 {
			update = append(update, bson.E{Key: part.operator, Value: part.members})
		}
	}
	if c.Doc == nil && (c.Intent == nil || c.Intent.Next == nil) {
		return update, nil
	}
	raw, err := bson.Marshal(set)
	if err != nil {
		return nil, internal(err)
	}
	if len(raw) > maxStored {
		return nil, tooLarge(c.ID, len(raw))
	}
	return update, nil
}
