package value

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// String gives the kind's name as messages show it.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case List:
		return "list"
	case Map:
		return "map"
	}
	return "unknown"
}

// Get returns the value of the named member, or nil: also when v is nil or not a map.
func (v *Value) Get(name string) *Value {
	if i := v.find(name); i >= 0 {
		return v.Members[i].Value
	}
	return nil
}

func (v *Value) find(name string) int {
	if v == nil || v.Kind != Map {
		return -1
	}
	for i := range v.Members {
		if v.Members[i].Name == name {
			return i
		}
	}
	return -1
}

// At follows the member names from v on: At("metadata", "name"). It returns nil where one is missing.
func (v *Value) At(path ...string) *Value {
	for _, name := range path {
		v = v.Get(name)
	}
	return v
}

// Str returns the text of a string, and whether v is one.
func (v *Value) Str() (string, bool) {
	if v == nil || v.Kind != String {
		return "", false
	}
	return v.Text, true
}

// Position is the place of the value in the input, without file and path; zero for nil.
func (v *Value) Position() dovetail.Position {
	if v == nil {
		return dovetail.Position{}
	}
	return v.Place.Position()
}

// Find follows a JSON Pointer (RFC 6901), through maps and lists; "" is v itself.
func (v *Value) Find(pointer string) (*Value, bool) {
	parts, ok := SplitPointer(pointer)
	if !ok {
		return nil, false
	}
	for _, part := range parts {
		if v = v.step(part); v == nil {
			return nil, false
		}
	}
	return v, v != nil
}

func (v *Value) step(part string) *Value {
	if v == nil || v.Kind != List {
		return v.Get(part)
	}
	i, err := strconv.Atoi(part)
	if err != nil || i < 0 || i >= len(v.Items) || strconv.Itoa(i) != part {
		return nil
	}
	return v.Items[i]
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~0", "~", "~1", "/")
)

// Pointer builds a JSON Pointer: Pointer("spec", "a/b") is "/spec/a~1b", Pointer() is "".
func Pointer(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(escapePointer.Replace(part))
	}
	return b.String()
}

// SplitPointer undoes Pointer, and reports whether the text is a JSON Pointer.
func SplitPointer(pointer string) ([]string, bool) {
	if pointer == "" {
		return nil, true
	}
	if !isPointer(pointer) {
		return nil, false
	}
	parts := strings.Split(pointer[1:], "/")
	for i, part := range parts {
		parts[i] = unescapePointer.Replace(part)
	}
	return parts, true
}

// isPointer reports whether a text is a JSON Pointer.
func isPointer(text string) bool {
	if text != "" && text[0] != '/' {
		return false
	}
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "~")
		if !found {
			return true
		}
		if !strings.HasPrefix(after, "0") && !strings.HasPrefix(after, "1") {
			return false
		}
		rest = after
	}
}

// Set gives the map's member a value, in its place when it is there, otherwise at the end. It
// panics when v is not a map. The value is kept, not copied.
func (v *Value) Set(name string, to *Value) {
	if v.Kind != Map {
		panic("value: Set of a " + v.Kind.String())
	}
	if i := v.find(name); i >= 0 {
		v.Members[i].Value = to
		return
	}
	m := Member{Name: name, Value: to}
	if to != nil {
		m.Place = to.Place
	}
	v.Members = append(v.Members, m)
}

// Delete removes the map's member and reports whether it was there.
func (v *Value) Delete(name string) bool {
	i := v.find(name)
	if i < 0 {
		return false
	}
	v.Members = slices.Delete(v.Members, i, i+1)
	return true
}
