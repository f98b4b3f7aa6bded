package layering

import (
	"maps"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

// The parts of a deep diff, as its readers know them.
const (
	itemAdded     = "dictionary_item_added"
	itemRemoved   = "dictionary_item_removed"
	elementAdded  = "iterable_item_added"
	elementGone   = "iterable_item_removed"
	typeChanged   = "type_changes"
	valuesChanged = "values_changed"
)

// deepDiff tells where two values differ, in the form of the Python library deepdiff: paths like root['a'][0] by
// the kind of difference.
func deepDiff(was, is *value.Value) *value.Value {
	d := deep{}
	d.compare("root", was, is)
	return d.value()
}

// deep gathers differences: of each kind paths, with what there is to say of each; nil for a list of paths.
type deep map[string]*value.Value

func (d deep) note(kind, path string, what *value.Value) {
	if d[kind] == nil {
		d[kind] = value.NewMap()
	}
	d[kind].Members = append(d[kind].Members, value.Member{Name: path, Value: what})
}

func (d deep) value() *value.Value {
	all := value.NewMap()
	for _, kind := range sortedKeys(d) {
		what := d[kind]
		if kind == itemAdded || kind == itemRemoved {
			paths := value.NewList()
			for _, m := range what.Members {
				paths.Items = append(paths.Items, value.NewString(m.Name))
			}
			what = paths
		}
		all.Members = append(all.Members, value.Member{Name: kind, Value: what})
	}
	return all
}

func (d deep) compare(path string, was, is *value.Value) {
	if was == nil {
		was = value.NullValue()
	}
	if is == nil {
		is = value.NullValue()
	}
	switch {
	case was.Kind != is.Kind:
		d.note(typeChanged, path, value.NewMap(
			value.Member{Name: "old_type", Value: value.NewString(typeOf(was))}, value.Member{Name: "new_type", Value: value.NewString(typeOf(is))},
			value.Member{Name: "old_value", Value: was}, value.Member{Name: "new_value", Value: is}))
	case was.Kind == value.Map:
		d.compareMaps(path, was, is)
	case was.Kind == value.List:
		d.compareLists(path, was.Items, is.Items)
	case !value.Equal(was, is):
		d.note(valuesChanged, path, value.NewMap(value.Member{Name: "new_value", Value: is}, value.Member{Name: "old_value", Value: was}))
	}
}

func (d deep) compareMaps(path string, was, is *value.Value) {
	below := func(name string) string { return path + "['" + name + "']" }
	before, after := value.IndexOf(was), value.IndexOf(is)
	for _, m := range was.Members {
		if now := after.Get(m.Name); now != nil {
			d.compare(below(m.Name), m.Value, now)
		} else {
			d.note(itemRemoved, below(m.Name), nil)
		}
	}
	for _, m := range is.Members {
		if before.Get(m.Name) == nil {
			d.note(itemAdded, below(m.Name), nil)
		}
	}
}

func (d deep) compareLists(path string, was, is []*value.Value) {
	at := func(i int) string { return path + "[" + strconv.Itoa(i) + "]" }
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(was):
			d.note(elementAdded, at(i), is[i])
		case i >= len(is):
			d.note(elementGone, at(i), was[i])
		default:
			d.compare(at(i), was[i], is[i])
		}
	}
}

// typeOf names the type of a value as the older system does.
func typeOf(v *value.Value) string {
	switch v.Kind {
	case value.Bool:
		return "bool"
	case value.Number:
		if _, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return "int"
		}
		return "float"
	case value.String:
		return "str"
	case value.List:
		return "list"
	case value.Map:
		return "dict"
	}
	return "NoneType"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
