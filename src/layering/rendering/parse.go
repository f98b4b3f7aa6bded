package rendering

import (
	"cmp"
	"regexp"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Parse reads a stream of YAML documents; empty ones are skipped. file is the name that errors show;
// it may be "". text is not kept.
//
// What is no YAML, and a document that is no map, is an error without class. All else that is wrong
// with the format of any document is reported together, with file, line, column and path, as
// ClassInvalidDocumentFormat.
func Parse(file string, text []byte) ([]*Document, error) {
	values, err := yaml.Parse(file, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	return Read(file, values)
}

// Read makes documents of values, which it keeps; otherwise it is as Parse.
func Read(file string, values []*value.Value) ([]*Document, error) {
	r := reader{file: file, patterns: make(map[string]*pattern)}
	documents := make([]*Document, len(values))
	var foreign dovetail.Errors
	for i, v := range values {
		if v.Kind != value.Map {
			foreign.Add(notADocument(file, v))
			continue
		}
		documents[i] = r.document(v)
	}
	if err := foreign.Err("the documents are refused"); err != nil {
		return nil, err
	}
	r.faults.Sort(func(a, b *dovetail.Error) int {
		return cmp.Or(a.Position.Line-b.Position.Line, a.Position.Column-b.Position.Column)
	})
	if err := r.faults.Err("the documents are refused"); err != nil {
		return nil, err
	}
	return documents, nil
}

// New makes one document of a value that was read before, which it keeps; otherwise it is as Parse.
func New(file string, v *value.Value) (*Document, error) {
	documents, err := Read(file, []*value.Value{v})
	if err != nil {
		return nil, err
	}
	return documents[0], nil
}

func notADocument(file string, v *value.Value) *dovetail.Error {
	at := v.Position()
	at.File = file
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: "a document is a map, not a " + v.Kind.String(),
		Remedy: "give each document as a map with schema, metadata and data"}
}

var (
	schemaName   = regexp.MustCompile(`^[A-Za-z]+/[A-Za-z]+/v[0-9]+(\.0)?$`)
	metadataName = regexp.MustCompile(`^metadata/(Document|Control)/v[0-9]+(\.0)?$`)
)

const controlPrefix = "metadata/Control/"

// document reads what all documents have in common and calls the method that reads the rest. It
// returns a document even if there are errors.
func (r *reader) document(v *value.Value) *Document {
	d := &Document{whole: v, file: r.file}
	d.Schema, _ = v.Get("schema").Str()
	metadata := v.Get("metadata")
	d.Name, _ = metadata.Get("name").Str()
	d.Layer, _ = metadata.At("layeringDefinition", "layer").Str()
	r.of = d
	r.known(v, nil, "schema", "metadata", "data", "status", "id")
	if text, ok := r.text(v, nil, "schema"); ok && !schemaName.MatchString(text) {
		r.fail(v.Get("schema"), []string{"schema"}, "write it as namespace/Kind/v1, letters only",
			"%s is no name of a schema", short(text))
	}
	if v.Get("data") == nil {
		r.fail(v, nil, "add the member data; it may be an empty map", "the document has no data")
	}
	if metadata == nil || metadata.Kind != value.Map {
		r.fail(metadata, []string{"metadata"}, "give a map with schema and name", "the document has no metadata")
		return d
	}
	r.text(metadata, inMetadata, "name")
	kind, ok := r.text(metadata, inMetadata, "schema")
	if ok && !metadataName.MatchString(kind) {
		r.fail(metadata.Get("schema"), []string{"metadata", "schema"}, "write metadata/Document/v1, or metadata/Control/v1 of a control document",
			"%s is not a schema of metadata", short(kind))
	}
	r.storagePolicy(d, metadata)
	if d.Control = len(kind) > len(controlPrefix) && kind[:len(controlPrefix)] == controlPrefix; d.Control {
		d.Abstract = r.flag(metadata.Get("layeringDefinition"), []string{"metadata", "layeringDefinition"}, "abstract")
		r.control(d)
		return d
	}
	r.application(d, metadata)
	return d
}

var inMetadata = []string{"metadata"}

// storagePolicy reads how the data is kept. Documents that do not say it are kept in clear text.
func (r *reader) storagePolicy(d *Document, metadata *value.Value) {
	v := metadata.Get("storagePolicy")
	if v == nil {
		return
	}
	text, _ := v.Str()
	d.Encrypted = text == "encrypted"
	if !d.Encrypted && text != "cleartext" {
		r.fail(v, []string{"metadata", "storagePolicy"}, "write cleartext or encrypted", "there is no storage policy %s", show(v))
	}
}

// application reads what only application documents have.
func (r *reader) application(d *Document, metadata *value.Value) {
	switch d.Schema {
	case PolicySchema, DataSchemaSchema, ValidationPolicySchema:
		r.fail(metadata.Get("schema"), []string{"metadata", "schema"}, "write metadata/Control/v1", "a %s is a control document", d.Schema)
		return
	}
	d.Replacement = r.flag(metadata, inMetadata, "replacement")
	r.labels(metadata.Get("labels"), []string{"metadata", "labels"})
	r.layering(d, metadata.Get("layeringDefinition"))
	if list := metadata.Get("substitutions"); list != nil && list.Kind != value.Null {
		d.substitutions = r.substitutions(list)
	}
}

// labels checks a map of labels: their values are texts, numbers or booleans.
func (r *reader) labels(v *value.Value, at []string) []value.Member {
	if v == nil || v.Kind == value.Null {
		return nil
	}
	if v.Kind != value.Map {
		r.fail(v, at, "give a map of names and values", "this must be a map of labels, not a %s", v.Kind)
		return nil
	}
	for _, m := range v.Members {
		if m.Value.Kind != value.String && m.Value.Kind != value.Number && m.Value.Kind != value.Bool {
			r.fail(m.Value, below(at, m.Name), "give a text", "the value of the label %s is a %s", short(m.Name), m.Value.Kind)
		}
	}
	return v.Members
}
