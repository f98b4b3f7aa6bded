package rendering

import "slices"

// ResolveAfter is Resolve of documents many of which are those of another site. What that one has rendered is taken over where
// nothing that it is made of has changed, so that rendering costs as much as what did change. Documents count as the same if
// their pointers are equal.
func ResolveAfter(before *Site, documents []*Document, o Options) *Site {
	s := Resolve(documents, o)
	s.known.Store(before.known.Load())
	return s
}

// takeOver takes for a document what another rendering made of it, if this one would make the same of it.
func (s *Site) takeOver(n *node) bool {
	before := s.known.Load()
	if before == nil || n.failed {
		return false
	}
	old := before.byDocument[n.Document]
	if old == nil || old.failed || old.warned || before.index != s.index || s.texts+old.texts > MaxTexts {
		return false
	}
	if !sameMade(n.base(), old.base()) || !slices.EqualFunc(n.sources, old.sources, sameMade) {
		return false
	}
	n.data, n.size, n.secret, n.texts, n.taken = old.data, old.size, old.secret, old.texts, old
	s.texts += n.texts
	return true
}

// sameMade reports whether a document that is needed is the one that was needed before, and nothing else became of it.
func sameMade(n, old *node) bool {
	return n == nil && old == nil || n != nil && old != nil && n.taken == old
}

// isValidated reports whether the data of a document was found valid by another rendering, against the same schemas.
func (s *Site) isValidated(n *node) bool {
	return n.taken != nil && n.taken.validated && slices.Equal(s.dataSchemas[n.Schema], n.taken.site.dataSchemas[n.Schema])
}

// keep lets the sites that come after this one take over what was rendered, if all of it was. The rendering that this one took
// from is needed no more.
func (s *Site) keep() {
	for _, n := range s.nodes {
		n.taken = nil
	}
	if s.err == nil {
		s.known.Store(s)
	} else {
		s.known.Store(nil)
	}
}
