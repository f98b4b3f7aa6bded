package selector

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// Fields is a selector on any members of a document's data.
type Fields struct {
	requirements []fieldRequirement
}

type fieldRequirement struct {
	path     []string
	pointer  string
	items    bool // each item of the list there
	operator operator
	value    string
}

// operator is how a field is compared with the value.
type operator string

const (
	equals  operator = "="
	differs operator = "!="
	less    operator = "<"
	greater operator = ">"
)

// ParseFields reads a field selector: path=value (or ==), path!=value, path<value and path>value, joined by commas, all of
// which must hold. A path is member names joined by dots, "metadata.name", or, for names with dots,
// a JSON Pointer, "/spec/a.b"; both lead into lists by index. With [*] at its end, "spec.owners[*]", the
// first stands for each item of a list: one of them has the value, or none. A backslash before , = ! < > \ or a space
// takes away its meaning; white space around paths and values does not count. The empty selector
// matches everything. A selector has at most 100 parts. The error has the code CodeInvalid and tells the column.
func ParseFields(text string) (Fields, error) {
	if err := checkUTF8(fieldSelector, text); err != nil {
		return Fields{}, err
	}
	if strings.Trim(text, space) == "" {
		return Fields{}, nil
	}
	p := fieldParser{text: text}
	var all []fieldRequirement
	for {
		if len(all) == maxTerms {
			return Fields{}, tooMany(fieldSelector, p.pos)
		}
		r, err := p.requirement()
		if err != nil {
			return Fields{}, err
		}
		all = append(all, r)
		if p.pos == len(text) {
			break
		}
		p.pos++ // the comma
	}
	slices.SortFunc(all, compareFields)
	return Fields{slices.CompactFunc(all, func(a, b fieldRequirement) bool { return compareFields(a, b) == 0 })}, nil
}

func compareFields(a, b fieldRequirement) int {
	return cmp.Or(slices.Compare(a.path, b.path), compareBool(a.items, b.items), cmp.Compare(len(a.operator), len(b.operator)), strings.Compare(string(a.operator), string(b.operator)), strings.Compare(a.value, b.value))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Field is the selector of the documents whose field at the path has the text.
func Field(path []string, text string) Fields {
	return Fields{[]fieldRequirement{{path: path, pointer: value.Pointer(path...), operator: equals, value: text}}}
}

// Item is the selector of the documents where an item of the list at the path has the text.
func Item(path []string, text string) Fields {
	return Fields{[]fieldRequirement{{path: path, pointer: value.Pointer(path...), items: true, operator: equals, value: text}}}
}

// And is the selector of what both select.
func (f Fields) And(other Fields) Fields {
	all := slices.Concat(f.requirements, other.requirements)
	slices.SortFunc(all, compareFields)
	return Fields{slices.CompactFunc(all, func(a, b fieldRequirement) bool { return compareFields(a, b) == 0 })}
}

// Empty reports whether the selector matches everything.
func (f Fields) Empty() bool { return len(f.requirements) == 0 }

// Matches reports whether a document's data meets all requirements. Strings, numbers and booleans are
// compared by their text. A field that is missing or null has the text "", a list or map none. With [*] a value that
// is no list counts as the only item of one, and a list without items as one of nothing. Numbers are less and greater
// as numbers, other texts as texts; what has no text is neither.
func (f Fields) Matches(data *value.Value) bool {
	for _, r := range f.requirements {
		if r.holds(data) == (r.operator == differs) {
			return false
		}
	}
	return true
}

// holds reports whether the field has the value.
func (r fieldRequirement) holds(data *value.Value) bool {
	field, _ := data.Find(r.pointer)
	if r.items && field != nil && field.Kind == value.List && len(field.Items) > 0 {
		return slices.ContainsFunc(field.Items, r.is)
	}
	return r.is(field) || r.items && field != nil && field.Kind == value.List && r.is(nil)
}

// is reports whether a field is the value, or less or greater.
func (r fieldRequirement) is(field *value.Value) bool {
	ordered := r.operator == less || r.operator == greater
	switch {
	case field == nil || field.Kind == value.Null:
		return r.value == "" && !ordered
	case field.Kind == value.List || field.Kind == value.Map || ordered && field.Text == "":
		return false
	case !ordered:
		return field.Text == r.value
	}
	order := compareTexts(field.Text, r.value)
	return order < 0 && r.operator == less || order > 0 && r.operator == greater
}

// compareTexts orders two numbers by their values, and other texts by their bytes.
func compareTexts(a, b string) int {
	x, err := strconv.ParseFloat(a, 64)
	if err == nil {
		var y float64
		if y, err = strconv.ParseFloat(b, 64); err == nil {
			return cmp.Compare(x, y)
		}
	}
	return strings.Compare(a, b)
}

// String gives the canonical form: sorted, without repetitions. Parsed again it is the same selector.
func (f Fields) String() string {
	parts := make([]string, len(f.requirements))
	for i, r := range f.requirements {
		parts[i] = escape(r.pathText()) + string(r.operator) + escape(r.value)
	}
	return strings.Join(parts, ",")
}

// pathText writes the path with dots where that is possible.
func (r fieldRequirement) pathText() string {
	if r.items {
		return strings.Join(r.path, ".") + eachItem
	}
	for i, name := range r.path {
		if name == "" || strings.Contains(name, ".") || i == 0 && name[0] == '/' {
			return r.pointer
		}
	}
	if strings.HasSuffix(r.path[len(r.path)-1], eachItem) {
		return r.pointer
	}
	return strings.Join(r.path, ".")
}

// eachItem is what a path ends in that stands for each item of a list.
const eachItem = "[*]"

const escaped = `\,=!<>` + space

func escape(text string) string {
	if !strings.ContainsAny(text, escaped) {
		return text
	}
	var b strings.Builder
	for _, c := range []byte(text) {
		if strings.IndexByte(escaped, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
