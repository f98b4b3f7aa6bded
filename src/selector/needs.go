package selector

import "github.com/dovetail-store/dovetail/src/value"

// Need is what data must have for a selector to match, though it may ask for more: at a JSON Pointer one of the values, or any
// value if there are none. Values are compared by their text.
type Need struct {
	Pointer string
	Items   bool // one of the items of the list there has it, or the value there
	Values  []string
}

// Needs returns what the data of every document has that the selector matches.
func (l Labels) Needs() []Need {
	var all []Need
	for _, r := range l.requirements {
		switch r.test {
		case labelExists, labelEquals, labelIn:
			all = append(all, Need{Pointer: value.Pointer("metadata", "labels", r.key), Values: r.values})
		}
	}
	return all
}

// Needs returns what the data of every document has that the selector matches.
func (f Fields) Needs() []Need {
	var all []Need
	for _, r := range f.requirements {
		if r.operator == equals && r.value != "" { // a field without a value matches the empty one
			all = append(all, Need{Pointer: r.pointer, Items: r.items, Values: []string{r.value}})
		}
	}
	return all
}
