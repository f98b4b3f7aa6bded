package impact

import (
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/value"
)

// JSON returns a value as answers have it, nil for one that does not exist.
func JSON(v *value.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	return v.JSON()
}

// Changes returns where two values differ: maps are compared member by member, and lists of the same length item by item. Nil
// does not exist.
func Changes(was, is *value.Value) []api.Change {
	changes := []api.Change{}
	for _, c := range value.Conflicts(nil, was, is) {
		change := api.Change{Op: api.Replaced, Path: c.Path, From: JSON(c.Theirs), To: JSON(c.Yours)}
		switch {
		case c.Theirs == nil:
			change.Op = api.Added
		case c.Yours == nil:
			change.Op = api.Removed
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
