package solver

import (
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// part is a version of a package, or a package of a source, with where it stands there.
type part[T any] struct {
	made  T
	path  string
	place *value.Value // nil where it was not read
}

// readParts reads the items of a list, which may be empty. Messages call each item name.
func readParts[T any](list decode.Field, name string, read func(*value.Value) T) []part[T] {
	var parts []part[T]
	for _, item := range list.List(name) {
		parts = append(parts, part[T]{read(item.Value), item.Path(), item.Value})
	}
	return parts
}

// givenParts are parts that were made before.
func givenParts[T any](made []T, path string) []part[T] {
	parts := make([]part[T], len(made))
	for i, one := range made {
		parts[i] = part[T]{made: one, path: path + index(i)}
	}
	return parts
}
