package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The problems of renderings that differ from what the other system answered.
const (
	OtherValue    = "other-value"    // of a rendered document
	OtherDocument = "other-document" // rendered here or there only
)

// name is what tells rendered documents apart.
type name struct{ schema, name string }

func (n name) String() string { return n.schema + " " + n.name }

// compare reports each value that a revision is rendered with otherwise than the other system answered, and where it comes from.
// Secrets are compared, but not shown.
func compare(number int, ours *rendering.Rendering, answered []*value.Value) (findings []store.Finding) {
	find := func(problem, format string, args ...any) {
		findings = append(findings, store.Finding{Problem: problem, Message: fmt.Sprintf("revision %d: ", number) + fmt.Sprintf(format, args...)})
	}
	theirs := make(map[name]*value.Value, len(answered))
	for _, d := range answered {
		schema, _ := d.Get("schema").Str()
		of, _ := d.At("metadata", "name").Str()
		theirs[name{schema, of}] = d
	}
	for _, d := range ours.Documents {
		of := name{d.Schema, d.Name}
		other := theirs[of]
		delete(theirs, of)
		if other == nil {
			find(OtherDocument, "%s is rendered here only", d.ID)
			continue
		}
		if !value.Equal(d.Metadata(), other.Get("metadata")) {
			find(OtherValue, "%s has other metadata", d.ID)
		}
		compareData(ours, d, other.Get("data"), func(format string, args ...any) { find(OtherValue, format, args...) })
	}
	for _, of := range slices.SortedFunc(maps.Keys(theirs), func(a, b name) int { return cmp.Or(cmp.Compare(a.schema, b.schema), cmp.Compare(a.name, b.name)) }) {
		find(OtherDocument, "%s is rendered there only", of)
	}
	return findings
}

func compareData(in *rendering.Rendering, d *rendering.Rendered, other *value.Value, find func(format string, args ...any)) {
	if other == nil {
		other = value.NullValue()
	}
	if value.Equal(d.Data(), other) {
		return
	}
	left := make(map[string]*value.Value)
	for _, leaf := range rendering.Leaves(other) {
		left[leaf.Path] = leaf.Value
	}
	show := func(here, there *value.Value) string {
		if d.Secret() {
			return "another there, which holds secrets"
		}
		return fmt.Sprintf("%s here and %s there", shown(here), shown(there))
	}
	origins := make(map[string]rendering.Origin)
	if explained, err := in.Explain(d.ID, ".", false); err == nil { // else it is a control document, which has its own data
		for _, e := range explained {
			origins[e.Path] = e.Origin
		}
	}
	for _, leaf := range rendering.Leaves(d.Data()) {
		there := left[leaf.Path]
		delete(left, leaf.Path)
		if !value.Equal(leaf.Value, there) {
			find("%s: %s is %s; here it is %s", d.ID, leaf.Path, show(leaf.Value, there), described(origins[leaf.Path]))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(left)) {
		find("%s: %s is %s; no document puts a value there", d.ID, path, show(nil, left[path]))
	}
}

func shown(v *value.Value) string {
	if v == nil {
		return "nothing"
	}
	return string(v.JSON())
}

// described says where a value comes from.
func described(o rendering.Origin) string {
	switch o.How {
	case "":
		return "its own"
	case "data":
		return "from the data of " + o.Document.String()
	case "substitute":
		text := fmt.Sprintf("from substitution %d of %s", o.Number, o.Document)
		if o.Source != nil {
			text += fmt.Sprintf(", which reads %s of %s", o.Source.Path, o.Source.Document)
		}
		return text
	}
	return fmt.Sprintf("from action %d (%s %s) of %s", o.Number, o.How, o.Path, o.Document)
}
