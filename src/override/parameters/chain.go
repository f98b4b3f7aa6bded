package parameters

import (
	"cmp"
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// Associated is a ParamSet with the place where an environment uses it.
type Associated struct {
	Context  Context
	Object   string // Cloud or a deploy postfix
	Order    int    // within context and object
	Name     string
	Location Location
	ParamSet *value.Value // with parameters and applications; nil when there is none
}

// Chain returns the layers that the ParamSets of one level make for a target, in their order: those
// associated with the environment, or with the namespace, with their parameters, and for an application
// those of its namespace with the parameters that they have for it. ParamSets that say nothing for the
// target are left out. It does not change all.
func Chain(t Target, all []Associated) []Layer {
	var mine []Associated
	for _, a := range all {
		if a.Context == t.Context && a.Object == t.Object() {
			mine = append(mine, a)
		}
	}
	slices.SortStableFunc(mine, func(a, b Associated) int { return cmp.Compare(a.Order, b.Order) })
	var layers []Layer
	for _, a := range mine {
		values := Of(a.ParamSet, t.Application)
		if values == nil || len(values.Members) == 0 {
			continue
		}
		layers = append(layers, Layer{Values: values, Source: Source{Name: a.Name, Level: t.Level(),
			Location: a.Location.String(), Order: a.Order}})
	}
	return layers
}

// Split divides the chains of a target and of what is above it into overrides, from the environment down,
// and everything else, in the order in which they apply.
func Split(t Target, all []Associated) (inputs, overrides []Layer) {
	for _, level := range t.Above() {
		for _, layer := range Chain(level, all) {
			if layer.Name == level.Name() && layer.Location == level.Location().String() {
				overrides = append(overrides, layer)
			} else {
				inputs = append(inputs, layer)
			}
		}
	}
	return inputs, overrides
}
