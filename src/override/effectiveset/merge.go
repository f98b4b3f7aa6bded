package effectiveset

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// merge lays levels over one another, later ones over earlier ones.
func (c *calculation) merge(levels ...parameters) parameters {
	merged := make(parameters)
	for _, level := range levels {
		for name, later := range level {
			before, both := merged[name]
			if !both {
				merged[name] = later
				continue
			}
			merged[name] = parameter{c.mergeValues(name, before.value, later.value, later.file), later.file}
		}
	}
	return merged
}

// mergeValues merges maps by their members, unites lists, and otherwise takes the later value.
func (c *calculation) mergeValues(name string, before, later *value.Value, file string) *value.Value {
	switch {
	case before == later:
		return later
	case before.Kind == value.Map && later.Kind == value.Map && c.external[before] == nil && c.external[later] == nil:
		made := *later
		made.Members = slices.Clone(before.Members)
		for _, m := range later.Members {
			at := slices.IndexFunc(made.Members, func(b value.Member) bool { return b.Name == m.Name })
			if at < 0 {
				made.Members = append(made.Members, m)
				continue
			}
			made.Members[at].Value = c.mergeValues(name+"."+m.Name, made.Members[at].Value, m.Value, file)
		}
		return &made
	case before.Kind == value.List && later.Kind == value.List:
		made := *later
		made.Items = slices.Clone(before.Items)
		for _, item := range later.Items {
			if !slices.ContainsFunc(made.Items, func(b *value.Value) bool { return value.Equal(b, item) }) {
				made.Items = append(made.Items, item)
			}
		}
		if len(made.Items) > len(later.Items) && file != "" {
			c.find(ListsUnited, later.In(file), "the list "+name+" does not replace that of an earlier level: both are united")
		}
		return &made
	}
	return later
}
