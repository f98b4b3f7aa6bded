package httpapi

import (
	"net/url"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
)

// withQueries adds the query parameters of the route's kind to those that the request may have.
func (x *requestContext) withQueries(known ...string) []string {
	for _, q := range x.route.kind.Queries {
		known = append(known, q.Name)
	}
	return known
}

// selection is what a request selects of its collection.
type selection struct {
	store.ListQuery
	queries url.Values // what it gives for query parameters of the kind, by name
}

// scope describes the list, as scopeOf does.
func (s *selection) scope() string {
	if len(s.queries) == 0 {
		return scopeOf(s.ListQuery)
	}
	return scopeOf(s.ListQuery) + "\x00" + s.queries.Encode()
}

// selection reads the selectors, and the query parameters of the kind.
func (x *requestContext) selection(p parameters) (*selection, error) {
	list, err := listQuery(p, x.resource, x.route.kind.Name)
	if err != nil {
		return nil, err
	}
	s := &selection{ListQuery: list, queries: url.Values{}}
	for _, q := range x.route.kind.Queries {
		if p.has(q.Name) {
			s.queries[q.Name] = p[q.Name]
		}
	}
	return s, nil
}

// list returns what is to be listed, as of what the request reads by now.
func (s *selection) list(x *requestContext) (store.ListQuery, error) {
	list := s.ListQuery
	if len(s.queries) == 0 {
		return list, nil
	}
	for i := range x.route.kind.Queries {
		q := &x.route.kind.Queries[i]
		for _, text := range s.queries[q.Name] {
			if err := x.narrow(&list, q, text); err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

// narrow adds to a list that the query has the value.
func (x *requestContext) narrow(list *store.ListQuery, q *schema.Query, text string) error {
	if path, plain := q.Selector.Names(); plain && len(path) > 0 {
		list.Fields = list.Fields.And(selector.Field(path, text))
		return nil
	}
	if of, is := q.Selector.List(); is {
		path, _ := of.Names()
		list.Fields = list.Fields.And(selector.Item(path, text))
		return nil
	}
	accept := func(id dovetail.ID) bool {
		value, _ := id.Key().Value(q.Element)
		return value == text
	}
	if q.Child != nil {
		parents, err := x.parents(q.Child, text)
		if err != nil {
			return err
		}
		accept = func(id dovetail.ID) bool { _, found := slices.BinarySearch(parents, id); return found }
	}
	if before := list.Fits; before != nil {
		list.Fits = func(id dovetail.ID) bool { return before(id) && accept(id) }
		return nil
	}
	list.Fits = accept
	return nil
}

// parents are the documents of the collection that have a child of the kind with the name, in their order. A child that may
// not be read is none.
func (x *requestContext) parents(child *schema.Kind, name string) ([]dovetail.ID, error) {
	q := store.ListQuery{Under: x.resource, Kind: child.Name, Limit: chunk, Fits: func(id dovetail.ID) bool {
		value, _ := id.Key().Value(child.Own[0])
		return value == name
	}}
	var ids []dovetail.ID
	for {
		page, err := x.store.List(x.ctx, q)
		if err != nil {
			return nil, err
		}
		for _, doc := range page.Documents {
			key := doc.ID.Key()
			ids = append(ids, key[:len(key)-1].ID())
		}
		if page.Next == "" {
			slices.Sort(ids)
			return ids, nil
		}
		q.After, q.Position = page.Next, page.Position
	}
}

// describeQueries lists the query parameters of a kind.
func describeQueries(kind *schema.Kind) list {
	var all list
	for i := range kind.Queries {
		q := &kind.Queries[i]
		all = append(all, object{"name": q.Name, "in": "query", "description": "only items that match: " + q.String() + "; may be given several times", "schema": object{"type": "string", "minLength": 1}})
	}
	return all
}
