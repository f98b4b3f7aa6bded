package rendering

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// linkSources finds the documents that substitutions take values from.
func (s *Site) linkSources() {
	known := make(map[string]candidates)
	for _, n := range s.nodes {
		if len(n.substitutions) == 0 {
			continue
		}
		n.sources = make([]*node, len(n.substitutions))
		for i := range n.substitutions {
			of := key(n.substitutions[i].schema, n.substitutions[i].name)
			c, looked := known[of]
			if !looked {
				c = s.candidates(of)
				known[of] = c
			}
			n.sources[i] = s.source(n, i, c)
		}
	}
}

// candidates are what a substitution can take of the documents of one schema and name. There may be many of them, in
// as many layers, and as many substitutions that name them.
type candidates struct {
	found    *node // in effect and concrete, in the lowest layer, which is the most specific
	abstract *node
}

func (s *Site) candidates(of string) (c candidates) {
	for _, n := range s.byName[of] {
		switch {
		case len(n.replacedBy) > 0:
		case n.Abstract:
			c.abstract = n
		default:
			if c.found == nil || n.level > c.found.level {
				c.found = n
			}
		}
	}
	return c
}

// source is the source of a substitution: the concrete document of that schema and name that is in effect.
func (s *Site) source(n *node, i int, c candidates) *node {
	sub := &n.substitutions[i]
	at := n.place(sub.v.Get("src"), "metadata", "substitutions", strconv.Itoa(i), "src")
	switch {
	case c.found != nil:
	case c.abstract != nil:
		s.missing(&s.warnings, n, ClassSubstitutionSourceNotFound, at, "take the value from a concrete document", "the source %s is abstract", c.abstract.ID)
	default:
		s.missing(&s.warnings, n, ClassSubstitutionSourceNotFound, at, "correct schema and name, or add the document",
			"there is no source %s %s", sub.schema, short(sub.name))
	}
	return c.found
}

// missing refuses a document without a source, or warns that its substitution is skipped, as the options say.
func (s *Site) missing(warnings *dovetail.Errors, n *node, class string, at dovetail.Position, remedy, format string, args ...any) {
	if !s.options.AllowMissingSources {
		s.refuse(n, class, at, remedy, format, args...)
		return
	}
	note(warnings, class, n.ID, at, remedy, format+"; the substitution is skipped", args...)
}
