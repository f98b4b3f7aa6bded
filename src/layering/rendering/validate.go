package rendering

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// dataSchema is what a DataSchema demands of the rendered data of documents whose schema is its name.
type dataSchema struct {
	rules *schema.JSONSchema
}

func (r *reader) dataSchema(d *Document, data decode.Field) {
	if d.Name != "" && !schemaName.MatchString(d.Name) {
		r.Root(d.Metadata().Get("name"), "", "/metadata/name").Fail("name it as the schema that it is for: namespace/Kind/v1",
			"a DataSchema has the name of a schema, which %s is not", short(d.Name))
	}
	if !data.As("the data of a DataSchema").IsMap() {
		return
	}
	rules, problems := r.schemas.Compile(data.Value)
	for _, p := range problems {
		r.Root(find(data.Value, p.Path), "", data.Path()+value.Pointer(p.Path...)).Fail(p.Remedy, "%s", p.Message)
	}
	d.dataSchema = &dataSchema{rules}
}

// find returns the value that a path leads to, or the root where it leads nowhere.
func find(root *value.Value, path []string) *value.Value {
	if place, ok := root.Find(value.Pointer(path...)); ok {
		return place
	}
	return root
}

// warnOfSchema tells which parts of a data schema check nothing.
func (s *Site) warnOfSchema(d *Document) {
	if d.dataSchema.rules == nil {
		return // refused when it was read
	}
	for _, p := range d.dataSchema.rules.Loose() {
		at := d.place(find(d.Data(), p.Path), append([]string{"data"}, p.Path...)...)
		s.warn(d.ID, ClassInvalidDocumentFormat, at, p.Remedy, "%s", p.Message)
	}
}

// validate checks the rendered data of a document against what its schema demands, and adds what is wrong.
func (s *Site) validate(n *node, faults *dovetail.Errors) {
	fail := func(path []string, remedy, message string) {
		if faults.Full() {
			faults.Count(1) // finding the place takes time
			return
		}
		at := n.place(find(n.data, path), append([]string{"data"}, path...)...)
		e := newFault(ClassInvalidDocumentFormat, n.ID, at, remedy, "%s", message)
		e.Err = subject{id: n.ID, data: true}
		faults.Add(e)
	}
	if isUtility(n.Schema) && n.data.Kind != value.String {
		fail(nil, "give the text as data", "the data of a "+n.Schema+" is a text, not a "+n.data.Kind.String())
	}
	for _, d := range s.dataSchemas[n.Schema] {
		if d.dataSchema.rules == nil {
			continue // refused when it was read
		}
		for _, v := range d.dataSchema.rules.Check(n.data) {
			fail(v.Path, "the DataSchema "+d.Name+" says what is allowed", v.Message)
		}
	}
}
