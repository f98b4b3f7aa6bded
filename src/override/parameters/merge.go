package parameters

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// Source is where parameters come from.
type Source struct {
	Name  string `json:"name"`           // of the ParamSet, or the path of the file
	File  bool   `json:"file,omitempty"` // it is a file of the generated effective set, not a ParamSet
	Level Level  `json:"level,omitempty"`
	// Location is where the ParamSet is.
	Location string `json:"location,omitempty"`
	Order    int    `json:"order"` // within its level, from 0
	// Override says that it is laid over the generated effective set.
	Override bool `json:"override,omitempty"`
}

// Layer is a source with its parameters.
type Layer struct {
	Source
	Values *value.Value // a map; nil if there is nothing
	// Input says that the layer provides no values itself and is only listed in the steps of values that others
	// provide: those were generated from it.
	Input bool
}

// Step is one source's part in a value.
type Step struct {
	Layer int // place of the source in what was merged
	// Path is where the source sets something: the leaf's own, or, of a value that a map replaced as a
	// whole, one above it.
	Path  string
	Value *value.Value
}

// Leaf is a value that is no map, or an empty map, with where it comes from.
type Leaf struct {
	Path  string // JSON Pointer
	Value *value.Value
	Steps []Step // in the order of the layers; never empty
	won   int
}

// Winner is the step whose value it is.
func (l *Leaf) Winner() Step { return l.Steps[l.won] }

// Merged is what layers make together.
type Merged struct {
	Value  *value.Value // a map; it shares nothing with the layers
	Leaves []Leaf       // in the order of Value
}

// Merge lays the layers over each other, each over those before it: maps are merged recursively, lists and
// everything else are replaced. What stays keeps its place, what is new comes last.
func Merge(layers []Layer) *Merged {
	m := merger{layers: layers}
	var steps []Step
	for i, layer := range layers {
		if layer.Values != nil && layer.Values.Kind == value.Map {
			steps = append(steps, Step{Layer: i, Value: layer.Values})
		}
	}
	m.merged.Value = m.maps("", steps, nil)
	return &m.merged
}

type merger struct {
	layers []Layer
	merged Merged
}

func (m *merger) gives(s Step) bool { return !m.layers[s.Layer].Input }

// node merges what the steps say about one place, at least one of which gives a value; above are the steps
// that lost already further up.
func (m *merger) node(path string, steps, above []Step) *value.Value {
	last, scalar := -1, -1 // scalar: the last one that is no map
	filled := false
	for i, s := range steps {
		if !m.gives(s) {
			continue
		}
		last = i
		if s.Value.Kind != value.Map {
			scalar, filled = i, false
		} else if len(s.Value.Members) > 0 {
			filled = true
		}
	}
	if scalar == last || !filled {
		leaf := Leaf{Path: path, Value: steps[last].Value, Steps: steps, won: len(above) + last}
		if len(above) > 0 {
			leaf.Steps = slices.Concat(above, steps)
		}
		m.merged.Leaves = append(m.merged.Leaves, leaf)
		return leaf.Value.Unplaced()
	}
	if scalar < 0 && !m.hasScalarInput(steps) {
		return m.maps(path, steps, above) // all are maps, as almost always
	}
	lost := slices.Clone(above)
	var kept []Step
	for i, s := range steps {
		if s.Value.Kind != value.Map || m.gives(s) && i < scalar {
			lost = append(lost, s)
		} else {
			kept = append(kept, s)
		}
	}
	return m.maps(path, kept, lost)
}

func (m *merger) hasScalarInput(steps []Step) bool {
	for _, s := range steps {
		if s.Value.Kind != value.Map {
			return true
		}
	}
	return false
}

// maps merges maps member by member.
func (m *merger) maps(path string, steps, above []Step) *value.Value {
	merged := value.NewMap()
	if len(steps) == 1 && m.gives(steps[0]) {
		m.only(merged, path, steps[0], above)
		return merged
	}
	places := make(map[string]int)
	var names []string
	for _, s := range steps {
		if !m.gives(s) {
			continue
		}
		for _, member := range s.Value.Members {
			if _, ok := places[member.Name]; !ok {
				places[member.Name] = len(names)
				names = append(names, member.Name)
			}
		}
	}
	members := make([][]Step, len(names))
	for _, s := range steps {
		for _, member := range s.Value.Members {
			if i, ok := places[member.Name]; ok {
				members[i] = append(members[i], Step{Layer: s.Layer, Value: member.Value})
			}
		}
	}
	for i, name := range names {
		inner := join(path, name)
		for j := range members[i] {
			members[i][j].Path = inner
		}
		merged.Members = append(merged.Members, value.Member{Name: name, Value: m.node(inner, members[i], above)})
	}
	return merged
}

// only takes over the members of the one map that there is.
func (m *merger) only(merged *value.Value, path string, s Step, above []Step) {
	for _, member := range s.Value.Members {
		inner := join(path, member.Name)
		v := m.node(inner, []Step{{Layer: s.Layer, Path: inner, Value: member.Value}}, above)
		merged.Members = append(merged.Members, value.Member{Name: member.Name, Value: v})
	}
}

// join adds a name to a path, mostly without the work of escaping it.
func join(path, name string) string {
	if strings.ContainsAny(name, "~/") {
		return path + value.Pointer(name)
	}
	return path + "/" + name
}
