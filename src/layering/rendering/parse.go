package rendering

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
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
	return newReader(file).documents(values)
}

// Restore makes a document of a value that was accepted before, perhaps by an earlier version that had fewer rules; otherwise it
// is as Read.
func Restore(v *value.Value) (*Document, error) {
	r := newReader("")
	r.restores = true
	documents, err := r.documents([]*value.Value{v})
	if err != nil {
		return nil, err
	}
	return documents[0], nil
}

func (r *reader) documents(values []*value.Value) ([]*Document, error) {
	documents := make([]*Document, len(values))
	var foreign dovetail.Errors
	for i, v := range values {
		if v.Kind != value.Map {
			foreign.Add(notADocument(r.File, v))
			continue
		}
		documents[i] = r.document(v)
	}
	if err := foreign.Err("the documents are refused"); err != nil {
		return nil, err
	}
	r.Errors.Sort(func(a, b *dovetail.Error) int {
		return cmp.Or(a.Position.Line-b.Position.Line, a.Position.Column-b.Position.Column)
	})
	if err := r.Errors.Err("the documents are refused"); err != nil {
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
	objectSchema = regexp.MustCompile(`^[a-z0-9.-]+/[A-Za-z0-9]+/[a-z0-9]+$`)
	schemaName   = regexp.MustCompile(`^[A-Za-z]+/[A-Za-z]+/v[0-9]+(\.0)?$`)
	metadataName = regexp.MustCompile(`^metadata/(Document|Control)/v[0-9]+(\.0)?$`)
	metadataV1   = regexp.MustCompile(`^metadata/(Document|Control)/v1(\.0)?$`)
)

const controlPrefix = "metadata/Control/"

// encrypted refuses a document, or an object made one, that SOPS encrypted: what is encrypted is no text.
func encrypted(document decode.Field) {
	for _, f := range []decode.Field{document.Get("sops"), document.Get("data").Get("sops")} {
		if f.Value != nil && f.Value.Get("mac") != nil && f.Value.Get("lastmodified") != nil {
			f.Fail("decrypt it where the identity of age is: dovetail layering does, of files, with --age-key-file", "the document is encrypted with SOPS")
		}
	}
}

// document reads what all documents have in common and calls the method that reads the rest. It
// returns a document even if there are errors.
func (r *reader) document(v *value.Value) *Document {
	d := &Document{whole: v, file: r.File}
	d.Schema, _ = v.Get("schema").Str()
	metadata := v.Get("metadata")
	d.Name, _ = metadata.Get("name").Str()
	d.Layer, _ = metadata.At("layeringDefinition", "layer").Str()
	r.of = d
	document := r.Root(v, "the document", "")
	r.top(document)
	encrypted(document)
	named := schemaName
	if r.profile == ProfileKubernetes {
		named = objectSchema
	}
	if f := document.Get("schema"); !named.MatchString(f.Text()) && d.Schema != "" {
		f.Fail("write it as namespace/Kind/v1, letters only", "%s is no name of a schema", short(d.Schema))
	}
	if v.Get("data") == nil {
		document.Fail("add the member data; it may be an empty map", "the document has no data")
	}
	meta := document.Get("metadata")
	if !meta.IsMap() {
		return d
	}
	meta.Get("name").Text()
	f := meta.Get("schema")
	kind := f.Text()
	allowed := metadataName
	if r.profile == ProfileDeckhand {
		allowed = metadataV1
	}
	if kind != "" && !allowed.MatchString(kind) {
		f.FailChoice([]string{"metadata/Document/v1", "metadata/Control/v1"}, "write metadata/Document/v1, or metadata/Control/v1 of a control document", "%s is not a schema of metadata", short(kind))
	}
	d.Control = strings.HasPrefix(kind, controlPrefix)
	storagePolicy(d, meta.Get("storagePolicy"))
	r.metadata(d, meta)
	if d.Control {
		d.Abstract = flag(meta.Get("layeringDefinition").Get("abstract"))
		r.control(d, document.Get("data"))
		return d
	}
	r.application(d, meta)
	return d
}

// topMembers are the members of a document, with those that answers add.
var topMembers = []string{"schema", "metadata", "data", "status", "id"}

// top refuses members that are not known, in the profile of Deckhand only those that look like a known one.
func (r *reader) top(document decode.Field) {
	known := topMembers
	if r.profile == ProfileDeckhand {
		brokenPolicy(document, known)
		known = withOthers(known, document)
		if document.Kind() == value.Map && document.Value.Get("data") == nil {
			document.Value.Set("data", value.NewMap())
		}
	}
	document.Map(known...)
}

// withOthers are known members and all others of a map that look like none of them.
func withOthers(members []string, f decode.Field) []string {
	known := slices.Clone(members)
	for name := range f.All() {
		if !slices.ContainsFunc(members, func(member string) bool { return looksLike(name, member) }) {
			known = append(known, name)
		}
	}
	return known
}

// metadataMembers are the members of metadata.
var metadataMembers = []string{"schema", "name", "labels", "layeringDefinition", "substitutions", "storagePolicy", "replacement"}

// metadata refuses members that are not known: a misspelled one would change what the document means, and storagePolcy would leave
// a secret in plaintext. Control documents may have more members, but none that looks like a known one.
func (r *reader) metadata(d *Document, meta decode.Field) {
	if r.restores {
		return
	}
	for _, f := range meta.All() {
		misplacedPolicy(f)
	}
	known := metadataMembers
	if d.Control {
		brokenPolicy(meta, known)
		known = withOthers(known, meta)
	}
	meta.Map(known...)
	if r.profile != ProfileDeckhand {
		return
	}
	if !d.Control && meta.Value.Get("storagePolicy") == nil {
		meta.Get("storagePolicy").Fail("add it: cleartext or encrypted", "storagePolicy is missing")
	}
	for name, f := range meta.Get("labels").All() {
		if d.Control && f.Kind() != value.String {
			f.Fail("give a text", "the value of the label %s is a %s", short(name), f.Kind())
		}
	}
}

// looksLike reports whether a name is another one, perhaps with a slip of the fingers.
func looksLike(name, other string) bool {
	return suggest.Misspells(name, other) || strings.TrimRight(name, "0123456789") == other
}

// application reads what only application documents have.
func (r *reader) application(d *Document, metadata decode.Field) {
	switch d.Schema {
	case PolicySchema, DataSchemaSchema, ValidationPolicySchema:
		metadata.Get("schema").Fail("write metadata/Control/v1", "a %s is a control document", d.Schema)
		return
	}
	d.Replacement = flag(metadata.Get("replacement"))
	if r.profile != ProfileDeckhand && !r.restores {
		labels(metadata.Get("labels"))
	}
	d.object = r.profile == ProfileKubernetes
	r.layering(d, metadata.Get("layeringDefinition"))
	d.substitutions = r.substitutions(metadata.Get("substitutions"))
	d.patches = d.object || d.lists != nil || slices.ContainsFunc(d.actions, func(a action) bool { return a.key != "" })
	if data := d.Data(); d.patches && data != nil {
		directive, _ := directiveIn(data)
		d.directives = directive != nil
	}
}

// labels checks a map of labels: their values are texts, numbers or booleans.
func labels(f decode.Field) []value.Member {
	if f.IsMissing() || !f.IsMap() {
		return nil
	}
	for name, m := range f.All() {
		if m.Kind() != value.String && m.Kind() != value.Number && m.Kind() != value.Bool {
			m.Fail("give a text", "the value of the label %s is a %s", short(name), m.Kind())
		}
	}
	return f.Value.Members
}
