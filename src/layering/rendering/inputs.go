package rendering

import "slices"

// inputs calls visit for each document that the result of this one is made of, without what those are made of: the layering
// policy, the parent and what is in effect in its place, and the sources of substitutions.
func (n *node) inputs(visit func(*node)) {
	if n.Control {
		return
	}
	if policy := n.site.byDocument[n.site.policy]; policy != nil {
		visit(policy)
	}
	if n.parent != nil {
		visit(n.parent)
	}
	n.needs(visit)
}

// Inputs returns the documents that rendering one document of the site reads, directly or through others, in the order of
// schema, name and layer: the document, the layering policy, its parents, the document that it replaces, and its sources.
func (s *Site) Inputs(d *Document) []ID {
	first := s.byDocument[d]
	if first == nil {
		return nil
	}
	seen := map[*node]bool{first: true}
	queue := []*node{first}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		n.inputs(func(input *node) {
			if !seen[input] {
				seen[input] = true
				queue = append(queue, input)
			}
		})
	}
	ids := make([]ID, 0, len(seen))
	for n := range seen {
		ids = append(ids, n.ID)
	}
	slices.SortFunc(ids, ID.compare)
	return ids
}

// Derived returns the documents of the site of whose Inputs there is any that is chosen, by their IDs. The time is linear
// in the documents and their substitutions.
func (s *Site) Derived(chosen func(*Document) bool) map[ID]bool {
	derived := make(map[ID]bool)
	var queue []*node
	for _, n := range s.nodes {
		if chosen(n.Document) {
			derived[n.ID] = true
			queue = append(queue, n)
		}
	}
	if len(queue) == 0 {
		return derived
	}
	readBy := make(map[*node][]*node, len(s.nodes))
	for _, n := range s.nodes {
		n.inputs(func(input *node) { readBy[input] = append(readBy[input], n) })
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, reader := range readBy[n] {
			if !derived[reader.ID] {
				derived[reader.ID] = true
				queue = append(queue, reader)
			}
		}
	}
	return derived
}
