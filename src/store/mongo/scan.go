package mongo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Scan implements protocol.Server. On a server that sorts all matches of an index, it reads a page of a kind or of terms in other
// ways, so that it sorts only what is needed.
func (s *server) Scan(ctx context.Context, q store.Query) iter.Seq2[*protocol.Record, error] {
	ids, conditions, index := selection(q)
	if len(q.Below) > 1 && len(conditions) == 0 {
		return s.belowSeveral(ctx, q.Below, q.After, q.Limit, true)
	}
	if !s.sorts || q.Limit == 0 || len(conditions) == 0 {
		return s.scanInOrder(ctx, ids, conditions, index, q.Limit)
	}
	return func(yield func(*protocol.Record, error) bool) {
		if page, whole, err := s.pageOfFew(ctx, q); whole || err != nil {
			yieldAll(page, err, yield)
			return
		}
		for left := q.Limit; left > 0; {
			found, more, err := s.candidates(ctx, q, left)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(found) == 0 {
				if more {
					ids, conditions, index := selection(q)
					s.scanInOrder(ctx, ids, conditions, index, left)(yield)
				}
				return
			}
			for r, err := range s.scanInOrder(ctx, bson.D{{Key: "$in", Value: found}}, conditions, byID, len(found)) {
				if !yield(r, err) || err != nil {
					return
				}
				left--
			}
			if !more {
				return
			}
			q.After = found[len(found)-1]
		}
	}
}

func yieldAll[T any](items []T, err error, yield func(T, error) bool) {
	var none T
	for _, item := range items {
		if !yield(item, nil) {
			return
		}
	}
	if err != nil {
		yield(none, err)
	}
}

// scanInOrder yields whole records in the order of ids. A page is read in one batch, if that is not too large for the server.
func (s *server) scanInOrder(ctx context.Context, ids, conditions, index bson.D, limit int) iter.Seq2[*protocol.Record, error] {
	order := byID
	if index[0].Key == fieldKind {
		order = byKind
	}
	opts := options.Find().SetHint(index).SetSort(order)
	if limit > 0 {
		opts.SetLimit(int64(limit)).SetBatchSize(int32(limit))
	}
	return s.find(ctx, append(slices.Clone(conditions), bson.E{Key: fieldID, Value: ids}), opts)
}

// selection returns the conditions of a query on ids and on other fields, and the index to use.
func selection(q store.Query) (ids, conditions, index bson.D) {
	ids, index = below(q.Under), byID
	if q.After != "" && (q.Under == "" || q.After > dovetail.ID(q.Under.Prefix())) {
		ids[0] = bson.E{Key: "$gt", Value: q.After}
	}
	if q.Kind != "" {
		conditions, index = bson.D{{Key: fieldKind, Value: q.Kind}}, byKind
	}
	if len(q.Terms) > 0 {
		conditions, index = append(conditions, termConditions(q.Terms)...), byTerms
	}
	return ids, conditions, index
}

// termConditions returns the condition that a record has a term of each group.
func termConditions(groups [][]string) bson.D {
	condition := func(group []string) bson.E {
		return bson.E{Key: fieldTerms, Value: bson.D{{Key: "$in", Value: append(slices.Clone(group), ofNext(group)...)}}}
	}
	conditions := bson.D{condition(groups[0])}
	if len(groups) > 1 {
		var others bson.A
		for _, group := range groups[1:] {
			others = append(others, bson.D{condition(group)})
		}
		conditions = append(conditions, bson.E{Key: "$and", Value: others})
	}
	return conditions
}

// effort limits the work for a page on a server that sorts all matches.
type effort struct {
	few   int // matches to sort, or to send unsorted
	next  int // documents to look through
	bytes int // maximum size of unsorted matches to send
}

var onlyID = bson.D{{Key: fieldID, Value: 1}}

// pageEffort takes about ten milliseconds.
var pageEffort = effort{few: 1200, next: 3000, bytes: 8 << 20}

// candidates returns the first ids that a query selects, in order, and whether there may be more. It returns none and true if
// finding them would require sorting everything that the query selects.
//
// A server that sorts all matches of an index is slow for a page if there are many. So candidates first checks whether there are
// few, and otherwise whether the next documents by id fill a page. If a selection is known to be large, it skips the first check.
func (s *server) candidates(ctx context.Context, q store.Query, limit int) (found []dovetail.ID, more bool, err error) {
	ids, conditions, index := selection(q)
	key := fmt.Sprint(conditions)
	if !s.known.isLarge(key) {
		found, more, err = s.amongFew(ctx, ids, conditions, index, limit)
		if err != nil || found != nil || !more {
			return found, more, err
		}
		s.known.setLarge(key, true)
	}
	if found, more, err = s.amongNext(ctx, ids, conditions, limit); found == nil {
		s.known.setLarge(key, false) // it may be small by now
	}
	return found, more, err
}

// amongFew returns candidates if the conditions select few documents.
func (s *server) amongFew(ctx context.Context, ids, conditions, index bson.D, limit int) (found []dovetail.ID, more bool, err error) {
	from, until := ids[0], dovetail.ID("")
	if len(ids) > 1 {
		until = dovetail.ID(ids[1].Value.(string)) // set by below
	}
	all, err := collect(query(ctx, s.records.in(ctx), conditions,
		options.Find().SetHint(index).SetProjection(onlyID).SetLimit(int64(s.effort.few)).SetBatchSize(int32(s.effort.few)), decodeID))
	if err != nil || len(all) == s.effort.few {
		return nil, true, err
	}
	first := selectedFrom(from)
	found = slices.DeleteFunc(all, func(id dovetail.ID) bool { return !first(id) || until != "" && id >= until })
	slices.Sort(found)
	return found[:min(limit, len(found))], len(found) > limit, nil
}

