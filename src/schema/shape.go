package schema

import (
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
	because string            // a path that implies it, and of which rule: "index spec.ports[*].name"
}

// shapeOf returns what the rules of a kind imply of its data.
func shapeOf(k *Kind) *shape {
	root := &shape{}
	add := func(rule string, path Path) {
		if !path.IsZero() {
			root.add(path, rule+" "+path.String())
		}
	}
	for _, ref := range k.References {
		switch {
		case ref.Type == typeMap:
			add("the references at", Path{membersPath([]string{"spec", ref.Map}).text + ".*"})
		default:
			add("the references at", Path{strings.TrimSuffix(ref.At.text, ".*")}) // the slot says the rest
		}
	}
	for _, u := range k.Unique {
		for _, path := range u.Paths {
			add("the unique", path)
		}
	}
	for _, path := range k.Immutable {
		add("the immutable", path)
	}
	for _, path := range k.Index {
		add("the index of", path)
	}
	for _, column := range k.Columns {
		if s, _ := nextStep(column.Path.text); s.name != "status" {
			add("the column of", column.Path)
		}
	}
	for _, q := range k.Queries {
		add("the query of", q.Selector)
	}
	for _, pointer := range k.Sensitive.Paths {
		if names, ok := value.SplitPointer(pointer); ok {
			add("the sensitive", membersPath(names))
		}
	}
	return root
}

// add notes what a path implies.
func (s *shape) add(path Path, because string) {
	for rest := path.text; rest != ""; {
		var next step
		next, rest = nextStep(rest)
		if s.because == "" {
			s.because = because
		}
		switch {
		case next.any:
			if s.each == nil {
				s.each = &shape{}
			}
			s.keys = s.keys || !next.items
			s = s.each
		default:
			if s.members == nil {
				s.members = make(map[string]*shape)
			}
			if s.members[next.name] == nil {
				s.members[next.name] = &shape{}
			}
			s = s.members[next.name]
		}
	}
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
	if s.because == "" || v == nil || v.Kind == value.Null && !(c.strict && s.each != nil) {
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
		c.errs.Add(unprocessable(c.data, value.Pointer(c.at...), "must be "+wanted+", not "+withArticle(typeName(v)), "the ref-schema says so by "+s.because))
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

// membersPath is the path of members by their names.
func membersPath(names []string) Path {
	var text strings.Builder
	for _, name := range names {
		step{name: name}.append(&text)
	}
	return Path{text.String()}
}
