package effectiveset

import (
	"bytes"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Op is what became of a value.
type Op string

// The operations.
const (
	Added    Op = "add"
	Removed  Op = "remove"
	Replaced Op = "replace"
)

// Difference is a leaf of a file that two sets have differently: a value that is no map, or an empty one. Lists are compared item by item where they have the same length.
type Difference struct {
	File     string
	Path     string // JSON Pointer
	Op       Op
	From, To *value.Value // nil if there is none
	// Secret says that the values are credentials, or calculated from such.
	Secret bool
	// Origin is where the value comes from, of a removed one where it came from; the zero one where that is not known.
	Origin Origin
}

// Differences returns the leaves that differ, by files and in the order of their members. A file that one of the sets lacks is one without content.
func Differences(before, after *Set) ([]Difference, error) {
	d := differences{before: before, after: after}
	names := make(map[string][]byte, len(after.Files))
	maps.Copy(names, before.Files)
	maps.Copy(names, after.Files)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := d.file(name); err != nil {
			return nil, err
		}
	}
	return d.found, nil
}

type differences struct {
	before, after *Set
	name          string // of the file
	found         []Difference
}

func (d *differences) file(name string) error {
	if bytes.Equal(d.before.Files[name], d.after.Files[name]) && d.before.values[name] == d.after.values[name] {
		return nil
	}
	d.name = name
	from, err := d.before.Content(name)
	if err != nil {
		return err
	}
	to, err := d.after.Content(name)
	if err != nil {
		return err
	}
	for _, c := range value.Conflicts(nil, from, to) {
		d.leaves(c.Path, c.Theirs, c.Yours)
	}
	return nil
}

// Content is what a file of the set says, an empty map if there is nothing in it.
func (s *Set) Content(name string) (*value.Value, error) {
	if v := s.values[name]; v != nil {
		return v, nil
	}
	values, err := yaml.ParseClassic(name, s.Files[name], value.Limits{})
	if err != nil || len(values) == 0 {
		return value.NewMap(), err
	}
	return values[0], nil
}

// leaves adds what a difference means for leaves.
func (d *differences) leaves(pointer string, from, to *value.Value) {
	if isInner(from) {
		for _, m := range from.Members {
			d.leaves(pointer+value.Pointer(m.Name), m.Value, nil)
		}
		from = nil
	}
	if isInner(to) {
		for _, m := range to.Members {
			d.leaves(pointer+value.Pointer(m.Name), nil, m.Value)
		}
		to = nil
	}
	made := Difference{File: d.name, Path: pointer, Op: Replaced, From: from, To: to, Secret: isSecretLeaf(d.name, pointer)}
	made.Origin, _ = d.after.Origin(d.name, pointer)
	switch {
	case from == nil && to == nil:
		return
	case from == nil:
		made.Op = Added
	case to == nil:
		made.Op = Removed
		made.Origin, _ = d.before.Origin(d.name, pointer)
	}
	d.found = append(d.found, made)
}

func isInner(v *value.Value) bool { return v != nil && v.Kind == value.Map && len(v.Members) > 0 }
