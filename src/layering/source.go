package layering

import "strconv"

// linkSources finds the documents that substitutions take values from.
func (s *Site) linkSources() {
	for _, n := range s.nodes {
		if len(n.substitutions) == 0 {
			continue
		}
		n.sources = make([]*node, len(n.substitutions))
		for i := range n.substitutions {
			n.sources[i] = s.source(n, i)
		}
	}
}

// source finds the source of a substitution: the concrete document of that schema and name that is
// in effect. Of several in different layers it is the one in the lowest, which is the most specific.
func (s *Site) source(n *node, i int) *node {
	sub := &n.substitutions[i]
	var found, abstract *node
	several := false
	for _, candidate := range s.byName[key(sub.schema, sub.name)] {
		switch {
		case len(candidate.replacedBy) > 0:
		case candidate.Abstract:
			abstract = candidate
		default:
			several = found != nil
			if found == nil || candidate.level > found.level {
				found = candidate
			}
		}
	}
	at := n.place(sub.v.Get("src"), "metadata", "substitutions", strconv.Itoa(i), "src")
	switch {
	case found != nil && several:
		s.warnings = append(s.warnings, newFault(ClassSubstitutionSourceNotFound, n.ID, at, "make one of them a replacement, or give them different names",
			"there is more than one source %s %s; the one in %s is taken", sub.schema, short(sub.name), found.Layer))
	case found != nil:
	case abstract != nil:
		s.refuse(n, ClassSubstitutionSourceNotFound, at, "take the value from a concrete document", "the source %s is abstract", abstract.ID)
	default:
		s.refuse(n, ClassSubstitutionSourceNotFound, at, "correct schema and name, or add the document",
			"there is no source %s %s", sub.schema, short(sub.name))
	}
	return found
}
