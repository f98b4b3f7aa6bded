package decode

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// Field is a value and where it is. It may be missing. Fields are small and meant to be passed as values.
type Field struct {
	// Value is what stands there; nil for a missing member.
	Value  *value.Value
	d      *Decoder
	name   string       // what messages call it
	parent *value.Value // where a missing member is reported

	// The path is put together when it is needed: base, then the item, then the member of that.
	base     string
	item     int // from 1; 0 if there is none
	member   string
	isMember bool
}

// Position is where the field is; for a missing one, where the map is that lacks it.
func (f Field) Position() dovetail.Position {
	at := f.Value
	if at == nil {
		at = f.parent
	}
	position := at.Position()
	position.File, position.Path = f.d.File, f.Path()
	return position
}

// Name is what messages call the field.
func (f Field) Name() string { return f.name }

// Path leads to the field, as a JSON Pointer.
func (f Field) Path() string {
	path := f.base
	if f.item > 0 {
		path += "/" + strconv.Itoa(f.item-1)
	}
	switch {
	case !f.isMember:
		return path
	case !strings.ContainsAny(f.member, "~/"):
		return path + "/" + f.member
	}
	return path + value.Pointer(f.member)
}

// Fail reports an error at the field.
func (f Field) Fail(remedy, format string, args ...any) {
	f.fail(nil, remedy, format, args...)
}

func (f Field) fail(cause error, remedy, format string, args ...any) {
	if !f.d.counts() {
		f.d.add(f.Position(), remedy, fmt.Sprintf(format, args...), cause)
	}
}

// Join reports the parts of an error, whose paths begin at the field. Those without a place get that of the field. Their codes
// and reasons stay.
func (f Field) Join(err error) {
	var parts dovetail.Errors
	parts.Join(err)
	all := f.d.errors()
	if f.d.CountOnly {
		all.Count(parts.Total())
		return
	}
	for _, part := range parts.Kept() {
		e, at := *part, f.Position()
		if e.Position.Line > 0 {
			at.Line, at.Column = e.Position.Line, e.Position.Column
		}
		at.Path += e.Position.Path
		e.Position = at
		all.Add(&e)
	}
	all.Count(parts.Omitted())
}

// As is the field under another name in messages.
func (f Field) As(name string) Field {
	f.name = name
	return f
}

// IsMissing reports whether nothing or null stands there.
func (f Field) IsMissing() bool { return f.Value == nil || f.Value.Kind == value.Null }

// WrongType reports a missing value, or one of another type than the one wanted: "a string".
func (f Field) WrongType(wanted, remedy string) { f.wrongType(wanted, remedy, nil) }

func (f Field) wrongType(wanted, remedy string, cause error) {
	if f.Value == nil {
		f.Fail("add it", "%s is missing", f.name)
		return
	}
	if f.d.counts() {
		return
	}
	f.d.add(f.Position(), remedy, f.name+" must be "+wanted+", not "+f.shown(), cause)
}

// shown is what messages say stands there: a number itself, of all else the type.
func (f Field) shown() string {
	switch f.Value.Kind {
	case value.Null:
		return "null"
	case value.Number:
		return "the number " + shorten(f.Value.Text)
	}
	return "a " + f.Value.Kind.String()
}

// Quote shows a text of the user's in a message, the beginning of it if it is long.
func Quote(text string) string { return strconv.Quote(shorten(text)) }

