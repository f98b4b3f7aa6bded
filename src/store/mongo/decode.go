package mongo

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// headFields is the projection of heads.
var headFields = func() bson.D {
	var d bson.D
	for _, prefix := range []string{"", "mark.next.", "mark.prev."} {
		for _, name := range []string{fieldKind, fieldUID, fieldRevision, fieldReferences, fieldTerms} {
			d = append(d, bson.E{Key: prefix + name, Value: 1})
		}
	}
	for _, name := range []string{fieldRefs, fieldTxn, fieldOrigin, fieldChanged, fieldCreatedStamp, fieldCommitted, fieldProvenance,
		fieldGone, fieldErased, fieldRewritten, fieldMoved, clockNow, "mark.txn", "mark.op", "mark.multi", "mark.keep", "mark.shut", "mark.implicit", "mark.targets", "mark.before", "mark." + fieldProvenance} {
		d = append(d, bson.E{Key: name, Value: 1})
	}
	for _, name := range []string{fieldID, fieldTxn, fieldOrigin, fieldChanged, fieldCreatedStamp, fieldCommitted, fieldProvenance, fieldMoved} {
		d = append(d, bson.E{Key: "mark.prev." + name, Value: 1})
	}
	return d
}()

// decodeRecord decodes a stored record, or the head of one. A field of an unexpected type is CodeCorrupt.
func decodeRecord(raw bson.Raw) (*protocol.Record, error) {
	r := &protocol.Record{}
	d := decoder{doc: &dovetail.Document{}}
	d.each(bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw}, func(name string, v bson.RawValue) {
		switch name {
		case fieldID:
			r.ID = dovetail.ID(d.text(v))
		case fieldRefs:
			r.Strong = d.ids(v)
		case fieldWeak:
			r.Weak = d.ids(v)
		case fieldTxn:
			r.Txn = d.text(v)
		case fieldOrigin:
			r.Origin = d.text(v)
		case fieldChanged:
			r.Stamp = d.stamp(v)
		case fieldCreatedStamp:
			r.Created = d.stamp(v)
		case fieldCommitted:
			r.Since = d.stamp(v)
		case fieldProvenance:
			r.By = d.provenance(v)
		case fieldGone:
			r.Gone = d.flag(v)
		case fieldErased:
			r.Erased = d.flag(v)
		case fieldRewritten:
			r.Rewritten = d.text(v)
		case fieldMoved:
			r.Moved = d.flag(v)
		case fieldIntent:
			r.Intent = d.intent(v)
		default:
			d.member(name, v)
		}
	})
	if d.found {
		d.finish()
		d.doc.ID = r.ID
		r.Doc = d.doc
		if r.Intent != nil && r.Intent.Next != nil {
			r.Intent.Next.ID = r.ID
		}
	}
	if d.err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Key: r.ID, Message: "the stored document " + string(r.ID) + " cannot be read",
			Remedy: "restore it from an export", Err: d.err}
	}
	return r, nil
}

// decodeVersion decodes a version, or the head of one.
func decodeVersion(raw bson.Raw) (*protocol.Record, error) {
	v, err := decodeRecord(raw)
	if err != nil {
		return nil, err
	}
	id := protocol.VersionID(string(v.ID))
	if v.Doc == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Key: id, Message: "a version of " + string(id) + " cannot be read"}
	}
	v.ID, v.Doc.ID = id, id
	return v, nil
}

