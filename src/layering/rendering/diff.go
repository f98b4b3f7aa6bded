package rendering

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// Change is the kind of difference of a document.
type Change string

// The changes.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
)

// Difference is a document that is not the same in two renderings.
type Difference struct {
	Document ID                `json:"document"` // the new one, except for Removed: the old one
	Change   Change            `json:"change"`
	Values   []ValueDifference `json:"values,omitempty"` // of Changed
}

// ValueDifference is a value that is not the same.
type ValueDifference struct {
	Path string       `json:"path"`          // JSON Pointer in the document, as "/data/a/0", or in its form
	Old  *value.Value `json:"old,omitempty"` // nil if there is nothing
	New  *value.Value `json:"new,omitempty"` // nil if there is nothing
}

// Diff compares rendered documents, data and metadata, in the order of schema, name and layer. A
// document is the same when schema and name are; when one of them has several layers, the layer must
// be too. Secrets are compared, but not shown. The order of members does not count.
func Diff(from, to *Rendering) []Difference { return diff(from, to, (*Rendered).Data) }

// DiffRedacted is Diff for a user who must not learn whether a secret is equal to a known value: secrets are compared in
// their redacted form.
func DiffRedacted(from, to *Rendering) []Difference { return diff(from, to, (*Rendered).Redacted) }

func diff(from, to *Rendering, data func(*Rendered) *value.Value) []Difference {
	before, after := byName(from), byName(to)
	var all []Difference
	for _, pair := range pairs(before, after) {
		switch {
		case pair.from == nil:
			all = append(all, Difference{Document: pair.to.ID, Change: Added})
		case pair.to == nil:
			all = append(all, Difference{Document: pair.from.ID, Change: Removed})
		default:
			c := comparison{pair: pair}
			c.compare([]string{"metadata"}, pair.from.Metadata(), pair.to.Metadata())
			c.compare([]string{"data"}, data(pair.from), data(pair.to))
			if len(c.values) > 0 {
				all = append(all, Difference{Document: pair.to.ID, Change: Changed, Values: c.values})
			}
		}
	}
	slices.SortFunc(all, func(a, b Difference) int { return a.Document.compare(b.Document) })
	return all
}

func byName(r *Rendering) map[string][]*Rendered {
	all := make(map[string][]*Rendered, len(r.Documents))
	for _, d := range r.Documents {
		all[key(d.Schema, d.Name)] = append(all[key(d.Schema, d.Name)], d)
	}
	return all
}

// documentPair is what a document was and is; one of them may be nil.
type documentPair struct{ from, to *Rendered }

func pairs(before, after map[string][]*Rendered) []documentPair {
	var all []documentPair
	for key, olds := range before {
		news := after[key]
		if len(olds) == 1 && len(news) == 1 {
			all = append(all, documentPair{olds[0], news[0]})
			continue
		}
		for _, old := range olds {
			all = append(all, documentPair{old, inLayer(news, old.Layer)})
		}
		for _, d := range news {
			if inLayer(olds, d.Layer) == nil {
				all = append(all, documentPair{nil, d})
			}
		}
	}
	for key, news := range after {
		if len(before[key]) == 0 {
			for _, d := range news {
				all = append(all, documentPair{nil, d})
			}
		}
	}
	return all
}

func inLayer(documents []*Rendered, layer string) *Rendered {
	for _, d := range documents {
		if d.Layer == layer {
			return d
		}
	}
	return nil
}

// comparison collects how two documents differ.
type comparison struct {
	pair   documentPair
	values []ValueDifference
}

func (c *comparison) compare(at []string, from, to *value.Value) {
	at = slices.Clip(at)
	switch {
	case value.Equal(from, to):
	case from != nil && to != nil && from.Kind == value.Map && to.Kind == value.Map:
		was, is := value.IndexOf(from), value.IndexOf(to)
		for _, m := range from.Members {
			c.compare(append(at, m.Name), m.Value, is.Get(m.Name))
		}
		for _, m := range to.Members {
			if was.Get(m.Name) == nil {
				c.compare(append(at, m.Name), nil, m.Value)
			}
		}
	case from != nil && to != nil && from.Kind == value.List && to.Kind == value.List:
		for i := range max(len(from.Items), len(to.Items)) {
			item := step{item: true, index: i}
			c.compare(append(at, strconv.Itoa(i)), item.of(from), item.of(to))
		}
	default:
		path := value.Pointer(at...)
		if form := c.pair.to.form; form != nil {
			path = form.Path(path)
		}
		c.values = append(c.values, ValueDifference{Path: path,
			Old: withoutSecrets(c.pair.from, at, from), New: withoutSecrets(c.pair.to, at, to)})
	}
}

// withoutSecrets is a value of a rendered document without secrets.
func withoutSecrets(r *Rendered, at []string, v *value.Value) *value.Value {
	if v == nil || at[0] != "data" || !r.Secret() {
		return v
	}
	if shown, ok := r.Redacted().Find(strings.TrimPrefix(value.Pointer(at...), "/data")); ok {
		return shown
	}
	return value.NewString(Redacted)
}
