package solver

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

// anyVersion is the range of selectors that have none. Pre-releases are not in it.
var anyVersion = mustRange("*")

func mustRange(text string) *Range {
	r, err := ParseRange(text)
	if err != nil {
		panic(err)
	}
	return r
}

// reader reads parts of the input and collects what is wrong with them.
type reader struct {
	texts
	faults faults
}

func index(i int) string { return "/" + strconv.Itoa(i) }

func kindOf(v *value.Value) value.Kind {
	if v == nil {
		return value.Null
	}
	return v.Kind
}

// unknown refuses a member.
func (r *reader) unknown(of *value.Value, m value.Member, path, known string) {
	at := &value.Value{Place: m.Place}
	if m.Line == 0 {
		at = of
	}
	r.faults.add(at, path+value.Pointer(m.Name), "use "+known, "%s is not known here", quote(m.Name))
}

// text reads a text, which may be empty.
func (r *reader) text(v *value.Value, path string) string {
	s, ok := v.Str()
	if !ok {
		r.faults.add(v, path, "write it in quotes", "this must be a text, not a %s", kindOf(v))
	}
	return s
}

// name reads a text that must not be empty.
func (r *reader) name(v *value.Value, path string) string {
	s := r.text(v, path)
	if s == "" && kindOf(v) == value.String {
		r.faults.add(v, path, "write a name", "a name is empty")
	}
	return s
}

func (r *reader) versionRange(v *value.Value, path string) *Range {
	text := r.text(v, path)
	parsed, err := r.rangeOf(text)
	if err != nil {
		r.faults.add(v, path, `write comparisons as ">=1.0.0 <2.0.0", with || for "or"`, "%s is not a range of versions", quote(text))
		return anyVersion
	}
	return parsed
}

// list returns the items of a list that must not be empty.
func (r *reader) list(v *value.Value, path string) []*value.Value {
	switch {
	case kindOf(v) != value.List:
		r.faults.add(v, path, "write a list", "this must be a list, not a %s", kindOf(v))
		return nil
	case len(v.Items) == 0:
		r.faults.add(v, path, "add something", "this list is empty")
	}
	return v.Items
}

// optional returns the items of a list that may be absent or empty.
func (r *reader) optional(v *value.Value, path string) []*value.Value {
	if v == nil {
		return nil
	}
	if v.Kind != value.List {
		r.faults.add(v, path, "write a list", "this must be a list, not a %s", v.Kind)
	}
	return v.Items
}

func (r *reader) boolean(v *value.Value, path string) bool {
	if v == nil {
		return false
	}
	if v.Kind != value.Bool {
		r.faults.add(v, path, "write true or false", "this must be true or false, not a %s", v.Kind)
	}
	return v.Kind == value.Bool && v.Text == "true"
}
