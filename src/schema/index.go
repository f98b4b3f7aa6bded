package schema

import (
	"iter"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// labelsPath is where labels are, and labelPath each of them.
var labelsPath, labelPath = Path{"metadata.labels"}, Path{"metadata.labels.*"}

// Indexes are the paths by whose values documents of the kind are found without looking at all of them: those of Index,
// and of each label, as "metadata.labels.*", with IndexLabels. They are sorted by their text.
func (k *Kind) Indexes() []Path { return k.indexes }

// Indexed returns the values of a document that indexes have: for each its JSON Pointer, and a string, number or boolean.
func (k *Kind) Indexed(data *value.Value) iter.Seq2[string, *value.Value] {
	return func(yield func(string, *value.Value) bool) {
		for _, path := range k.indexes {
			for pointer, v := range path.Values(data) {
				if v.Kind != value.List && v.Kind != value.Map && !yield(pointer, v) {
					return
				}
			}
		}
	}
}

// Items returns the values that an index of the items of a list has: for each the JSON Pointer of the list, and an item, which is a
// string, number or boolean. A value that is no list counts as the only item of one. An index of anything else has none.
func (p Path) Items(data *value.Value) iter.Seq2[string, *value.Value] {
	return func(yield func(string, *value.Value) bool) {
		list, is := p.List()
		if !is {
			return
		}
		for pointer, v := range list.Values(data) {
			all := v.Items
			if v.Kind != value.List {
				all = []*value.Value{v}
			}
			for _, item := range all {
				if item.Kind != value.List && item.Kind != value.Map && item.Kind != value.Null && !yield(pointer, item) {
					return
				}
			}
		}
	}
}

// ItemsIndexOf returns the index that has the items of the list at a JSON Pointer, the zero Path where none has them.
func (k *Kind) ItemsIndexOf(pointer string) Path {
	parts, _ := value.SplitPointer(pointer)
	for _, path := range k.indexes {
		if list, is := path.List(); is {
			if steps := list.steps(); len(steps) == len(parts) && stepsMatch(steps, parts) {
				return path
			}
		}
	}
	return Path{}
}

// IndexOf returns the index that has the values at a JSON Pointer, the zero Path where none has them.
func (k *Kind) IndexOf(pointer string) Path {
	parts, _ := value.SplitPointer(pointer)
	for _, path := range k.indexes {
		if steps := path.steps(); len(steps) == len(parts) && stepsMatch(steps, parts) {
			return path
		}
	}
	return Path{}
}

// stepsMatch reports whether the steps lead to where the parts of a JSON Pointer do, of which there are as many.
func stepsMatch(steps []step, parts []string) bool {
	for i, s := range steps {
		if !s.any && s.name != parts[i] {
			return false
		}
	}
	return true
}

// indexesOf are the indexes of a kind, whose fields are there.
func indexesOf(k *Kind) []Path {
	all := slices.Clone(k.Index)
	if k.IndexLabels {
		all = append(all, labelPath)
	}
	slices.SortFunc(all, func(a, b Path) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// indexMeaning is what counts of the field for the meaning of a model: nothing where it was not written.
type indexMeaning struct {
	Paths    string `json:",omitempty"`
	NoLabels bool   `json:",omitempty"`
}

func indexMeaningOf(k *Kind) (m indexMeaning) {
	m.Paths = strings.Join(pathNames(k.Index), ", ")
	m.NoLabels = !k.IndexLabels && !k.Abstract && !k.Sensitive.Whole
	return m
}
