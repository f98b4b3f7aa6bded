package rendering

import (
	"cmp"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// ID tells documents apart: no two of a site have the same.
type ID struct {
	Schema string `json:"schema"`          // as "example/Kind/v1"
	Name   string `json:"name"`            // metadata.name
	Layer  string `json:"layer,omitempty"` // metadata.layeringDefinition.layer; control documents have none
}

// String names the document in messages: "example/Kind/v1 site-1 in site".
func (id ID) String() string {
	if id.Layer == "" {
		return id.Schema + " " + id.Name
	}
	return id.Schema + " " + id.Name + " in " + id.Layer
}

func (id ID) compare(other ID) int {
	return cmp.Or(strings.Compare(id.Schema, other.Schema), strings.Compare(id.Name, other.Name), strings.Compare(id.Layer, other.Layer))
}

// The schemas of the control documents.
const (
	PolicySchema           = "deckhand/LayeringPolicy/v1"
	DataSchemaSchema       = "deckhand/DataSchema/v1"
	ValidationPolicySchema = "deckhand/ValidationPolicy/v1"
)

// Document is one document as it was read. It does not change any more, so that any number of
// goroutines and sites may use it.
type Document struct {
	ID
	Control     bool // metadata.schema is metadata/Control/v1: it steers, and takes no part in layering
	Abstract    bool // it is only inherited from
	Replacement bool // it takes the place of its parent
	Encrypted   bool // its data is a secret: storagePolicy is encrypted

	whole         *value.Value
	file          string
	selector      []value.Member
	actions       []action
	substitutions []substitution
	object        bool        // made of a Kubernetes object
	patches       bool        // its data may say how parts of it are merged: it is made of an object, or names keys of lists
	directives    bool        // its data does say so
	lists         *ListKeys   // that are merged item by item, beside those of actions
	form          *Form       // nil for a document as it is
	policy        *policy     // of a LayeringPolicy
	dataSchema    *dataSchema // of a DataSchema
}

// Value is the whole document as it was read, members that this package does not know included. It
// must not be changed.
func (d *Document) Value() *value.Value { return d.whole }

// Trimmed is the document with its schema, metadata and data only: without what answers add to it.
func (d *Document) Trimmed() *Document {
	kept := value.NewMap()
	for _, m := range d.whole.Members {
		if m.Name == "schema" || m.Name == "metadata" || m.Name == "data" {
			kept.Members = append(kept.Members, m)
		}
	}
	if len(kept.Members) == len(d.whole.Members) {
		return d
	}
	trimmed := *d
	trimmed.whole = kept
	return &trimmed
}

// Metadata is the document's metadata.
func (d *Document) Metadata() *value.Value { return d.whole.Get("metadata") }

// Data is the document's own data, before rendering. It may be null.
func (d *Document) Data() *value.Value { return d.whole.Get("data") }

// Labels are the document's labels, nil when it has none.
func (d *Document) Labels() *value.Value { return d.Metadata().Get("labels") }

// Position is where the document was read: file, line and column as far as they are known.
func (d *Document) Position() dovetail.Position { return d.place(d.whole) }

// place is the position of a value of the document that the path leads to.
func (d *Document) place(v *value.Value, path ...string) dovetail.Position {
	apart := d.form != nil && d.form.Metadata != "" && (v == nil && len(path) > 0 && path[0] == "metadata" || v != nil && contains(d.Metadata(), v))
	switch {
	case v == nil && apart:
		v = d.Metadata()
	case v == nil:
		v = d.whole
	}
	at := v.Position()
	if at.File, at.Path = d.file, value.Pointer(path...); apart {
		at.File = d.form.Metadata
	}
	if d.form != nil && at.Path != "" {
		at.Path = d.form.Path(at.Path)
	}
	return at
}

// contains reports whether a value is another one or in it.
func contains(v, part *value.Value) bool {
	return search(v, nil, func(_ []string, in *value.Value) bool { return in == part })
}

// selects reports whether the labels have all that the document's parent selector asks for.
func (d *Document) selects(labels *value.Value) bool {
	for _, m := range d.selector {
		if !value.Equal(labels.Get(m.Name), m.Value) {
			return false
		}
	}
	return true
}

// isUtility reports whether documents of the schema hold one text each.
func isUtility(schema string) bool {
	switch schema {
	case "deckhand/Certificate/v1", "deckhand/CertificateAuthority/v1", "deckhand/CertificateAuthorityKey/v1",
		"deckhand/CertificateKey/v1", "deckhand/Passphrase/v1", "deckhand/PrivateKey/v1", "deckhand/PublicKey/v1":
		return true
	}
	return false
}
