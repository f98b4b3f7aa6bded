package mongo

import (
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// The terms of a document and of the next document in an intent are stored in one list, so that one query of one index finds the
// record by both.

// nextMark is the prefix of the terms of a next document.
const nextMark = "+"

// ofNext returns the stored form of the terms of a next document.
func ofNext(terms []string) []string {
	marked := make([]string, len(terms))
	for i, term := range terms {
		marked[i] = nextMark + term
	}
	return marked
}

// terms returns the terms of the document, in order.
func (d *decoder) terms(v bson.RawValue) []string {
	var terms []string
	d.each(v, func(_ string, v bson.RawValue) {
		if term := d.text(v); !strings.HasPrefix(term, nextMark) {
			terms = append(terms, term)
		}
	})
	slices.Sort(terms)
	return terms
}

// changeTerms adds the change of a record's terms to an update.
func changeTerms(c protocol.Change, set, unset, add bson.D) (newSet, newUnset, newAdd, pull bson.D) {
	isTerms := func(e bson.E) bool { return e.Key == fieldTerms }
	each := func(terms []string) bson.E {
		return bson.E{Key: fieldTerms, Value: bson.D{{Key: "$each", Value: terms}}}
	}
	switch {
	case c.Doc != nil && c.Rewritten != "":
		set, unset = slices.DeleteFunc(set, isTerms), slices.DeleteFunc(unset, isTerms)
		if len(c.Doc.Terms) > 0 {
			add = append(add, each(c.Doc.Terms))
		}
	case c.Doc == nil && c.Intent != nil && c.Intent.Next != nil && len(c.Intent.Next.Terms) > 0:
		add = append(add, each(ofNext(c.Intent.Next.Terms)))
	case len(c.Undone) > 0:
		pull = bson.D{{Key: fieldTerms, Value: ofNext(c.Undone)}}
	}
	return set, unset, add, pull
}

// AddTerms implements protocol.Server.
func (s *server) AddTerms(ctx context.Context, documents []*dovetail.Document) error {
	const bulk = 250
	for part := range slices.Chunk(documents, bulk) {
		var models []mongo.WriteModel
		for _, doc := range part {
			if len(doc.Terms) == 0 {
				continue
			}
			filter := bson.D{{Key: fieldID, Value: doc.ID}, {Key: fieldUID, Value: doc.UID}, {Key: fieldRevision, Value: int64(doc.Revision)}}
			models = append(models, mongo.NewUpdateOneModel().SetFilter(filter).SetUpdate(
				bson.D{{Key: "$addToSet", Value: bson.D{{Key: fieldTerms, Value: bson.D{{Key: "$each", Value: doc.Terms}}}}}}))
		}
		if len(models) == 0 {
			continue
		}
		if _, err := s.records.in(ctx).BulkWrite(noDeadline{ctx}, models, options.BulkWrite().SetOrdered(false)); err != nil {
			return writeError(ctx, err)
		}
	}
	return nil
}
