package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Bounds on what a schema may define. Real ones stay far below.
const (
	maxKinds      = 2_000
	maxLevels     = 32 // elements of a key
	maxRoutes     = 64 // places where one kind is served
	maxNameLength = 64
)

// reserved are names that stored documents use for something else than key elements.
var reserved = []string{"_id", "created", "data", "keyId", "mark", "references", "refs", "revision", "status", "uid", "updated"}

// checker holds the entries of all segments against each other.
type checker struct {
	*faults
	resources []*resource          // those with a usable name, in the order of sources
	defined   map[string]*resource // by each element name
	names     []string             // the keys of defined, sorted, for suggestions
}

// check finds everything that is wrong with what was parsed except paths and data schemas, which
// show when they are compiled. Of the resources it returns all that have a usable name.
func check(segments []*segment, f *faults) []*resource {
	c := &checker{faults: f, defined: make(map[string]*resource)}
	for _, s := range c.segments(segments) {
		for _, r := range s.resources {
			c.define(r)
		}
	}
	if len(c.resources) > maxKinds {
		at := c.resources[maxKinds].at
		c.add(FaultTooLarge, at, "split the schema between several stores", "more than %d resources", maxKinds)
		c.resources = c.resources[:maxKinds]
	}
	c.names = slices.Sorted(maps.Keys(c.defined))
	c.hierarchy()
	for _, r := range c.resources {
		for _, rule := range r.references {
			c.rule(r, rule)
		}
		if r.broken {
			continue
		}
		c.duplicateRules(r)
		c.served(r)
		c.content(r)
		c.abstract(r)
		c.sensitive(r)
		c.history(r)
		c.inputs(r)
		c.uniques(r)
		c.columns(r)
		c.immutable(r)
		c.conditions(r)
		c.index(r)
		c.defaults(r)
		c.lifecycle(r)
		c.queries(r)
	}
	return c.resources
}

// segments drops a duplicate segment of the same text, and reports different ones of one name.
func (c *checker) segments(all []*segment) []*segment {
	first := make(map[string]*segment, len(all))
	var kept []*segment
	for _, s := range all {
		name := s.name.value
		earlier := first[name]
		switch {
		case name == "" || earlier == nil:
			first[name] = s
			kept = append(kept, s)
		case value.Equal(s.value, earlier.value):
			c.warn(FaultDuplicateSegment, s.name.at, "remove one of the two",
				"duplicate segment %q, first at %s", name, earlier.name.at)
		default:
			c.add(FaultDuplicateSegment, s.name.at, "give each segment a name of its own, or leave the name out",
				"another segment is called %q, at %s", name, earlier.name.at)
			kept = append(kept, s)
		}
	}
	return kept
}

// define checks the names of a resource and enters it under them.
func (c *checker) define(r *resource) {
	if !c.nameOf(r) {
		return
	}
	c.resources = append(c.resources, r)
	for _, name := range r.own {
		if earlier := c.defined[name]; earlier != nil {
			c.add(FaultDuplicateResource, r.name.at, "give it another name, or remove one of the two: element names are unique over all kinds",
				"%s is defined already, at %s", quoteIn(name, r.name.value), earlier.name.at)
			r.broken = true
			continue
		}
		c.defined[name] = r
	}
}

// nameOf reports whether the name of a resource can be used.
func (c *checker) nameOf(r *resource) bool {
	name := r.name.value
	switch {
	case r.name.bad:
		return false
	case name == "":
		c.add(FaultBadName, r.name.at, `add "name: ..."`, "a resource has no name")
		return false
	case len(r.own) > 2:
		c.add(FaultBadName, r.name.at, "join at most two element names by a dot: compositeApp.compositeAppVersion",
			"the name %s has %d parts", short(name), len(r.own))
		return false
	}
	for _, element := range r.own {
		switch {
		case !dovetail.IsElementName(element) || len(element) > maxNameLength:
			c.add(FaultBadName, r.name.at, fmt.Sprintf("use up to %d letters, digits, '-' and '_', with a letter or digit at both ends", maxNameLength),
				"%s cannot name a key element", quoteIn(element, name))
			return false
		case slices.Contains(reserved, element):
			c.add(FaultReservedName, r.name.at, "choose another name",
				"the name %s is taken: stored documents use it", short(element))
			return false
		}
	}
	return true
}

// short quotes a text for a message, cut when it is long.
func short(text string) string {
	if len(text) > maxNameLength {
		text = strings.ToValidUTF8(text[:maxNameLength], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// quoteIn quotes one half of a name, and adds the whole name.
func quoteIn(half, name string) string {
	if half == name {
		return short(half)
	}
	return short(half) + " in " + short(name)
}
