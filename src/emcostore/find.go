package emcostore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// match is what is stored under one key: the document of a resource, a record, or both.
type match struct {
	id     dovetail.ID // of the resource, otherwise of the record
	kind   *schema.Kind
	doc    *dovetail.Document // nil for a record alone
	record *record            // nil if there is none

	cluster *dovetail.Document // of a kubeconfig that is its file; then the record is made of that
}

func (m *match) created() time.Time {
	switch {
	case m.cluster != nil:
		return m.cluster.Created
	case m.doc != nil:
		return m.doc.Created
	}
	return m.record.doc.Created
}

// value returns the value of a tag, nil if there is none.
func (m *match) value(tag string) (*value.Value, error) {
	if tag == tagData && m.doc != nil && m.record != nil && m.record.Of == digestOf(m.doc.Data) {
		return m.record.tag(tag) // as it was inserted, and not changed since by clients of the REST API
	}
	if m.doc != nil && emco.Holds(m.kind, tag) {
		parts, err := partsOf(m.doc)
		if err != nil {
			return nil, err
		}
		if v := parts.Get(m.kind, m.id, tag); v != nil {
			return v, nil
		}
	}
	return m.record.tag(tag)
}

func (d *database) find(ctx context.Context, a address, tag string) (values [][]byte, err error) {
	matches, err := d.found(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, m := range matches {
		stored, err := m.value(tag)
		if err != nil {
			return nil, err
		}
		binary, err := binaryForm(stored)
		if err != nil {
			return nil, err
		}
		values = append(values, binary)
	}
	return values, nil
}

// found returns what Find answers with.
func (d *database) found(ctx context.Context, a address) ([]*match, error) {
	if !d.options.Alone {
		return d.matches(ctx, a)
	}
	kind, id, err := d.resource(a)
	if kind == nil || err != nil {
		return d.matches(ctx, a)
	}
	doc, err := d.get(ctx, id)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return d.matches(ctx, a)
	}
	r, err := d.record(ctx, a)
	return []*match{{id: id, kind: kind, doc: doc, record: r}}, err
}

// matches returns what an address selects: first what is stored under its very key, then in the order of creation.
func (d *database) matches(ctx context.Context, a address) ([]*match, error) {
	all := make(map[dovetail.ID]*match)
	for prefix, kinds := range d.candidates(a) {
		for doc, err := range d.below(ctx, prefix, kinds) {
			if err != nil {
				return nil, err
			}
			if m, err := d.selected(a, kinds, doc); err != nil {
				return nil, err
			} else if m != nil {
				all[doc.ID] = m
			}
		}
	}
	if err := d.join(ctx, a, all); err != nil {
		return nil, err
	}
	if err := d.joinKubeconfigs(ctx, a, all); err != nil {
		return nil, err
	}
	_, exact, err := d.resource(a)
	if err != nil || exact == "" {
		exact = recordID(a)
	}
	return slices.SortedFunc(maps.Values(all), func(x, y *match) int {
		return cmp.Or(first(y.id == exact)-first(x.id == exact), x.created().Compare(y.created()), cmp.Compare(x.id, y.id))
	}), nil
}

func first(is bool) int {
	if is {
		return 1
	}
	return 0
}

// candidates are the kinds whose resources an address may select, by the topmost document that all of these are, or are below; "" if there is none.
func (d *database) candidates(a address) map[dovetail.ID][]*schema.Kind {
	groups := make(map[dovetail.ID][]*schema.Kind)
	if a.collection != emco.Collection {
		return groups
	}
	for _, kind := range d.kinds {
		if kind == d.records || !selects(a, kind) {
			continue
		}
		var prefix dovetail.ID
		for _, name := range kind.Elements {
			if a.elements[name] == "" {
				break
			}
			prefix = prefix.Child(name, a.elements[name])
		}
		groups[prefix] = append(groups[prefix], kind)
	}
	return groups
}

// selects reports whether an address may select resources of a kind: where it is complete those that have all of its elements, or copies of values that are called so,
// and otherwise those that have just these.
func selects(a address, kind *schema.Kind) bool {
	for name := range a.elements {
		if !slices.Contains(kind.Elements, name) && (!a.complete() || emco.Copied(kind, name) == nil) {
			return false
		}
	}
	return a.complete() || len(a.elements) == len(kind.Elements)
}

// below yields the documents of some kinds that are called prefix, or are below it.
func (d *database) below(ctx context.Context, prefix dovetail.ID, kinds []*schema.Kind) func(yield func(*dovetail.Document, error) bool) {
	return func(yield func(*dovetail.Document, error) bool) {
		depth := len(prefix.Key())
		deeper := slices.DeleteFunc(slices.Clone(kinds), func(kind *schema.Kind) bool { return len(kind.Elements) == depth })
		if len(deeper) < len(kinds) {
			doc, err := d.get(ctx, prefix)
			if (doc != nil || err != nil) && !yield(doc, err) {
				return
			}
		}
		queries := []store.ListQuery{{Under: prefix}}
		if prefix == "" || len(deeper) <= 1 {
			queries = nil
			for _, kind := range deeper {
				queries = append(queries, store.ListQuery{Under: prefix, Kind: kind.Name})
			}
		}
		for _, q := range queries {
			for doc, err := range d.documents.Documents(ctx, q) {
				if !yield(doc, err) {
					return
				}
			}
		}
	}
}

// selected returns the match of a document that an address selects, nil for another one.
func (d *database) selected(a address, kinds []*schema.Kind, doc *dovetail.Document) (*match, error) {
	n := slices.IndexFunc(kinds, func(kind *schema.Kind) bool { return kind.Name == doc.Kind })
	if n < 0 {
		return nil, nil
	}
	members := make(map[string]string)
	for _, element := range doc.ID.Key() {
		members[element.Name] = element.Value
	}
	var data *value.Value
	for name := range a.elements {
		path := emco.Copied(kinds[n], name)
		if path == nil || members[name] != "" {
			continue
		}
		if data == nil {
			var err error
			if data, err = value.DataOf(doc, nil); err != nil {
				return nil, err
			}
		}
		members[name] = textAt(data, path)
	}
	if !a.within(func(name string) string { return members[name] }) {
		return nil, nil
	}
	return &match{id: doc.ID, kind: kinds[n], doc: doc}, nil
}

// join adds the records that an address selects, each to its resource if there is one.
func (d *database) join(ctx context.Context, a address, all map[dovetail.ID]*match) error {
	records, err := d.recordsAt(ctx, a)
	if err != nil {
		return err
	}
	for _, r := range records {
		kind, id, err := d.resource(r.address())
		if err != nil || kind == nil {
			all[r.doc.ID] = &match{id: r.doc.ID, record: r}
			continue
		}
		if all[id] == nil {
			doc, err := d.get(ctx, id)
			if err != nil {
				return err
			}
			all[id] = &match{id: id, kind: kind, doc: doc}
		}
		all[id].record = r
	}
	return nil
}
