package rendering

import "github.com/dovetail-store/dovetail/src/dovetail"

// linkReplacements finds which documents take the place of their parents, and refuses those that
// cannot, and those that seem to want to without saying so.
func (s *Site) linkReplacements() {
	for _, n := range s.nodes {
		if n.Control || n.failed {
			continue
		}
		named := n.parent != nil && n.parent.Name == n.Name
		switch {
		case !n.Replacement && named:
			s.refuse(n, ClassInvalidDocumentReplacement, n.namePlace(), "add replacement: true to its metadata, or give it another name",
				"the document has the name of its parent in %s, but is no replacement", n.parent.Layer)
		case !n.Replacement:
		case n.parent == nil:
			s.refuse(n, ClassInvalidDocumentReplacement, n.replacementPlace(), "give it a parentSelector that matches the document to replace",
				"the document is a replacement, but has no parent to replace")
		case !named:
			s.refuse(n, ClassInvalidDocumentReplacement, n.namePlace(), "give it the name of its parent",
				"a replacement has the name of its parent, which is %s", n.parent.ID)
		case n.parent.Replacement:
			s.refuse(n, ClassInvalidDocumentReplacement, n.replacementPlace(), "replace the first document alone",
				"the document replaces %s, which is itself a replacement", n.parent.ID)
		default:
			n.parent.replacedBy = append(n.parent.replacedBy, n)
		}
	}
	s.refuseTwins()
	for _, n := range s.nodes {
		if len(n.replacedBy) < 2 {
			continue
		}
		for _, r := range n.replacedBy {
			s.refuse(r, ClassInvalidDocumentReplacement, r.replacementPlace(), "keep one of them",
				"%s is replaced by several documents: %s", n.ID, names(n.replacedBy, len(n.replacedBy)))
		}
	}
}

// refuseTwins refuses documents of one schema and name in several layers, of which none says that it replaces the other.
func (s *Site) refuseTwins() {
	var first *node
	for _, n := range s.nodes { // twins stand together
		switch {
		case n.Replacement || n.Control || n.level < 0:
		case first == nil || first.Schema != n.Schema || first.Name != n.Name:
			first = n
		case !n.failed && n.Layer != first.Layer:
			s.refuse(n, ClassInvalidDocumentReplacement, n.namePlace(), "make the one in the lower layer a replacement, or give it another name",
				"there is a document of the same schema and name in %s, and neither replaces the other", first.Layer)
		}
	}
}

func (n *node) namePlace() dovetail.Position {
	return n.place(n.Metadata().Get("name"), "metadata", "name")
}

func (n *node) replacementPlace() dovetail.Position {
	return n.place(n.Metadata().Get("replacement"), "metadata", "replacement")
}

// inEffect is the document that others get when they ask for this one: it, or what replaces it.
func (n *node) inEffect() *node {
	if len(n.replacedBy) > 0 {
		return n.replacedBy[0]
	}
	return n
}

// base is the document whose data this one inherits, nil if there is none. A replacement inherits from what
// it replaces, every other document from what is in effect.
func (n *node) base() *node {
	if n.parent == nil || len(n.actions) == 0 {
		return nil
	}
	if n.Replacement {
		return n.parent
	}
	return n.parent.inEffect()
}
