package parameters

import (
	"cmp"
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// Overlap is a place where several layers set a value that cannot be merged: it is no map in one of them.
type Overlap struct {
	Path   string
	Layers []int // places of the layers
}

// Overlaps finds where layers overlap, in the order of paths. Below a value that replaces what came before it,
// only what comes after it counts.
func Overlaps(layers []Layer) []Overlap {
	var o overlaps
	var steps []Step
	for i, layer := range layers {
		if layer.Values != nil && layer.Values.Kind == value.Map {
			steps = append(steps, Step{Layer: i, Value: layer.Values})
		}
	}
	o.maps(nil, steps)
	slices.SortFunc(o.found, func(a, b Overlap) int { return cmp.Compare(a.Path, b.Path) })
	return o.found
}

type overlaps struct{ found []Overlap }

// maps looks for the names that several maps have. Those of the largest need not be remembered for that.
func (o *overlaps) maps(path []string, steps []Step) {
	if len(steps) < 2 {
		return
	}
	largest := 0
	for i, s := range steps {
		if len(s.Value.Members) > len(steps[largest].Value.Members) {
			largest = i
		}
	}
	members := make(map[string][]Step)
	for i, s := range steps {
		for _, m := range s.Value.Members {
			if i != largest {
				members[m.Name] = append(members[m.Name], Step{Layer: s.Layer, Value: m.Value})
			}
		}
	}
	for _, m := range steps[largest].Value.Members {
		if others, ok := members[m.Name]; ok {
			members[m.Name] = append(others, Step{Layer: steps[largest].Layer, Value: m.Value})
		}
	}
	for name, steps := range members {
		if len(steps) > 1 {
			slices.SortFunc(steps, func(a, b Step) int { return a.Layer - b.Layer })
			o.node(append(path[:len(path):len(path)], name), steps)
		}
	}
}

// node looks at one place that several layers set.
func (o *overlaps) node(path []string, steps []Step) {
	after := 0
	for i, s := range steps {
		if s.Value.Kind != value.Map {
			after = i + 1
		}
	}
	if after > 0 {
		found := Overlap{Path: value.Pointer(path...)}
		for _, s := range steps {
			found.Layers = append(found.Layers, s.Layer)
		}
		o.found = append(o.found, found)
	}
	o.maps(path, steps[after:])
}
