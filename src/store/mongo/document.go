package mongo

import (
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// The fields of a stored document. Key elements are stored beside them as separate fields, for ad-hoc queries, unless the name is
// taken. Dovetail reads keys only from _id.
const (
	fieldID         = "_id"
	fieldKeyID      = "keyId"
	fieldKind       = "kind"
	fieldData       = "data"
	fieldStatus     = "status"
	fieldExact      = "exact" // the texts of data and status that their BSON does not reproduce
	fieldInputs     = "statusInputs"
	fieldContent    = "content"
	fieldReferences = "references"
	fieldUID        = "uid"
	fieldRevision   = "revision"
	fieldCreated    = "created"
	fieldUpdated    = "updated"
	fieldNanos      = "nanos" // the part of the two times below a millisecond
	fieldSchema     = "schema"
	fieldTerms      = "terms" // for the index; see terms.go

	fieldRefs         = "refs" // the ids of references, for the index; see protocol.Record.Strong
	fieldWeak         = "weak"
	fieldTxn          = "txn"
	fieldOrigin       = "origin"
	fieldChanged      = "changed"
	fieldCreatedStamp = "born"
	fieldCommitted    = "committed" // protocol.Record.Since
	fieldProvenance   = "provenance"
	fieldIntent       = "mark"
	fieldGone         = "gone"
	fieldErased       = "erased"
	fieldRewritten    = "rewritten"
	fieldMoved        = "moved"
)

// body are the fields of a document that an update replaces.
var body = []string{fieldKind, fieldData, fieldStatus, fieldExact, fieldInputs, fieldContent, fieldReferences,
	fieldUID, fieldRevision, fieldCreated, fieldUpdated, fieldNanos, fieldSchema, fieldTerms}

var reserved = func() map[string]bool {
	names := map[string]bool{fieldID: true, fieldKeyID: true, fieldRefs: true, fieldWeak: true, fieldTxn: true,
		fieldOrigin: true, fieldChanged: true, fieldCreatedStamp: true, fieldIntent: true,
		fieldCommitted: true, fieldProvenance: true, fieldGone: true, fieldErased: true, fieldRewritten: true, fieldMoved: true}
	for _, name := range body {
		names[name] = true
	}
	return names
}()

// maxStored is the maximum size of an encoded document: servers accept 16 MiB, and the rest is for intents. A document that a
// multi-document transaction replaces is stored in one record with its successor until the transaction is resolved, so the limit
// of the server applies to both together.
const maxStored = 16<<20 - 64<<10

// maxDuplicated is the maximum size of JSON that is stored both as text and as BSON.
const maxDuplicated = 4 << 20

// encodeRecord returns a record as it is inserted.
func encodeRecord(r *protocol.Record) (bson.Raw, error) {
	d := bson.D{{Key: fieldID, Value: string(r.ID)}}
	if r.Doc != nil {
		key := r.ID.Key()
		for _, e := range key {
			if !reserved[e.Name] {
				d = append(d, bson.E{Key: e.Name, Value: e.Value})
			}
		}
		d = append(d, bson.E{Key: fieldKeyID, Value: key.KeyID()})
		d = append(d, encodeBody(r.Doc)...)
	}
	raw, err := marshal(r, d)
	if err == nil && len(raw) > maxStored {
		return nil, tooLarge(r.ID, len(raw))
	}
	return raw, err
}

// encodeVersion returns a version as it is inserted. It is hardly larger than its record, so it fits.
func encodeVersion(r *protocol.Record) (bson.Raw, error) { return marshal(r, versionMembers(r)) }

// versionMembers returns the fields of a version except its provenance and links.
func versionMembers(r *protocol.Record) bson.D {
	d := append(bson.D{{Key: fieldID, Value: protocol.VersionKey(r)}}, encodeBody(r.Doc)...)
	for _, text := range []struct{ field, value string }{{fieldTxn, r.Txn}, {fieldOrigin, r.Origin}} {
		if text.value != "" {
			d = append(d, bson.E{Key: text.field, Value: text.value})
		}
	}
	for _, stamp := range []struct {
		field string
		value protocol.Stamp
	}{{fieldChanged, r.Stamp}, {fieldCreatedStamp, r.Created}, {fieldCommitted, r.Since}} {
		if !stamp.value.IsZero() {
			d = append(d, bson.E{Key: stamp.field, Value: timestamp(stamp.value)})
		}
	}
	for _, flag := range []struct {
		field string
		on    bool
	}{{fieldGone, r.Gone}, {fieldMoved, r.Moved}} {
		if flag.on {
			d = append(d, bson.E{Key: flag.field, Value: true})
		}
	}
	return d
}

// marshal adds the fields that records and versions share.
func marshal(r *protocol.Record, d bson.D) (bson.Raw, error) {
	d = appendProvenance(d, r.By)
	if len(r.Strong) > 0 {
		d = append(d, bson.E{Key: fieldRefs, Value: r.Strong})
	}
	if len(r.Weak) > 0 {
		d = append(d, bson.E{Key: fieldWeak, Value: r.Weak})
	}
	if r.Intent != nil {
		d = append(d, bson.E{Key: fieldIntent, Value: encodeIntent(r.Intent)})
	}
	raw, err := bson.Marshal(d)
	if err != nil {
		return nil, internal(err)
	}
	return raw, nil
}

// appendProvenance adds the provenance of a transaction, if there is one.
func appendProvenance(d bson.D, by store.Provenance) bson.D {
	if by == (store.Provenance{}) {
		return d
	}
	var members bson.D
	for _, member := range []struct{ name, text string }{{"principal", by.Principal}, {"message", by.Message}, {"origin", by.Origin}} {
		if member.text != "" {
			members = append(members, bson.E{Key: member.name, Value: member.text})
		}
	}
	return append(d, bson.E{Key: fieldProvenance, Value: members})
}

// encodeBody returns the fields of a document that are set; body lists all that there may be.
func encodeBody(doc *dovetail.Document) bson.D {
	d := bson.D{{Key: fieldKind, Value: doc.Kind}}
	exact := bson.D{}
	for _, part := range []struct {
		field string
		text  []byte
	}{{fieldData, doc.Data}, {fieldStatus, doc.Status}} {
		if len(part.text) == 0 {
			continue
		}
		v, same := toBSON(part.text)
		if same || !v.IsZero() && len(part.text) < maxDuplicated {
			d = append(d, bson.E{Key: part.field, Value: v})
		}
		if !same {
			exact = append(exact, bson.E{Key: part.field, Value: encodeText(part.text)})
		}
	}
	if len(exact) > 0 {
		d = append(d, bson.E{Key: fieldExact, Value: exact})
	}
	if len(doc.Inputs) > 0 {
		d = append(d, bson.E{Key: fieldInputs, Value: doc.Inputs})
	}
	if len(doc.Content) > 0 {
		d = append(d, bson.E{Key: fieldContent, Value: encodeContent(doc.Content)})
	}
	if len(doc.References) > 0 {
		d = append(d, bson.E{Key: fieldReferences, Value: encodeReferences(doc.References)})
	}
	d = append(d,
		bson.E{Key: fieldUID, Value: doc.UID},
		bson.E{Key: fieldRevision, Value: int64(doc.Revision)},
		bson.E{Key: fieldCreated, Value: doc.Created},
		bson.E{Key: fieldUpdated, Value: doc.Updated})
	if created, updated := nanos(doc.Created), nanos(doc.Updated); created|updated != 0 {
		d = append(d, bson.E{Key: fieldNanos, Value: bson.D{{Key: fieldCreated, Value: created}, {Key: fieldUpdated, Value: updated}}})
	}
	if doc.Schema != "" {
		d = append(d, bson.E{Key: fieldSchema, Value: doc.Schema})
	}
	if len(doc.Terms) > 0 {
		d = append(d, bson.E{Key: fieldTerms, Value: doc.Terms})
	}
	return d
}

// nanos returns the part of a time below the milliseconds of a BSON date.
func nanos(t time.Time) int32 { return int32(t.Nanosecond() % int(time.Millisecond)) }

// encodeText preserves a text exactly: as a string if possible.
func encodeText(text []byte) any {
	if storable(text) {
		return string(text)
	}
	return bson.Binary{Data: text}
}

// encodeContent preserves the order of files. The older system also calls the field filecontent.
func encodeContent(files []dovetail.File) bson.A {
	all := make(bson.A, len(files))
	for i, f := range files {
		all[i] = bson.D{{Key: "name", Value: f.Name}, {Key: "filename", Value: f.Filename}, {Key: "mediaType", Value: f.MediaType},
			{Key: "filecontent", Value: bson.Binary{Data: f.Data}}}
	}
	return all
}

// encodeReferences encodes the list without intermediate values: most documents have several references with several elements.
func encodeReferences(references []dovetail.Reference) bson.RawValue {
	at, list := bsoncore.AppendArrayStart(make([]byte, 0, 256*len(references)))
	for i, r := range references {
		var one, elements int32
		key := r.ID.Key()
		one, list = bsoncore.AppendDocumentElementStart(list, strconv.Itoa(i))
		list = bsoncore.AppendStringElement(list, "id", string(r.ID))
		list = bsoncore.AppendStringElement(list, "kind", r.Kind)
		list = bsoncore.AppendStringElement(list, "keyid", key.KeyID())
		elements, list = bsoncore.AppendDocumentElementStart(list, "key")
		for _, e := range key {
			list = bsoncore.AppendStringElement(list, e.Name, e.Value)
		}
		list = end(list, elements)
		if r.Weak {
			list = bsoncore.AppendBooleanElement(list, "weak", true)
		}
		if r.Cascade {
			list = bsoncore.AppendBooleanElement(list, "cascade", true)
		}
		list = end(list, one)
	}
	return bson.RawValue{Type: bson.TypeArray, Value: end(list, at)}
}

func encodeIntent(m *protocol.Intent) bson.D {
	d := bson.D{{Key: "txn", Value: m.Txn}, {Key: "op", Value: string(m.Op)}, {Key: "at", Value: m.At}}
	for _, flag := range []struct {
		name string
		on   bool
	}{{"multi", m.Multi}, {"keep", m.LockOnly}, {"shut", m.Exclusive}} {
		if flag.on {
			d = append(d, bson.E{Key: flag.name, Value: true})
		}
	}
	if m.Implicit {
		d = append(d, bson.E{Key: "implicit", Value: true}, bson.E{Key: "targets", Value: m.Targets})
		if !m.Before.IsZero() {
			d = append(d, bson.E{Key: "before", Value: m.Before})
		}
	}
	if m.Next != nil {
		d = append(d, bson.E{Key: "next", Value: encodeBody(m.Next)})
	}
	if m.Prev != nil { // its links follow from its references
		d = append(d, bson.E{Key: "prev", Value: appendProvenance(versionMembers(m.Prev), m.Prev.By)})
	}
	return appendProvenance(d, m.By)
}