// decoder collects the fields of a document.
type decoder struct {
	doc                        *dovetail.Document
	found                      bool // fields of a document were found
	data, status               bson.RawValue
	createdNanos, updatedNanos time.Duration
	err                        error
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// need records an error if a value has an unexpected type.
func (d *decoder) need(ok bool, v bson.RawValue) {
	if !ok {
		d.fail(corrupt("a member is of type " + v.Type.String()))
	}
}

func (d *decoder) text(v bson.RawValue) string {
	text, ok := v.StringValueOK()
	d.need(ok, v)
	return text
}

func (d *decoder) number(v bson.RawValue) int64 {
	n, ok := v.AsInt64OK()
	d.need(ok, v)
	return n
}

func (d *decoder) flag(v bson.RawValue) bool {
	on, ok := v.BooleanOK()
	d.need(ok, v)
	return on
}

func (d *decoder) time(v bson.RawValue) time.Time {
	t, ok := v.TimeOK()
	d.need(ok, v)
	return t.UTC()
}

func (d *decoder) stamp(v bson.RawValue) protocol.Stamp {
	t, i, ok := v.TimestampOK()
	d.need(ok, v)
	return protocol.Stamp{Seconds: t, Count: i}
}

func (d *decoder) bytes(v bson.RawValue) []byte {
	_, data, ok := v.BinaryOK()
	d.need(ok, v)
	return append([]byte{}, data...)
}

// each calls f for the fields of a document, or the items of an array.
func (d *decoder) each(v bson.RawValue, f func(name string, v bson.RawValue)) {
	if v.Type != bson.TypeEmbeddedDocument && v.Type != bson.TypeArray {
		d.need(false, v)
		return
	}
	if err := bson.Raw(v.Value).Validate(); err != nil {
		d.fail(err)
		return
	}
	for element, err := range elementsOf(v.Value) {
		if err != nil {
			d.fail(err)
			return
		}
		f(element.Key(), valueOf(element))
	}
}

// member decodes one field of a document's body. Unknown fields are ignored.
func (d *decoder) member(name string, v bson.RawValue) {
	switch name {
	case fieldUID:
		d.doc.UID, d.found = d.text(v), true
	case fieldKind:
		d.doc.Kind = d.text(v)
	case fieldRevision:
		d.doc.Revision = uint64(d.number(v))
	case fieldSchema:
		d.doc.Schema = d.text(v)
	case fieldCreated:
		d.doc.Created = d.time(v)
	case fieldUpdated:
		d.doc.Updated = d.time(v)
	case fieldNanos:
		d.each(v, func(name string, v bson.RawValue) {
			if n := time.Duration(d.number(v)); name == fieldCreated {
				d.createdNanos = n
			} else {
				d.updatedNanos = n
			}
		})
	case fieldData:
		d.data = v
	case fieldStatus:
		d.status = v
	case fieldExact:
		d.each(v, func(name string, v bson.RawValue) {
			if text := d.exact(v); name == fieldData {
				d.doc.Data = text
			} else {
				d.doc.Status = text
			}
		})
	case fieldTerms:
		d.doc.Terms = d.terms(v)
	case fieldInputs:
		d.doc.Inputs = d.ids(v)
	case fieldReferences:
		d.each(v, func(_ string, v bson.RawValue) { d.doc.References = append(d.doc.References, d.reference(v)) })
	case fieldContent:
		d.each(v, func(_ string, v bson.RawValue) { d.doc.Content = append(d.doc.Content, d.file(v)) })
	}
}

func (d *decoder) exact(v bson.RawValue) []byte {
	if v.Type == bson.TypeBinary {
		return d.bytes(v)
	}
	return []byte(d.text(v))
}

// finish sets what depends on several fields.
func (d *decoder) finish() {
	if d.doc.Data == nil && !d.data.IsZero() {
		text, err := fromBSON(d.data)
		d.doc.Data = text
		if err != nil {
			d.fail(err)
		}
	}
	if d.doc.Status == nil && !d.status.IsZero() {
		text, err := fromBSON(d.status)
		d.doc.Status = text
		if err != nil {
			d.fail(err)
		}
	}
	d.doc.Created = d.doc.Created.Add(d.createdNanos)
	d.doc.Updated = d.doc.Updated.Add(d.updatedNanos)
}

func (d *decoder) ids(v bson.RawValue) []dovetail.ID {
	var ids []dovetail.ID
	d.each(v, func(_ string, v bson.RawValue) { ids = append(ids, dovetail.ID(d.text(v))) })
	return ids
}

func (d *decoder) reference(v bson.RawValue) dovetail.Reference {
	var r dovetail.Reference
	d.each(v, func(name string, v bson.RawValue) {
		switch name {
		case "id":
			r.ID = dovetail.ID(d.text(v))
		case "kind":
			r.Kind = d.text(v)
		case "weak":
			r.Weak = d.flag(v)
		case "cascade":
			r.Cascade = d.flag(v)
		}
	})
	return r
}

func (d *decoder) file(v bson.RawValue) dovetail.File {
	var f dovetail.File
	d.each(v, func(name string, v bson.RawValue) {
		switch name {
		case "name":
			f.Name = d.text(v)
		case "filename":
			f.Filename = d.text(v)
		case "mediaType":
			f.MediaType = d.text(v)
		case "filecontent":
			f.Data = d.bytes(v)
		}
	})
	return f
}

func (d *decoder) provenance(v bson.RawValue) store.Provenance {
	var by store.Provenance
	d.each(v, func(name string, v bson.RawValue) {
		switch name {
		case "principal":
			by.Principal = d.text(v)
		case "message":
			by.Message = d.text(v)
		case "origin":
			by.Origin = d.text(v)
		}
	})
	return by
}

func (d *decoder) intent(v bson.RawValue) *protocol.Intent {
	m := &protocol.Intent{}
	d.each(v, func(name string, v bson.RawValue) {
		switch name {
		case "txn":
			m.Txn = d.text(v)
		case "op":
			m.Op = protocol.Op(d.text(v))
		case "multi":
			m.Multi = d.flag(v)
		case "keep":
			m.LockOnly = d.flag(v)
		case "shut":
			m.Exclusive = d.flag(v)
		case "implicit":
			m.Implicit = d.flag(v)
		case "targets":
			m.Targets = d.ids(v)
		case "before":
			m.Before = d.time(v)
		case "at":
			m.At = d.time(v)
		case fieldProvenance:
			m.By = d.provenance(v)
		case "prev":
			prev, err := decodeVersion(bson.Raw(v.Value))
			if err != nil {
				d.fail(err)
				return
			}
			prev.Strong, prev.Weak = protocol.Links(prev.Doc.References)
			m.Prev = prev
		case "next":
			next := decoder{doc: &dovetail.Document{}}
			next.each(v, next.member)
			next.finish()
			m.Next = next.doc
			if next.err != nil {
				d.fail(next.err)
			}
		}
	})
	return m
}