// pageOfFew returns a page, if the query may select everything, by one command: all records that the conditions select, if these are
// few and small, sorted here. Otherwise, or if the page is much smaller than that, whole is false.
func (s *server) pageOfFew(ctx context.Context, q store.Query) (page []*protocol.Record, whole bool, err error) {
	ids, conditions, index := selection(q)
	key := fmt.Sprint(conditions)
	if 2*q.Limit < s.effort.few || s.known.isLarge(key) {
		return nil, false, nil
	}
	outside := bson.D{{Key: fieldID, Value: "$" + fieldID}}
	var within bson.A
	for _, bound := range ids {
		within = append(within, bson.D{{Key: bound.Key, Value: bson.A{"$" + fieldID, bson.D{{Key: "$literal", Value: bound.Value}}}}})
	}
	command := func(ctx context.Context) (*mongo.Cursor, error) {
		return s.records.in(ctx).Aggregate(ctx, mongo.Pipeline{
			{{Key: "$match", Value: conditions}}, {{Key: "$limit", Value: s.effort.few}},
			{{Key: "$replaceWith", Value: bson.D{{Key: "$cond", Value: bson.A{bson.D{{Key: "$and", Value: within}}, "$$ROOT", outside}}}}},
		}, options.Aggregate().SetHint(index).SetBatchSize(int32(s.effort.few)))
	}
	read, size := 0, 0
	decode := func(raw bson.Raw) (*protocol.Record, error) {
		size += len(raw)
		return decodeRecord(raw)
	}
	for r, err := range results(ctx, command, decode) {
		if err != nil {
			return nil, true, err
		}
		if read++; r.Doc != nil || r.Intent != nil {
			page = append(page, r)
		}
		if size > s.effort.bytes {
			return nil, false, nil
		}
	}
	if read == s.effort.few {
		s.known.setLarge(key, true)
		return nil, false, nil
	}
	slices.SortFunc(page, func(a, b *protocol.Record) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return page[:min(q.Limit, len(page))], true, nil
}

// amongNext returns candidates if the next documents by id fill a page.
func (s *server) amongNext(ctx context.Context, ids, conditions bson.D, limit int) (found []dovetail.ID, more bool, err error) {
	found, err = collect(results(ctx, func(ctx context.Context) (*mongo.Cursor, error) {
		return s.records.in(ctx).Aggregate(ctx, mongo.Pipeline{
			{{Key: "$match", Value: bson.D{{Key: fieldID, Value: ids}}}}, {{Key: "$sort", Value: byID}}, {{Key: "$limit", Value: s.effort.next}},
			{{Key: "$match", Value: conditions}}, {{Key: "$limit", Value: limit}}, {{Key: "$project", Value: onlyID}},
		}, options.Aggregate().SetHint(byID).SetBatchSize(int32(limit)))
	}, decodeID))
	if err != nil || len(found) < limit {
		return nil, true, err
	}
	slices.Sort(found)
	return found, true, nil
}

// largeSelections caches which selections are known to be large. It is only an optimization, so it may drop entries.
type largeSelections struct {
	mutex sync.Mutex
	keys  map[string]bool
}

func (l *largeSelections) isLarge(key string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.keys[key]
}

func (l *largeSelections) setLarge(key string, large bool) {
	const most = 1000
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case !large:
		delete(l.keys, key)
	case l.keys == nil || len(l.keys) == most:
		l.keys = map[string]bool{key: true}
	default:
		l.keys[key] = true
	}
}

// selectedFrom returns a function that reports whether an id satisfies a lower bound.
func selectedFrom(from bson.E) func(dovetail.ID) bool {
	var least dovetail.ID
	switch v := from.Value.(type) {
	case string:
		least = dovetail.ID(v)
	case dovetail.ID:
		least = v
	}
	return func(id dovetail.ID) bool { return id > least || from.Key == "$gte" && id == least }
}

func decodeID(raw bson.Raw) (dovetail.ID, error) {
	id, ok := raw.Lookup(fieldID).StringValueOK()
	if !ok {
		return "", corrupt("a document has an _id that is no text")
	}
	return dovetail.ID(id), nil
}

// sortsFound reports whether the server sorts the matches of an index even if the index already has the requested order.
func (s *server) sortsFound(ctx context.Context) (bool, error) {
	find := bson.D{{Key: "find", Value: recordsName}, {Key: "filter", Value: bson.D{{Key: fieldKind, Value: "kind"}}}, {Key: "hint", Value: byKind}, {Key: "sort", Value: byKind}}
	plan, err := s.records.alone.Database().RunCommand(ctx, bson.D{{Key: "explain", Value: find}, {Key: "verbosity", Value: "queryPlanner"}}).Raw()
	if err != nil {
		return false, readError(ctx, err)
	}
	return HasSort(plan), nil
}

// HasSort reports whether a query plan, as returned by explain, has a sort stage.
func HasSort(plan bson.Raw) bool {
	elements, _ := plan.Elements()
	return slices.ContainsFunc(elements, func(element bson.RawElement) bool {
		v := element.Value()
		if v.Type == bson.TypeEmbeddedDocument || v.Type == bson.TypeArray {
			return HasSort(bson.Raw(v.Value))
		}
		text, _ := v.StringValueOK()
		return strings.EqualFold(text, "sort")
	})
}
