package doctor

import (
	"context"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/store/mongo"
)

// order has the server sort ids that people's rules of order would sort otherwise, and select those below one.
func order(ctx context.Context, s *scratch) (string, error) {
	ids := []string{"order/a", "order/B", "order/a/b", "order/a-b", "order/a.b", "order/a0", "order/A", "order/é", "order/e", "order/z", "order/日本", "order/_", "order/~", "order/a b"}
	documents := make([]any, len(ids))
	for i, name := range ids {
		documents[i] = id(name)
	}
	if err := s.insert(ctx, s.clients[0], documents...); err != nil {
		return "", err
	}
	slices.Sort(ids)
	for _, span := range []struct {
		from, to string
		want     []string
	}{
		{"order/", "order0", ids},
		{"order/a/", "order/a0", []string{"order/a/b"}},
	} {
		found, err := s.find(ctx, s.clients[0], bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: span.from}, {Key: "$lt", Value: span.to}}}},
			bson.E{Key: "sort", Value: byID}, bson.E{Key: "hint", Value: byID})
		if err != nil {
			return "", err
		}
		if got := idsOf(found); !slices.Equal(got, span.want) {
			return "", instead("from %q to %q the server has %q, by bytes it is %q", span.from, span.to, got, span.want)
		}
	}
	return fmt.Sprintf("%d ids in the order of bytes, and ranges of them", len(ids)), nil
}

func idsOf(documents []bson.Raw) []string {
	var ids []string
	for _, d := range documents {
		name, _ := d.Lookup("_id").StringValueOK()
		ids = append(ids, name)
	}
	return ids
}

// lists adds to a list and takes away from it, and finds documents by what their lists have, with the index that is named.
func lists(ctx context.Context, s *scratch) (string, error) {
	c := s.clients[0]
	if err := s.insert(ctx, c, append(id("list-1"), bson.E{Key: "list", Value: bson.A{"a", "b"}}), append(id("list-2"), bson.E{Key: "list", Value: bson.A{"c"}}), id("list-3")); err != nil {
		return "", err
	}
	if _, err := s.update(ctx, c, id("list-3"), bson.D{{Key: "$addToSet", Value: bson.D{{Key: "list", Value: bson.D{{Key: "$each", Value: bson.A{"a", "d"}}}}}}}); err != nil {
		return "", err
	}
	if _, err := s.update(ctx, c, id("list-1"), bson.D{{Key: "$pullAll", Value: bson.D{{Key: "list", Value: bson.A{"b"}}}}}); err != nil {
		return "", err
	}
	for _, q := range []struct {
		has  any
		want []string
	}{
		{"a", []string{"list-1", "list-3"}},
		{"b", nil},
		{bson.D{{Key: "$in", Value: bson.A{"c", "d"}}}, []string{"list-2", "list-3"}},
	} {
		found, err := s.find(ctx, s.clients[1], bson.D{{Key: "list", Value: q.has}}, bson.E{Key: "hint", Value: byList})
		if err != nil {
			return "", err
		}
		got := idsOf(found)
		slices.Sort(got)
		if !slices.Equal(got, q.want) {
			return "", instead("by its index over lists the server finds %q for %v, there are %q", got, q.has, q.want)
		}
	}
	return "found by an index over what they list", nil
}

// union reads the first of each of three ranges by one command, two of them by a union within the union, in order.
func union(ctx context.Context, s *scratch) (string, error) {
	c := s.clients[0]
	if err := s.insert(ctx, c, id("union-a-1"), id("union-a-2"), id("union-b-1"), id("union-b-2"), id("union-c-1"), id("union-c-2")); err != nil {
		return "", err
	}
	first := func(from, to string) bson.A {
		return bson.A{bson.D{{Key: "$match", Value: bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: from}, {Key: "$lt", Value: to}}}}}},
			bson.D{{Key: "$sort", Value: byID}}, bson.D{{Key: "$limit", Value: 1}}}
	}
	with := func(pipeline bson.A) bson.D {
		return bson.D{{Key: "$unionWith", Value: bson.D{{Key: "coll", Value: s.name}, {Key: "pipeline", Value: pipeline}}}}
	}
	within := append(first("union-b", "union-c"), with(first("union-c", "union-d")))
	pipeline := append(first("union-a", "union-b"), with(within), bson.D{{Key: "$sort", Value: byID}}, bson.D{{Key: "$limit", Value: 4}})
	raw, err := c.run(ctx, bson.D{{Key: "aggregate", Value: s.name}, {Key: "pipeline", Value: pipeline}, {Key: "cursor", Value: bson.D{}}, {Key: "hint", Value: byID}})
	if err != nil {
		return "", err
	}
	got := idsOf(batch(raw))
	if want := []string{"union-a-1", "union-b-1", "union-c-1"}; !slices.Equal(got, want) {
		return "", instead("$unionWith of the first of three ranges gives %q, not %q", got, want)
	}
	return "$unionWith, also within another", nil
}

// sortedIndex looks whether the server reads an index in its order.
func sortedIndex(ctx context.Context, s *scratch) (string, error) {
	key := bson.D{{Key: "kind", Value: 1}, {Key: "_id", Value: 1}}
	index := bson.D{{Key: "key", Value: key}, {Key: "name", Value: "kind_1__id_1"}}
	if _, err := s.clients[0].run(ctx, bson.D{{Key: "createIndexes", Value: s.name}, {Key: "indexes", Value: bson.A{index}}}); err != nil {
		return "", err
	}
	find := bson.D{{Key: "find", Value: s.name}, {Key: "filter", Value: bson.D{{Key: "kind", Value: "k"}}}, {Key: "hint", Value: key}, {Key: "sort", Value: key}}
	plan, err := s.clients[0].run(ctx, bson.D{{Key: "explain", Value: find}, {Key: "verbosity", Value: "queryPlanner"}})
	if err != nil {
		return "", err
	}
	if mongo.HasSort(plan) {
		return "", instead("the plan of a query in the order of its index has a step that sorts")
	}
	return "read in its order", nil
}
