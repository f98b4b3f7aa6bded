package impact

import (
	"github.com/dovetail-store/dovetail/src/value"
)

// Op is what became of a value.
type Op string

// The operations, with the names that JSON Patch has for them.
const (
	Added    Op = "add"
	Removed  Op = "remove"
	Replaced Op = "replace"
)

// Change is a value that differs. Path is a JSON Pointer, "" for the whole.
type Change struct {
	Op   Op           `json:"op"`
	File string       `json:"file,omitempty"` // that the path is in, of things that consist of files
	Path string       `json:"path"`
	From *value.Value `json:"from,omitempty"`
	To   *value.Value `json:"to,omitempty"`
	// Secret says that the values are credentials, and not told. Source is where the value comes from.
	Secret bool   `json:"secret,omitempty"`
	Source string `json:"source,omitempty"`
}

// Changes returns where two values differ: maps are compared member by member, and lists of the same length item by item. Nil
// does not exist.
func Changes(was, is *value.Value) []Change {
	changes := []Change{}
	for _, c := range value.Conflicts(nil, was, is) {
		change := Change{Op: Replaced, Path: c.Path, From: c.Theirs, To: c.Yours}
		switch {
		case c.Theirs == nil:
			change.Op = Added
		case c.Yours == nil:
			change.Op = Removed
		}
		changes = append(changes, change)
	}
	return changes
}

// Derived is what a service makes of documents: a value, nil if there is none, or why it cannot.
type Derived struct {
	Value *value.Value
	Err   error
}
