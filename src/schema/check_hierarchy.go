package schema

import (
	"slices"
	"strings"
)

// hierarchy finds the parent of every resource, and with it the elements of its key.
func (c *checker) hierarchy() {
	for _, r := range c.resources {
		c.parent(r)
	}
	c.loops()
	for _, r := range c.resources {
		c.elements(r)
	}
}

func (c *checker) parent(r *resource) {
	name := r.parent.value
	if name == "" {
		return
	}
	up := c.find(name)
	if up == nil {
		c.add(FaultMissingParent, r.parent.at, didYouMean(name, c.names, "define it as a resource, or correct the name"),
			"%s: unknown parent %s", r.name.value, short(name))
		r.broken = true
		return
	}
	r.up = up
	r.upHalf = len(up.own) == 2 && name == up.own[0]
}

// find returns the resource with an element name, or with a dotted name; nil if there is none.
func (c *checker) find(name string) *resource {
	if r := c.defined[name]; r != nil {
		return r
	}
	_, second, dotted := strings.Cut(name, ".")
	if r := c.defined[second]; dotted && r != nil && r.name.value == name {
		return r
	}
	return nil
}

// loops reports each cycle of parents once, at the resource of it that comes first.
func (c *checker) loops() {
	const unseen, onPath, done = 0, 1, 2
	state := make(map[*resource]int, len(c.resources))
	for _, start := range c.resources {
		var path []*resource
		r := start
		for ; r != nil && state[r] == unseen; r = r.up {
			state[r] = onPath
			path = append(path, r)
		}
		if r != nil && state[r] == onPath {
			c.loop(path[slices.Index(path, r):])
		}
		for _, r := range path {
			state[r] = done
		}
	}
}

func (c *checker) loop(cycle []*resource) {
	const shown = 10
	var names []string
	for _, r := range cycle[:min(shown, len(cycle))] {
		names = append(names, r.last())
	}
	if len(cycle) > shown {
		names = append(names, "…")
	}
	c.add(FaultLoop, cycle[0].parent.at, "give one of them another parent, or none",
		"%s is its own ancestor: %s", cycle[0].name.value, strings.Join(append(names, cycle[0].last()), " -> "))
	for _, r := range cycle {
		r.broken = true
	}
}

// elements fills in the elements of a resource and of those above it. What is below a broken
// resource is broken, too.
func (c *checker) elements(r *resource) {
	var todo []*resource
	for ; r != nil && r.elements == nil && !r.broken; r = r.up {
		todo = append(todo, r)
	}
	for _, r := range slices.Backward(todo) {
		var above []string
		if up := r.up; up != nil {
			if r.broken = up.broken; r.broken {
				continue
			}
			above = up.elements
			if r.upHalf {
				above = above[:len(above)-1]
			}
		}
		r.elements = append(slices.Clip(above), r.own...)
		if len(r.elements) > maxLevels {
			c.add(FaultTooLarge, r.parent.at, "flatten the hierarchy", "%s: its key has more than %d elements", r.name.value, maxLevels)
			r.broken = true
		}
	}
}
