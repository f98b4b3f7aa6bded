package schema

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Unique is a constraint on the documents of a kind: no two of them have the same values at its paths.
type Unique struct {
	// Paths are what is compared together, sorted by their text. Of those with [*] or .* the values of one element belong
	// together.
	Paths []Path
	// Within is the key element below which values are unique, "" for the whole store: documents in different ones may be equal.
	Within string

	depth    int // elements of the key up to Within
	elements int // steps of a path up to its last [*] or .*; those of all paths that have one
}

// UniqueValue is one value, or one combination of values, that no other document may have.
type UniqueValue struct {
	Path   string // JSON Pointer of the first of Values
	Values []*value.Value
}

// Scope returns the id below which the values of a document are unique, "" for the whole store.
func (u *Unique) Scope(id dovetail.ID) dovetail.ID {
	if u.Within == "" {
		return ""
	}
	return cutElements(id, strings.Count(string(id), "/")/2+1-u.depth)
}

// Values returns what the data of a document has at the paths, in the order of the data. Where a path leads nowhere or to
// null, there is no value.
func (u *Unique) Values(data *value.Value) []UniqueValue {
	fixed := UniqueValue{Values: make([]*value.Value, len(u.Paths))}
	var each []UniqueValue // for each element of a list or map
	at := map[string]int{}
	for i, path := range u.Paths {
		if !path.wild() {
			for pointer, v := range path.Values(data) {
				fixed.set(i, pointer, v)
			}
			continue
		}
		for pointer, v := range path.Values(data) {
			element := pointerTo(pointer, u.elements)
			n, known := at[element]
			if !known {
				n = len(each)
				at[element] = n
				each = append(each, UniqueValue{Values: make([]*value.Value, len(u.Paths))})
			}
			each[n].set(i, pointer, v)
		}
	}
	if u.elements == 0 {
		each = []UniqueValue{fixed}
	}
	return slices.DeleteFunc(each, func(one UniqueValue) bool {
		for i, v := range fixed.Values {
			if v != nil {
				one.Values[i] = v
			}
		}
		return slices.Contains(one.Values, nil)
	})
}

func (v *UniqueValue) set(i int, pointer string, to *value.Value) {
	if v.Values[i] = to; v.Path == "" {
		v.Path = pointer
	}
}

// pointerTo returns the first steps of a JSON Pointer.
func pointerTo(pointer string, steps int) string {
	for i := range len(pointer) {
		if pointer[i] == '/' {
			if steps--; steps < 0 {
				return pointer[:i]
			}
		}
	}
	return pointer
}

// wild reports whether the path has [*] or .*.
func (p Path) wild() bool {
	_, steps := p.element()
	return steps > 0
}

// element returns the text of the path up to its last [*] or .*, and how many steps that is; none without one.
func (p Path) element() (text string, steps int) {
	n := 0
	for rest := p.text; rest != ""; {
		var s step
		s, rest = nextStep(rest)
		if n++; s.any {
			text, steps = p.text[:len(p.text)-len(rest)], n
		}
	}
	return text, steps
}

// Names are the paths as in a sentence: "spec.a and spec.b".
func (u *Unique) Names() string {
	names := u.names()
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}

func (u *Unique) names() []string {
	names := make([]string, len(u.Paths))
	for i, path := range u.Paths {
		names[i] = path.String()
	}
	return names
}

// String says in words what is unique: "spec.a and spec.b, within one site".
func (u *Unique) String() string {
	if u.Within == "" {
		return u.Names()
	}
	return u.Names() + ", within one " + u.Within
}
