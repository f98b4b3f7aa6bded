package selector

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// Fields is a selector on any members of a document's data.
type Fields struct {
	requirements []fieldRequirement
}

type fieldRequirement struct {
	path    []string
	pointer string
	differs bool
	value   string
}

// ParseFields reads a field selector: path=value (or ==) and path!=value, joined by commas, all of
// which must hold. A path is member names joined by dots, "metadata.name", or, for names with dots,
// a JSON Pointer, "/spec/a.b"; both lead into lists by index. A backslash before , = ! \ or a space
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
	return cmp.Or(slices.Compare(a.path, b.path), compareBool(a.differs, b.differs), strings.Compare(a.value, b.value))
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
	return Fields{[]fieldRequirement{{path: path, pointer: value.Pointer(path...), value: text}}}
}

// And is the selector of what both select.
func (f Fields) And(other Fields) Fields {
	all := slices.Concat(f.requirements, other.requirements)
	slices.SortFunc(all, compareFields)
	return Fields{slices.CompactFunc(all, func(a, b fieldRequirement) bool { return compareFields(a, b) == 0 })}
}

// Empty says whether the selector matches everything.
func (f Fields) Empty() bool { return len(f.requirements) == 0 }

// Matches says whether a document's data meets all requirements. Strings, numbers and booleans are
// compared by their text. A field that is missing or null has the text "", a list or map none.
func (f Fields) Matches(data *value.Value) bool {
	for _, r := range f.requirements {
		if r.holds(data) == r.differs {
			return false
		}
	}
	return true
}

// holds says whether the field has the value.
func (r fieldRequirement) holds(data *value.Value) bool {
	field, _ := data.Find(r.pointer)
	if field == nil {
		return r.value == ""
	}
	return field.Kind != value.List && field.Kind != value.Map && field.Text == r.value
}

// String gives the canonical form: sorted, without repetitions. Parsed again it is the same selector.
func (f Fields) String() string {
	parts := make([]string, len(f.requirements))
	for i, r := range f.requirements {
		operator := "="
		if r.differs {
			operator = "!="
		}
		parts[i] = escape(r.pathText()) + operator + escape(r.value)
	}
	return strings.Join(parts, ",")
}

// pathText writes the path with dots where that is possible.
func (r fieldRequirement) pathText() string {
	for i, name := range r.path {
		if name == "" || strings.Contains(name, ".") || i == 0 && name[0] == '/' {
			return r.pointer
		}
	}
	return strings.Join(r.path, ".")
}

const escaped = `\,=!` + space

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
