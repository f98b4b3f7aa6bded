package rendering

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// Leaf is a value that holds no others: a text, number, boolean or null, or an empty map or list.
type Leaf struct {
	Path  string // as explanations have it
	Value *value.Value
}

// Leaves are all values at or below one that hold no others, in the order in which explanations come.
func Leaves(v *value.Value) []Leaf { return appendLeaves(nil, nil, v) }

func appendLeaves(all []Leaf, at path, v *value.Value) []Leaf {
	at = slices.Clip(at)
	for i, item := range v.Items {
		all = appendLeaves(all, append(at, step{item: true, index: i}), item)
	}
	for _, m := range v.Members {
		all = appendLeaves(all, append(at, step{name: m.Name}), m.Value)
	}
	if len(v.Items)+len(v.Members) == 0 {
		all = append(all, Leaf{at.String(), v})
	}
	return all
}
