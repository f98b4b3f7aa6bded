package schema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
)

// placed is a path that a field of a resource names.
type placed struct {
	field string
	path  Path
	at    dovetail.Position
}

// placedPaths are the paths into the data that a resource names beside those of references and rules.
func placedPaths(r *resource) []placed {
	var all []placed
	add := func(field string, of text) {
		if path, err := ParsePath(of.value); err == nil && !of.bad {
			all = append(all, placed{field, path, of.at})
		}
	}
	for _, u := range r.uniques {
		for _, of := range u.paths {
			add("unique", of)
		}
	}
	for _, of := range r.index.paths {
		add("index", of)
	}
	for _, of := range r.immutable {
		add("immutable", of.text)
	}
	for _, one := range r.columns {
		add("columns", one.path.text)
	}
	for _, q := range r.queries {
		if q.selector.value != "" {
			add("queries", q.selector.text)
		}
	}
	return all
}

// paths refuses paths at which nothing can be: below a misspelt spec, at a member that looks like a misspelt one of the JSON Schema, and, of
// a strict kind, at any that nothing names. Nothing would ever be unique, indexed or shown there, and nothing would be said of it.
func (c *compiler) paths(r *resource) {
	k := c.kinds[r]
	known := k.names
	if known == nil {
		known = namesOf(k, r.schema)
	}
	for _, p := range placedPaths(r) {
		steps := p.path.steps()
		if steps[0].name == "status" {
			continue
		}
		at := known
		for i, s := range steps {
			name := s.name
			if s.any {
				name = EachItem
			}
			below := at.below(name)
			if below == nil {
				c.unknownStep(r, p, at, i, name)
				break
			}
			at = below
		}
	}
}

// unknownStep refuses a path because of a member that is not known, if it cannot be there.
func (c *compiler) unknownStep(r *resource, p placed, at *named, depth int, name string) {
	k := c.kinds[r]
	members := slices.Sorted(maps.Keys(at.members))
	if depth == 0 {
		members = append(members, conventional...)
	}
	near := ""
	for _, member := range members {
		if suggest.Misspells(name, member) {
			near = member
		}
	}
	switch {
	case name == EachItem:
	case near != "":
		c.add(FaultBadValue, p.at, "did you mean "+strconv.Quote(near)+"?", "%s: %s: %s has no known member %s", r.name.value, p.field, p.path, short(name))
	case k.Strict && !at.any && (depth == 0 || p.path.steps()[0].name != "spec" || !k.looksFor(name)):
		c.add(FaultBadValue, p.at, "name it in the schema of "+k.Name+", or correct the path", "%s: %s: no %s has %s: the kind is strict, and its JSON Schema does not name %s",
			r.name.value, p.field, k.Name, p.path, short(name))
	}
}

// below returns what is known of a member, or of each item; nil for one that is not known.
func (n *named) below(name string) *named {
	switch {
	case name != EachItem:
		return n.of(name)
	case n.items != nil:
		return n.items
	}
	return n.others
}
