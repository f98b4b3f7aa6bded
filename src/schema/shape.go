package schema

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// shape is what the paths of a kind's rules imply of a value: a rule that looks for spec.ports[*].name finds nothing where ports is a
// text, and so would keep nothing that it promises. The zero shape implies nothing.
type shape struct {
	members map[string]*shape // by name; where there are any, the value is an object
	each    *shape            // the items of a list or the values of an object
	keys    bool              // each is of the values of an object only
	end     bool              // a path ends here, so that a rule finds whatever stands here
	because string            // a rule and its path that continue from here
}

// shapesOf returns what the rules of a kind imply of its data, by the sort of rules: what one sort finds, another one may pass by.
func shapesOf(k *Kind) (all []*shape) {
	add := func(rules map[string][]Path) {
		root := &shape{}
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			for _, path := range rules[name] {
				root.add(path, name+" "+path.String())
			}
		}
		if root.because != "" {
			all = append(all, root)
		}
	}
	var references, unique, sensitive, columns, queries []Path
	for _, ref := range k.References {
		switch {
		case ref.Type == typeMap:
			references = append(references, Path{membersPath([]string{"spec", ref.Map}).text + ".*"})
		default:
			references = append(references, Path{strings.TrimSuffix(ref.At.text, ".*")}) // the slot says the rest
		}
	}
	for _, u := range k.Unique {
		unique = append(unique, u.Paths...)
	}
	for _, pointer := range k.Sensitive.Paths {
		if names, ok := value.SplitPointer(pointer); ok {
			sensitive = append(sensitive, pointerPath(names))
		}
	}
	for _, column := range k.Columns {
		if s, _ := nextStep(column.Path.text); s.name != "status" {
			columns = append(columns, column.Path)
		}
	}
	for _, q := range k.Queries {
		queries = append(queries, q.Selector)
	}
	add(map[string][]Path{"references at": references})
	add(map[string][]Path{"unique": unique})
	add(map[string][]Path{"immutable": k.Immutable})
	add(map[string][]Path{"sensitive": sensitive})
	add(map[string][]Path{"index": k.Index, "column": columns, "query": queries})
	return all
}

// add notes what a path implies.
func (s *shape) add(path Path, because string) {
	if path.IsZero() {
		return
	}
	for rest := path.text; rest != ""; {
		var next step
		next, rest = nextStep(rest)
		s.because = cmp.Or(s.because, because)
		if next.any {
			if s.each == nil {
				s.each = &shape{}
			}
			s.keys = s.keys || !next.items
			s = s.each
			continue
		}
		if s.members == nil {
			s.members = make(map[string]*shape)
		}
		if s.members[next.name] == nil {
			s.members[next.name] = &shape{}
		}
		s = s.members[next.name]
	}
	s.end = true
}

// check reports the values that are not as the shape says. Null is as absent, except that of a strict kind in place of a list.
func (s *shape) check(data *value.Value, strict bool, errs *dovetail.Errors) {
	w := shapeCheck{data: data, strict: strict, errs: errs}
	w.check(s, data)
}

type shapeCheck struct {
	data   *value.Value
	strict bool
	errs   *dovetail.Errors
	at     []string
}

func (c *shapeCheck) check(s *shape, v *value.Value) {
	if s.because == "" || v == nil || s.end && v.Kind < value.List || v.Kind == value.Null && !(c.strict && s.each != nil) {
		return
	}
	switch {
	case v.Kind == value.Map:
	case v.Kind == value.List && s.each != nil && !s.keys && s.members == nil:
	default:
		wanted := "an object"
		if s.each != nil && !s.keys && s.members == nil {
			wanted = "a list or an object"
		}
		addUnprocessable(c.errs, c.data, value.Pointer(c.at...), "must be "+wanted+", not "+withArticle(typeName(v)), "the ref-schema has "+s.because)
		return
	}
	for i, item := range v.Items {
		c.below(s.each, strconv.Itoa(i), item)
	}
	for i := range v.Members {
		m := &v.Members[i]
		if known := s.members[m.Name]; known != nil {
			c.below(known, m.Name, m.Value)
		}
		if s.each != nil {
			c.below(s.each, m.Name, m.Value)
		}
	}
}

func (c *shapeCheck) below(s *shape, name string, v *value.Value) {
	c.at = append(c.at, name)
	c.check(s, v)
	c.at = c.at[:len(c.at)-1]
}

// pointerPath is the path of the parts of a JSON Pointer. A number may be the place of an item.
func pointerPath(parts []string) Path {
	var text strings.Builder
	for _, part := range parts {
		_, err := strconv.ParseUint(part, 10, 32)
		step{name: part, any: err == nil, items: err == nil}.append(&text)
	}
	return Path{text.String()}
}

// membersPath is the path of members by their names.
func membersPath(names []string) Path {
	var text strings.Builder
	for _, name := range names {
		step{name: name}.append(&text)
	}
	return Path{text.String()}
}
