package effectiveset

import (
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// write adds a file to the set; a map without members is an empty file.
func (c *calculation) write(name string, v *value.Value) {
	if c.Values {
		c.set.Files[name], c.set.values[name] = nil, v
		return
	}
	if c.Seal != nil && isSensitive(name) {
		v = sealed(v, c.Seal, make(map[*value.Value]*value.Value))
	}
	if c.Hide {
		v = hidden(name, "", v)
	}
	c.set.Files[name] = yaml.MarshalClassic(v)
	if c.set.Files[name] == nil {
		c.set.Files[name] = []byte{}
	}
}

func sortedNames[T any](m map[string]T) []string {
	return slices.SortedFunc(maps.Keys(m), compareUTF16)
}

// sorted orders the members of a map, and of maps in it. It changes the value.
func sorted(v *value.Value) *value.Value {
	slices.SortStableFunc(v.Members, func(a, b value.Member) int { return compareUTF16(a.Name, b.Name) })
	for _, m := range v.Members {
		sorted(m.Value)
	}
	for _, item := range v.Items {
		sorted(item)
	}
	return v
}

// asMap makes a map of values, sorted.
func asMap(values map[string]*value.Value) *value.Value {
	m := value.NewMap()
	for _, name := range sortedNames(values) {
		m.Members = append(m.Members, value.Member{Name: name, Value: values[name]})
	}
	return m
}

// side says which part of a value is wanted.
type side int

const (
	plainSide side = iota
	secretSide
	externalSide
)

// divided are resolved parameters by what takes part in them.
type divided struct{ plain, secret, external map[string]*value.Value }

// divide separates what credentials take part in from the rest, and takes out empty maps and lists.
func (c *calculation) divide(all map[string]*value.Value) divided {
	d := divided{make(map[string]*value.Value), make(map[string]*value.Value), make(map[string]*value.Value)}
	for name, v := range all {
		v = c.pruned(v)
		if v == nil {
			continue
		}
		for _, part := range []struct {
			to   map[string]*value.Value
			side side
		}{{d.plain, plainSide}, {d.secret, secretSide}, {d.external, externalSide}} {
			if found := c.part(v, part.side); found != nil {
				part.to[name] = sorted(found)
			}
		}
	}
	return d
}

// pruned is a value without empty maps and lists; nil where nothing is left. An empty list stays as an element of a list.
func (c *calculation) pruned(v *value.Value) *value.Value {
	if c.external[v] != nil {
		return v
	}
	made := *v
	switch v.Kind {
	case value.Map:
		made.Members = nil
		for _, m := range v.Members {
			if m.Value = c.pruned(m.Value); m.Value != nil {
				made.Members = append(made.Members, m)
			}
		}
		if len(made.Members) == 0 {
			return nil
		}
	case value.List:
		made.Items = nil
		for _, item := range v.Items {
			if item.Kind == value.List && len(item.Items) == 0 {
				made.Items = append(made.Items, item)
			} else if left := c.pruned(item); left != nil {
				made.Items = append(made.Items, left)
			}
		}
		if len(made.Items) == 0 {
			return nil
		}
	case value.Null, value.Bool, value.Number, value.String:
		if c.secrets[v] {
			c.secrets[&made] = true
		}
	}
	return &made
}

// part is what of a value is on a side; nil where nothing is.
func (c *calculation) part(v *value.Value, wanted side) *value.Value {
	ref := c.external[v]
	switch {
	case ref != nil && wanted == externalSide:
		return ref.value(c.flow)
	case ref != nil:
		return nil
	case v.Kind == value.Map:
		made := value.NewMap()
		for _, m := range v.Members {
			if m.Value = c.part(m.Value, wanted); m.Value != nil {
				made.Members = append(made.Members, m)
			}
		}
		if len(made.Members) == 0 {
			return nil
		}
		return made
	case v.Kind == value.List:
		made := value.NewList()
		for _, item := range v.Items {
			if left := c.part(item, wanted); left != nil {
				made.Items = append(made.Items, left)
			}
		}
		if len(made.Items) == 0 && (len(v.Items) > 0 || wanted != plainSide) {
			return nil
		}
		return made
	case (c.secrets[v]) == (wanted == secretSide) && wanted != externalSide:
		return v
	}
	return nil
}
