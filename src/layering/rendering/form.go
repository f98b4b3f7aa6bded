package rendering

import "github.com/dovetail-store/dovetail/src/value"

// Form says how a document is written that is not written as schema, metadata and data.
type Form struct {
	Lists *ListKeys                            // beside those that the document names, if it is of ProfileKubernetes
	Path  func(path string) string             // translates a JSON Pointer in the document
	Whole func(data *value.Value) *value.Value // is the whole with rendered data; not of control documents
	// Metadata is the file where the metadata stands, empty if it is that of the data.
	Metadata string
}

// WithForm is a document that is shown in another form.
func (d *Document) WithForm(f *Form) *Document {
	c := *d
	c.form, c.lists = f, d.lists.over(f.Lists)
	return &c
}
