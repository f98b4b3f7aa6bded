package mongo

import (
	"context"
	"iter"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// The limits of one command that reads below several ids.
const (
	minBelow = 10   // documents of a range with possible others in between, and ids of the first command that reads below each id separately
	maxBelow = 1000 // documents
	maxEach  = 100  // ids that are read below separately: planning time grows faster than their number
)

// below returns the range of the ids below an id: '0' follows '/' in byte order.
func below(id dovetail.ID) bson.D {
	if id == "" {
		return bson.D{{Key: "$gt", Value: ""}}
	}
	return bson.D{{Key: "$gte", Value: id.Prefix()}, {Key: "$lt", Value: string(id) + "0"}}
}

// Children implements protocol.Server.
func (s *server) Children(ctx context.Context, of []dovetail.ID) iter.Seq2[*protocol.Record, error] {
	if len(of) == 1 {
		return s.find(ctx, bson.D{{Key: fieldID, Value: below(of[0])}}, options.Find().SetHint(byID).SetSort(byID).SetProjection(headFields))
	}
	return s.belowSeveral(ctx, of, "", 0, false)
}

// belowSeveral yields the records below any of the ids, none of which is below another, in the order of ids: only those after the
// given one, and at most limit (0: all). It first reads on from the range of one id into the next, so that adjacent documents need
// few commands. If that finds other documents in between, one command reads the separate ranges of many ids.
func (s *server) belowSeveral(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int, whole bool) iter.Seq2[*protocol.Record, error] {
	return func(yield func(*protocol.Record, error) bool) {
		left := slices.SortedFunc(slices.Values(of), func(a, b dovetail.ID) int { return strings.Compare(a.Prefix(), b.Prefix()) })
		wanted, page := limit, max(minBelow, limit/4) // a part of the limit, since the read may be wasted
		each := 0                                     // how many separate ranges one command reads; 0 while it reads on
		for len(left) > 0 && left[0]+"0" <= after {
			left = left[1:]
		}
		for len(left) > 0 {
			most, part := page, left
			if each > 0 {
				most, part = maxBelow, left[:min(each, len(left))]
			}
			if limit > 0 {
				most = min(most, wanted)
			}
			read, useful := 0, 0
			for r, err := range s.belowParts(ctx, part, each > 0, after, most, whole) {
				if err != nil {
					yield(nil, err)
					return
				}
				read, after = read+1, r.ID
				for len(left) > 0 && left[0]+"0" <= r.ID {
					left = left[1:]
					useful++
				}
				if len(left) == 0 || !r.ID.IsDescendantOf(left[0]) {
					continue
				}
				useful, wanted = useful+1, wanted-1
				if !yield(r, nil) || wanted == 0 {
					return
				}
			}
			switch {
			case each > 0 && read < most:
				left = slices.DeleteFunc(left, func(id dovetail.ID) bool { return id.Prefix() <= part[len(part)-1].Prefix() })
				each = min(4*each, maxEach)
			case each > 0: // there are many below them
				page, each = maxBelow, 0
			case read < most:
				return
			case useful >= most/2:
				page = min(4*page, maxBelow)
			default:
				each = minBelow
			}
		}
	}
}

// belowParts yields the first records below the ids that come after a given id, in order: from the separate range of each id, or
// from one range over all of them, which may have others in between.
func (s *server) belowParts(ctx context.Context, of []dovetail.ID, each bool, after dovetail.ID, most int, whole bool) iter.Seq2[*protocol.Record, error] {
	if !each {
		ids := below(of[0])
		if after > dovetail.ID(of[0].Prefix()) {
			ids[0] = bson.E{Key: "$gt", Value: after}
		}
		ids[1].Value = string(of[len(of)-1]) + "0"
		opts := options.Find().SetHint(byID).SetSort(byID).SetLimit(int64(most)).SetBatchSize(int32(most))
		if !whole {
			opts.SetProjection(headFields)
		}
		return s.find(ctx, bson.D{{Key: fieldID, Value: ids}}, opts)
	}
	order, first := bson.D{{Key: "$sort", Value: byID}}, bson.D{{Key: "$limit", Value: most}}
	pipelines := make([]mongo.Pipeline, len(of))
	for i, id := range of {
		ids := below(id)
		if i == 0 && after > dovetail.ID(id.Prefix()) {
			ids[0] = bson.E{Key: "$gt", Value: after}
		}
		pipelines[i] = mongo.Pipeline{{{Key: "$match", Value: bson.D{{Key: fieldID, Value: ids}}}}, order, first}
	}
	pipeline := append(union(pipelines), order, first)
	if !whole {
		pipeline = append(pipeline, bson.D{{Key: "$project", Value: headFields}})
	}
	return results(ctx, func(ctx context.Context) (*mongo.Cursor, error) {
		return s.records.in(ctx).Aggregate(ctx, pipeline, options.Aggregate().SetBatchSize(int32(most)))
	}, decodeRecord)
}

// union returns a pipeline that yields the results of all pipelines. It nests them as a binary tree, since the planning time of
// unions grows with the square of the length of a chain.
func union(pipelines []mongo.Pipeline) mongo.Pipeline {
	if len(pipelines) == 1 {
		return pipelines[0]
	}
	half := len(pipelines) / 2
	rest := bson.D{{Key: "coll", Value: recordsName}, {Key: "pipeline", Value: union(pipelines[half:])}}
	return append(union(pipelines[:half]), bson.D{{Key: "$unionWith", Value: rest}})
}
