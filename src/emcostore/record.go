package emcostore

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// record is the record of a key as it is stored.
type record struct {
	emco.Record
	doc *dovetail.Document // nil for a new one
}

func (r *record) address() address { return address{r.Collection, r.Key} }

// recordID is the id of the record at an address.
func recordID(a address) dovetail.ID {
	return (&emco.Record{Collection: a.collection, Key: a.elements}).ID()
}

func readRecord(doc *dovetail.Document) (*record, error) {
	r := &record{doc: doc}
	if err := json.Unmarshal(doc.Data, &r.Record); err != nil {
		return nil, dovetail.UnreadableData(doc.ID, err)
	}
	return r, nil
}

// tag returns the value of a tag, nil if there is none.
func (r *record) tag(name string) (*value.Value, error) {
	if r == nil || r.Tags[name] == "" {
		return nil, nil
	}
	return value.ParseJSON([]byte(r.Tags[name]), value.Limits{})
}

// put returns the operation that writes the record, if it is what it was when it was read.
func (r *record) put() store.Operation {
	if r.doc == nil {
		return store.NewOperation(store.Create, r.ID(), r.Record)
	}
	return store.NewOperation(store.Put, r.doc.ID, r.Record).IfVersion(r.doc.ETag())
}

// without returns the operation that takes a tag from a stored record, and the record away if it has no other.
func (r *record) without(tag string) store.Operation {
	delete(r.Tags, tag)
	if len(r.Tags) == 0 && len(r.Members) == len(r.Key) {
		return r.delete()
	}
	return r.put()
}

func (r *record) delete() store.Operation {
	return store.Operation{Verb: store.Delete, ID: r.doc.ID}.IfVersion(r.doc.ETag())
}

// record returns the record at an address, an empty one if there is none.
func (d *database) record(ctx context.Context, a address) (*record, error) {
	doc, err := d.get(ctx, recordID(a))
	if err != nil {
		return nil, err
	}
	if doc != nil {
		return readRecord(doc)
	}
	return &record{Record: emco.Record{Collection: a.collection, Key: a.elements, Members: maps.Clone(a.elements), Tags: make(map[string]string)}}, nil
}

// recordsAt returns the records that an address selects.
func (d *database) recordsAt(ctx context.Context, a address) (all []*record, err error) {
	var fields selector.Fields
	for name, text := range a.elements {
		if text != "" {
			fields = fields.And(selector.Field([]string{"members", name}, text))
		}
	}
	for doc, err := range d.documents.Documents(ctx, store.ListQuery{Kind: emco.RecordKind, Fields: fields}) {
		if err != nil {
			return nil, err
		}
		r, err := readRecord(doc)
		if err != nil {
			return nil, err
		}
		if r.Collection == a.collection && (a.complete() || r.address().keyID() == a.keyID()) {
			all = append(all, r)
		}
	}
	return all, nil
}

// get returns a document, nil if there is none.
func (d *database) get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	doc, err := d.documents.Get(ctx, id)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return nil, nil
	}
	return doc, err
}
