package draft

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// shape is what the values at one place have in common.
type shape struct {
	types   []string // of JSON Schema, as they were met, but null
	null    bool     // it was met, too
	members []*member
	objects int
	items   *shape
}

type member struct {
	name  string
	shape shape
	in    int // how many objects
}

// add takes in one more value.
func (s *shape) add(v *value.Value) {
	switch v.Kind {
	case value.Null:
		s.null = true
	case value.Map:
		s.is("object")
		s.objects++
		for _, m := range v.Members {
			at := s.member(m.Name)
			at.in++
			at.shape.add(m.Value)
		}
	case value.List:
		s.is("array")
		if s.items == nil {
			s.items = &shape{}
		}
		for _, item := range v.Items {
			s.items.add(item)
		}
	case value.String:
		s.is("string")
	case value.Bool:
		s.is("boolean")
	case value.Number:
		if strings.ContainsAny(v.Text, ".eE") {
			s.is("number")
		} else {
			s.is("integer")
		}
	}
}

func (s *shape) is(name string) {
	switch {
	case slices.Contains(s.types, name), name == "integer" && slices.Contains(s.types, "number"):
	case name == "number" && slices.Contains(s.types, "integer"):
		s.types[slices.Index(s.types, "integer")] = name
	default:
		s.types = append(s.types, name)
	}
}

func (s *shape) member(name string) *member {
	at := slices.IndexFunc(s.members, func(m *member) bool { return m.name == name })
	if at < 0 {
		at = len(s.members)
		s.members = append(s.members, &member{name: name})
	}
	return s.members[at]
}

// schema is the JSON Schema of the values at a place, without what stands at places that are taken.
func (s *shape) schema(at place, taken map[string]bool) *value.Value {
	all := value.NewMap()
	met := s.types
	if s.null && len(met) > 0 {
		met = append(slices.Clone(met), "null")
	}
	switch len(met) {
	case 0:
	case 1:
		all.Set("type", value.NewString(met[0]))
	default:
		types := value.NewList()
		for _, t := range met {
			types.Items = append(types.Items, value.NewString(t))
		}
		all.Set("type", types)
	}
	if free := s.free(); free != nil {
		all.Set("additionalProperties", free)
	} else if len(s.members) > 0 {
		properties := value.NewMap()
		for _, m := range s.members {
			if below := at.member(m.name); !taken[below.text] {
				properties.Set(m.name, m.shape.schema(below, taken))
			}
		}
		if len(properties.Members) > 0 {
			all.Set("properties", properties)
		}
	}
	if below := at.items(); s.items != nil && !taken[below.text] {
		all.Set("items", s.items.schema(below, taken))
	}
	return all
}

// free is the JSON Schema of the members of objects whose names are free: of several objects no two have a name in common, and all members are
// alike. It is nil for others.
func (s *shape) free() *value.Value {
	if s.objects < 2 || len(s.members) < 2 {
		return nil
	}
	first := s.members[0].shape.schema(place{}, nil)
	for _, m := range s.members {
		if m.in > 1 || len(m.shape.types) != 1 || !value.Equal(first, m.shape.schema(place{}, nil)) {
			return nil
		}
	}
	return first
}

// place is a path in the syntax of ref-schemas.
type place struct{ text, last string }

func (p place) member(name string) place {
	plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$/@:") == "" && name != ""
	switch {
	case !plain:
		return place{p.text + "[" + string(value.NewString(name).JSON()) + "]", name}
	case p.text == "":
		return place{name, name}
	default:
		return place{p.text + "." + name, name}
	}
}

func (p place) items() place { return place{p.text + "[*]", p.last} }
