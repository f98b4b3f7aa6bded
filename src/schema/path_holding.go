package schema

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// Holding returns the smallest data that has values at the places that the path names: all of them, where the path ends in
// [*] as the items of that list, in .* as the members of that map, called by the names, of which there are as many; and the
// last value alone where it ends otherwise. An earlier .* stands for a member of the first name.
func (p Path) Holding(names []string, values []*value.Value) *value.Value {
	steps := p.steps()
	many := steps[len(steps)-1].any
	v := values[len(values)-1]
	for _, s := range slices.Backward(steps) {
		switch {
		case s.items && many:
			v, many = value.NewList(values...), false
		case s.items:
			v = value.NewList(v)
		case s.any && many:
			members := value.NewMap()
			for i, name := range names {
				members.Set(name, values[i])
			}
			v, many = members, false
		case s.any:
			v = value.NewMap(value.Member{Name: names[0], Value: v})
		default:
			v = value.NewMap(value.Member{Name: s.name, Value: v})
		}
	}
	return v
}
