package mongo

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/store"
)

// The indexes, which are also the hints of queries: without a hint, some servers scan all documents.
var (
	byID      = bson.D{{Key: fieldID, Value: 1}}
	byKind    = bson.D{{Key: fieldKind, Value: 1}, {Key: fieldID, Value: 1}}
	byRefs    = bson.D{{Key: fieldRefs, Value: 1}}
	byTerms   = bson.D{{Key: fieldTerms, Value: 1}, {Key: fieldID, Value: 1}}
	byWeak    = bson.D{{Key: fieldWeak, Value: 1}}
	byIntent  = bson.D{{Key: "mark.txn", Value: 1}}
	byChanged = bson.D{{Key: fieldChanged, Value: 1}}

	byAt    = bson.D{{Key: entryAt, Value: 1}}
	byState = bson.D{{Key: entryState, Value: 1}, {Key: entryAt, Value: 1}}
)

// index is a required index.
type index struct {
	collection *mongo.Collection
	keys       bson.D
	sparse     bool
}

func (s *server) indexes() []index {
	records, log, versions := s.records.alone, s.log.alone, s.versions.alone
	return []index{
		{records, byKind, false}, {records, byRefs, true}, {records, byWeak, true}, {records, byTerms, false}, {records, byIntent, true}, {records, byChanged, true},
		{log, byAt, true}, {log, byState, true},
		{versions, byKind, false}, {versions, byRefs, true}, {versions, byWeak, true}, {versions, byTerms, false}, {versions, byChanged, true},
	}
}

// name returns the default name that servers give an index.
func (i index) name() string {
	name := ""
	for _, key := range i.keys {
		name += fmt.Sprintf("_%s_%v", key.Key, key.Value)
	}
	return name[1:]
}

// maxIndexing is the time limit for the creation of an index on a large database.
const maxIndexing = time.Hour

// create creates the index if it does not exist. Some servers return an error if other processes do so concurrently; it then
// retries a few times.
func (i index) create(ctx context.Context, c clock.Clock) error {
	const attempts = 10
	ctx, cancel := context.WithTimeout(ctx, maxIndexing) // instead of timeoutMS
	defer cancel()
	model := mongo.IndexModel{Keys: i.keys, Options: options.Index().SetName(i.name()).SetSparse(i.sparse)}
	for attempt := 1; ; attempt++ {
		_, err := i.collection.Indexes().CreateOne(ctx, model)
		if err == nil {
			return nil
		}
		if attempt == attempts || ctx.Err() != nil || notSent(err) {
			return readError(ctx, err)
		}
		if err := clock.Sleep(ctx, c, rand.N(time.Duration(attempt)*50*time.Millisecond)); err != nil {
			return dovetail.AsError(err)
		}
	}
}

// missing returns the indexes that do not exist.
func (s *server) missing(ctx context.Context) ([]index, error) {
	there := make(map[string]bool)
	for _, c := range []*mongo.Collection{s.records.alone, s.log.alone, s.versions.alone} {
		specifications, err := c.Indexes().ListSpecifications(ctx)
		if err != nil {
			return nil, readError(ctx, err)
		}
		for _, spec := range specifications {
			there[c.Name()+"."+spec.Name] = true
		}
	}
	var missing []index
	for _, i := range s.indexes() {
		if !there[i.collection.Name()+"."+i.name()] {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

// ProblemIndex is the finding for a missing index.
const ProblemIndex = "index-missing"

// checkIndexes yields a finding for each missing index.
func (s *server) checkIndexes(ctx context.Context, repair bool) iter.Seq2[store.Finding, error] {
	return func(yield func(store.Finding, error) bool) {
		missing, err := s.missing(ctx)
		if err != nil {
			yield(store.Finding{}, err)
			return
		}
		for _, i := range missing {
			finding := store.Finding{Problem: ProblemIndex, Message: "the index " + i.name() + " of " + i.collection.Name() + " is missing"}
			if repair {
				err = i.create(ctx, s.local)
				finding.Repaired = err == nil
			}
			if !yield(finding, err) || err != nil {
				return
			}
		}
	}
}