func shorten(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// Kind is that of the value, value.Null of a missing one.
func (f Field) Kind() value.Kind {
	if f.Value == nil {
		return value.Null
	}
	return f.Value.Kind
}

// Get is the field of a member, which may be missing.
func (f Field) Get(name string) Field {
	return f.at(value.Member{Name: name, Value: f.Value.Get(name)})
}

// at is the field of a member.
func (f Field) at(m value.Member) Field {
	f = f.flat()
	f.Value, f.name, f.parent, f.member, f.isMember = m.Value, m.Name, f.Value, m.Name, true
	return f
}

// flat is the field with its path put together, so that its members need not do it.
func (f Field) flat() Field {
	if f.isMember {
		f.base, f.item, f.isMember = f.Path(), 0, false
	}
	return f
}

// All yields the members of a map in their order, none of anything else.
func (f Field) All() iter.Seq2[string, Field] {
	return func(yield func(string, Field) bool) {
		if f.Kind() != value.Map {
			return
		}
		f := f.flat()
		for _, m := range f.Value.Members {
			if !yield(m.Name, f.at(m)) {
				return
			}
		}
	}
}

// Members yields the known members of a map in their order. It reports, as Map does, a field that is none, and where they
// stand members that are not known.
func (f Field) Members(known ...string) iter.Seq2[string, Field] {
	return func(yield func(string, Field) bool) {
		if !f.IsMap() {
			return
		}
		f := f.flat()
		for _, m := range f.Value.Members {
			if !slices.Contains(known, m.Name) {
				f.unknown(m, known)
			} else if !yield(m.Name, f.at(m)) {
				return
			}
		}
	}
}

// Require reports the members that a map lacks, and nothing of anything else.
func (f Field) Require(names ...string) {
	for _, name := range names {
		if f.Kind() == value.Map && f.Value.Get(name) == nil {
			f.Get(name).WrongType("", "")
		}
	}
}

// IsMap reports whether the field is a map, and reports it if not.
func (f Field) IsMap() bool {
	if f.Value == nil || f.Value.Kind != value.Map {
		f.WrongType("a map", "write members as name: value")
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

// maxListed is up to how many known members are listed beside the one that is meant.
const maxListed = 8

// unknown reports a member where its name stands, or the map where that is not known.
func (f Field) unknown(m value.Member, known []string) {
	if f.d.counts() {
		return
	}
	at := m.In(f.d.File)
	if m.Line == 0 {
		at = f.Position()
	}
	at.Path = f.Path() + value.Pointer(m.Name)
	remedy := "use " + strings.Join(known, ", ")
	if near := suggest.Nearest(m.Name, known); near != "" {
		remedy = "did you mean " + near + "?"
		if len(known) <= maxListed {
			remedy += " The members are " + strings.Join(known, ", ")
		}
	}
	f.d.add(at, remedy, f.name+" has the unknown member "+Quote(m.Name), correctMember(f.Value, m, known))
}

// Items are the fields of a list's items, none when it is missing or null. Messages call each item name.
func (f Field) Items(name string) []Field {
	if f.IsMissing() {
		return nil
	}
	return f.List(name)
}

// List is Items of a list that must be there.
func (f Field) List(name string) []Field {
	if f.Kind() != value.List {
		f.WrongType("a list", "write its items with dashes, or in brackets")
		return nil
	}
	base := f.Path()
	fields := make([]Field, len(f.Value.Items))
	for i, item := range f.Value.Items {
		fields[i] = Field{Value: item, d: f.d, name: name, base: base, item: i + 1, parent: f.Value}
	}
	return fields
}

// NonEmptyList is List of a list that must have items.
func (f Field) NonEmptyList(name string) []Field {
	items := f.List(name)
	if len(items) == 0 && f.Kind() == value.List {
		f.Fail("add "+name, "%s is empty", f.name)
	}
	return items
}

// AnyText is a string, which may be empty, and whether it is one.
func (f Field) AnyText() (text string, ok bool) {
	text, ok = f.Value.Str()
	switch {
	case ok:
	case f.Value != nil && (f.Value.Kind == value.Number || f.Value.Kind == value.Bool):
		f.wrongType("a string", "write "+Quote(f.Value.Text)+" in quotes", f.inQuotes())
	default:
		f.WrongType("a string", "write a text")
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
		f.wrongType("true or false", "write true or false", f.asBool())
		return false
	}
	return f.Value.Text == "true"
}

// Integer is an integer of at least least, 0 when it is missing.
func (f Field) Integer(least int) int {
	if f.Value == nil {
		return 0
	}
	n, err := strconv.Atoi(f.Value.Text)
	if f.Value.Kind != value.Number || err != nil || n < least {
		f.WrongType("an integer from "+strconv.Itoa(least), "write an integer")
		return 0
	}
	return n
}
