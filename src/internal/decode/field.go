package decode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// Field is a value and where it is. It may be missing. Fields are small and meant to be passed as values.
type Field struct {
	// Value is what stands there; nil for a missing member.
	Value  *value.Value
	d      *Decoder
	name   string // what messages call it
	path   string
	parent *value.Value // where a missing member is reported
}

// Position is where the field is; for a missing one, where the map is that lacks it.
func (f Field) Position() dovetail.Position {
	at := f.Value
	if at == nil {
		at = f.parent
	}
	position := at.Position()
	position.File, position.Path = f.d.File, f.path
	return position
}

// Path leads to the field, as a JSON Pointer.
func (f Field) Path() string { return f.path }

// Fail reports an error at the field.
func (f Field) Fail(remedy, format string, args ...any) {
	f.d.report(f.Position(), remedy, format, args...)
}

// As is the field under another name in messages.
func (f Field) As(name string) Field {
	f.name = name
	return f
}

// IsMissing says whether nothing or null stands there.
func (f Field) IsMissing() bool { return f.Value == nil || f.Value.Kind == value.Null }

// wrongType reports a value of another type than the one wanted.
func (f Field) wrongType(wanted, remedy string) {
	if f.Value == nil {
		f.Fail(remedy, "%s is missing", f.name)
		return
	}
	f.Fail(remedy, "%s must be %s, not %s", f.name, wanted, f.shown())
}

// shown is what messages say stands there: a number itself, of all else the type.
func (f Field) shown() string {
	switch f.Value.Kind {
	case value.Null:
		return "null"
	case value.Number:
		return "the number " + f.Value.Text
	}
	return "a " + f.Value.Kind.String()
}

// Get is the field of a member, which may be missing.
func (f Field) Get(name string) Field {
	return Field{Value: f.Value.Get(name), d: f.d, name: name, path: f.path + value.Pointer(name), parent: f.Value}
}

// IsMap says whether the field is a map, and reports it if not.
func (f Field) IsMap() bool {
	if f.Value == nil || f.Value.Kind != value.Map {
		f.wrongType("a map", "write members as name: value")
		return false
	}
	return true
}

// Map is IsMap that also reports members that are not known, with the known one that is spelled like it.
func (f Field) Map(known ...string) bool {
	if !f.IsMap() {
		return false
	}
	for _, m := range f.Value.Members {
		if !slices.Contains(known, m.Name) {
			f.unknown(m, known)
		}
	}
	return true
}

// unknown reports a member where its name stands, or the map where that is not known.
func (f Field) unknown(m value.Member, known []string) {
	at := m.In(f.d.File)
	if m.Line == 0 {
		at = f.Position()
	}
	at.Path = f.path + value.Pointer(m.Name)
	remedy := "use " + strings.Join(known, ", ")
	if near := suggest.Nearest(m.Name, known); near != "" {
		remedy = "did you mean " + near + "? The members are " + strings.Join(known, ", ")
	}
	f.d.report(at, remedy, "%s has the unknown member %q", f.name, m.Name)
}

// Items are the fields of a list's items, none when it is missing or null. Messages call each item name.
func (f Field) Items(name string) []Field {
	if f.IsMissing() {
		return nil
	}
	if f.Value.Kind != value.List {
		f.wrongType("a list", "write its items with dashes, or in brackets")
		return nil
	}
	fields := make([]Field, len(f.Value.Items))
	for i, item := range f.Value.Items {
		fields[i] = Field{Value: item, d: f.d, name: name, path: f.path + "/" + strconv.Itoa(i), parent: f.Value}
	}
	return fields
}

// AnyText is a string, which may be empty, and whether it is one.
func (f Field) AnyText() (text string, ok bool) {
	text, ok = f.Value.Str()
	switch {
	case ok:
	case f.Value != nil && (f.Value.Kind == value.Number || f.Value.Kind == value.Bool):
		f.wrongType("a string", "write "+strconv.Quote(f.Value.Text)+" in quotes")
	default:
		f.wrongType("a string", "add it")
	}
	return text, ok
}

// Text is a string that is not empty.
func (f Field) Text() string {
	text, ok := f.AnyText()
	if ok && text == "" {
		f.Fail("write a text", "%s is empty", f.name)
	}
	return text
}

// OptionalText is Text, or "" of a missing member. Null is not missing.
func (f Field) OptionalText() string {
	if f.Value == nil {
		return ""
	}
	return f.Text()
}

// Texts are the strings of a list, none of them empty. Messages call each of them name.
func (f Field) Texts(name string) []string {
	var texts []string
	for _, item := range f.Items(name) {
		texts = append(texts, item.Text())
	}
	return texts
}

// Bool is a boolean, false when it is missing. Null is not missing.
func (f Field) Bool() bool {
	if f.Value == nil {
		return false
	}
	if f.Value.Kind != value.Bool {
		f.wrongType("true or false", "write true or false")
		return false
	}
	return f.Value.Text == "true"
}

// Natural is an integer from 0 on, 0 when it is missing.
func (f Field) Natural() int {
	if f.Value == nil {
		return 0
	}
	n, err := strconv.Atoi(f.Value.Text)
	if f.Value.Kind != value.Number || err != nil || n < 0 {
		f.wrongType("an integer from 0", "write an integer")
		return 0
	}
	return n
}
