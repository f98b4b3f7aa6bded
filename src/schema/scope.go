package schema

import (
	"cmp"

	"github.com/dovetail-store/dovetail/src/value"
)

// scope is the part of a value that a JSON Schema reads. Often only a few members of data have a schema, such as those of
// documents and parameters; the rest need not be converted for the check.
type scope struct {
	whole   bool              // at everything
	members map[string]*scope // of a map, at the members of these names
	others  *scope            // of a map, at all other members, nil for not at all
	items   *scope            // of a list, at all items, nil for not at all
}

// kindOnly looks at nothing that is in a list or map.
var kindOnly = &scope{}

// scopeOf reads the scope of a JSON Schema. With keywords other than a few plain ones it is the whole value.
func scopeOf(schema *value.Value) *scope {
	everything := &scope{whole: true}
	if schema == nil || schema.Kind != value.Map {
		return everything
	}
	s := &scope{members: make(map[string]*scope)}
	for _, keyword := range schema.Members {
		switch keyword.Name {
		case "type", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
			"format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		case "properties":
			for _, m := range keyword.Value.Members {
				s.members[m.Name] = scopeOf(m.Value)
			}
		case "required", "additionalProperties": // below, since they say something of other members
		case "items":
			s.items = scopeOf(keyword.Value)
		default:
			return everything
		}
	}
	if others := schema.Get("additionalProperties"); others != nil {
		if s.others = scopeOf(others); others.Kind == value.Bool {
			s.others = kindOnly
		}
	}
	if required := schema.Get("required"); required != nil {
		for _, name := range required.Items {
			if s.members[name.Text] == nil {
				s.members[name.Text] = cmp.Or(s.others, kindOnly)
			}
		}
	}
	return s
}

// of is the scope of a member, nil when it is not looked at.
func (s *scope) of(member string) *scope {
	if known := s.members[member]; known != nil {
		return known
	}
	return s.others
}

// toAny is value.ToAny of what is examined.
func (s *scope) toAny(v *value.Value) any {
	switch {
	case s.whole || v == nil:
		return value.ToAny(v)
	case v.Kind == value.List:
		items := []any{}
		if s.items != nil {
			for _, item := range v.Items {
				items = append(items, s.items.toAny(item))
			}
		}
		return items
	case v.Kind == value.Map:
		members := make(map[string]any, min(len(v.Members), len(s.members)))
		for _, m := range v.Members {
			if of := s.of(m.Name); of != nil {
				members[m.Name] = of.toAny(m.Value)
			}
		}
		return members
	}
	return value.ToAny(v)
}
