package sd

import (
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// Descriptor is one SD, as it was read or merged. It is not changed any more, so that any number of
// goroutines may use it; its value may share parts with that of others.
type Descriptor struct {
	origin  dovetail.Position // file and path
	value   *value.Value
	entries []entry
}

// New makes an SD of a value that was read before, which it keeps. at says where it stands, file and
// path, for errors; both may be "". The value must be a map with a list of applications, otherwise
// the error has the reason ReasonDataMalformed. More is checked by Check and by merging.
func New(at dovetail.Position, v *value.Value) (*Descriptor, error) {
	d := &Descriptor{origin: dovetail.Position{File: at.File, Path: at.Path}, value: v}
	errs := &decode.Decoder{File: at.File, Complete: withReason(ReasonDataMalformed)}
	root := errs.Root(v, "a solution descriptor", at.Path)
	if !root.IsMap() {
		return nil, errs.Err("")
	}
	list := root.Get("applications").List("an application")
	if err := errs.Err(""); err != nil {
		return nil, err
	}
	errs.Complete = withReason(ReasonInvalidApplication)
	d.entries = make([]entry, len(list))
	for i, item := range list {
		d.entries[i] = d.readEntry(item, i, errs)
	}
	return d, nil
}

// withReason gives errors a reason and its code.
func withReason(reason string) func(*dovetail.Error) {
	return func(e *dovetail.Error) { e.Code, e.Reason = codeOf(reason), reason }
}

func kindOf(v *value.Value) value.Kind {
	if v == nil {
		return value.Null
	}
	return v.Kind
}

// Value is the whole SD, with the attributes that this package does not know. It must not be changed.
//
// Of the SD that Merge returns, all that comes from the full SD, changed or not, has the position
// that it had there, and nothing else has any: yaml.Edit writes it over the full SD's text.
func (d *Descriptor) Value() *value.Value { return d.value }

// Source is what errors call the SD: the name of a file, a parameter or an artifact.
func (d *Descriptor) Source() string { return d.origin.File }

// Applications yields the applications with their index in the list. Entries that are not applications are
// left out; Check reports them.
func (d *Descriptor) Applications() iter.Seq2[int, Application] {
	return func(yield func(int, Application) bool) {
		for i := range d.entries {
			if d.entries[i].model != modelNone && !yield(i, d.entries[i].Application) {
				return
			}
		}
	}
}

// position is where a top-level member is, or the SD if it has none of that name.
func (d *Descriptor) position(member string) dovetail.Position {
	v := d.value.Get(member)
	if v == nil {
		return d.at(d.value)
	}
	return d.at(v, member)
}

// at is the position of a value that the path leads to.
func (d *Descriptor) at(v *value.Value, path ...string) dovetail.Position {
	at := v.Position()
	at.File, at.Path = d.origin.File, d.origin.Path+value.Pointer(path...)
	return at
}

// unplaced returns the SD without positions in its value, for a place in which nothing of it stands.
// Errors still tell where its applications were read.
func (d *Descriptor) unplaced() *Descriptor {
	c := &Descriptor{origin: d.origin, value: d.value.Unplaced(), entries: make([]entry, len(d.entries))}
	for i, item := range c.value.Get("applications").Items {
		c.entries[i] = d.entries[i]
		c.entries[i].value = item
	}
	return c
}

// applicationList makes the list of applications that replaces the one of the SD.
func (d *Descriptor) applicationList(entries []entry) *value.Value {
	old := d.value.Get("applications")
	list := &value.Value{Kind: value.List, Items: make([]*value.Value, len(entries)), Place: old.Place}
	for i := range entries {
		list.Items[i] = entries[i].value
	}
	return list
}
