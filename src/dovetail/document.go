package dovetail

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Document is the stored state of one resource.
type Document struct {
	ID   ID
	Kind string // the kind's name in the ref-schema; of a dotted entry the second half

	// Data is the user's JSON object, compact, with members, lists and numbers as they were given.
	// It has no member "status".
	Data json.RawMessage
	// Content has the files that are stored beside the data, in the order in which they were given.
	Content []File
	// Status is a JSON object that services write and users read; empty when nothing was written.
	Status json.RawMessage
	// Inputs are the documents from which a service derived Status and Content: each id means that document and all its
	// descendants; AllOf means all documents of a kind. A principal that may not read all of them does not receive Status and Content.
	Inputs []ID

	// References are those found in Data by the rules of the ref-schema.
	References []Reference

	// Terms are the keys of the document in the indexes of its kind: derived from Data, opaque, sorted, and not part of
	// its JSON.
	Terms []string

	UID      string // new at each creation
	Revision uint64 // counts the writes since then, from 1
	Created  time.Time
	Updated  time.Time
	Schema   string // hash of the schema model that the last write was checked under
}

// File is one file part of a document.
type File struct {
	Name      string `json:"name"`               // which part, as the kind's `content` names it
	Filename  string `json:"filename,omitempty"` // as uploaded
	MediaType string `json:"mediaType,omitempty"`
	Data      []byte `json:"data"` // base64 in JSON
}

// Key returns the elements of the document's id.
func (d *Document) Key() Key { return d.ID.Key() }

// ETag returns the strong entity tag of this state of the document.
func (d *Document) ETag() ETag { return ETag{UID: d.UID, Revision: d.Revision} }

// Clone returns a deep copy of the document, nil for nil.
func (d *Document) Clone() *Document {
	if d == nil {
		return nil
	}
	c := *d
	c.Data, c.Status = slices.Clone(d.Data), slices.Clone(d.Status)
	c.References, c.Inputs, c.Terms = slices.Clone(d.References), slices.Clone(d.Inputs), slices.Clone(d.Terms)
	c.Content = slices.Clone(d.Content)
	for i := range c.Content {
		c.Content[i].Data = slices.Clone(c.Content[i].Data)
	}
	return &c
}

// ETag is the version of a document: uid and revision. Two documents with equal tags are equal.
type ETag struct {
	UID      string
	Revision uint64
}

// String gives the quoted form of HTTP, "uid-revision".
func (e ETag) String() string { return `"` + e.Version() + `"` }

// Version gives the form without quotes.
func (e ETag) Version() string { return e.UID + "-" + strconv.FormatUint(e.Revision, 10) }

// ParseETag parses the result of ETag.String or ETag.Version. The error has the code CodeInvalid.
func ParseETag(text string) (ETag, error) {
	version := text
	if len(text) >= 2 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
		version = text[1 : len(text)-1]
	}
	if cut := strings.LastIndexByte(version, '-'); cut > 0 && !strings.Contains(version, `"`) {
		revision, err := strconv.ParseUint(version[cut+1:], 10, 64)
		if err == nil && revision > 0 && version[cut+1] != '0' && version[cut+1] != '+' {
			return ETag{UID: version[:cut], Revision: revision}, nil
		}
	}
	return ETag{}, &Error{Code: CodeInvalid, Message: "invalid version " + quote(text),
		Remedy: "give the ETag of a read as it was answered, quotes included"}
}

// MarshalJSON writes the document with its bookkeeping and, derived from the id, key and keyId.
func (d *Document) MarshalJSON() ([]byte, error) {
	text, err := d.AppendJSON(make([]byte, 0, 512+len(d.Data)+len(d.Status)+128*len(d.References)))
	if err != nil {
		return nil, err
	}
	return text, nil
}

// UnmarshalJSON reads what MarshalJSON wrote; key and keyId are ignored in favour of the id.
func (d *Document) UnmarshalJSON(text []byte) error {
	var read Document
	if rest, ok := read.ReadJSON(text); ok && len(rest) == 0 {
		*d = read
		return nil
	}
	var j struct {
		ID         ID              `json:"id"`
		Kind       string          `json:"kind"`
		Key        json.RawMessage `json:"key"`
		Data       json.RawMessage `json:"data"`
		Content    []File          `json:"content"`
		Status     json.RawMessage `json:"status"`
		Inputs     []ID            `json:"inputs"`
		References []Reference     `json:"references"`
		UID        string          `json:"uid"`
		Revision   uint64          `json:"revision"`
		Created    time.Time       `json:"created"`
		Updated    time.Time       `json:"updated"`
		Schema     string          `json:"schema"`
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*d = Document{ID: j.ID, Kind: j.Kind, Data: j.Data, Content: j.Content, Status: j.Status, Inputs: j.Inputs, References: j.References,
		UID: j.UID, Revision: j.Revision, Created: j.Created, Updated: j.Updated, Schema: j.Schema}
	return nil
}

// allOf ends the ids that AllOf makes. No id of a document has it: a value of that name is escaped.
const allOf = "/*"

// AllOf stands, in Inputs, for all present and future documents of a kind, under any parent, and all documents
// below them.
func AllOf(kind string) ID { return ID(kind + allOf) }

// IsAllOf returns the kind that an id of AllOf stands for, and false for other ids.
func (id ID) IsAllOf() (kind string, ok bool) { return strings.CutSuffix(string(id), allOf) }
