package layering

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// deckhandOrder is the order in which Deckhand renders the documents of an index, and answers them. What others are made of comes
// before them, generation by generation from the last; what is not linked with anything follows, in the order of first creation.
func (s *site) deckhandOrder(x index) []rendering.ID {
	byFirst := x.sorted()
	slices.SortStableFunc(byFirst, func(a, b entry) int { return a.first - b.first })
	g := graph{edges: make(map[rendering.ID][]rendering.ID), degree: make(map[rendering.ID]int)}
	replacedBy := make(map[rendering.ID]rendering.ID)
	for _, e := range byFirst {
		if replaced := s.links.Links(s.documents[e.content]).Replaces; replaced != nil {
			replacedBy[replaced.ID] = e.id
		}
	}
	for _, e := range byFirst {
		links := s.links.Links(s.documents[e.content])
		if links.Parent != nil {
			parent := links.Parent.ID
			if other, replaced := replacedBy[parent]; replaced && other != e.id {
				parent = other
			}
			g.link(e.id, parent)
		}
		for _, source := range links.Sources {
			g.link(e.id, source.ID)
		}
	}
	order := g.generations()
	slices.Reverse(order)
	for _, e := range byFirst {
		if _, linked := g.degree[e.id]; !linked {
			order = append(order, e.id)
		}
	}
	return order
}

// graph is which documents are made of which.
type graph struct {
	nodes  []rendering.ID // in the order of their first links
	edges  map[rendering.ID][]rendering.ID
	degree map[rendering.ID]int // how many are made of a document
}

func (g *graph) add(id rendering.ID) {
	if _, known := g.degree[id]; !known {
		g.nodes, g.degree[id] = append(g.nodes, id), 0
	}
}

func (g *graph) link(from, to rendering.ID) {
	g.add(from)
	g.add(to)
	if !slices.Contains(g.edges[from], to) {
		g.edges[from] = append(g.edges[from], to)
		g.degree[to]++
	}
}

// generations sorts topologically: first what nothing is made of, then what only documents before are made of, and so on.
func (g *graph) generations() []rendering.ID {
	var order, generation []rendering.ID
	left := make(map[rendering.ID]int, len(g.nodes))
	for _, id := range g.nodes {
		if left[id] = g.degree[id]; left[id] == 0 {
			generation = append(generation, id)
		}
	}
	for len(generation) > 0 {
		order = append(order, generation...)
		var next []rendering.ID
		for _, id := range generation {
			for _, to := range g.edges[id] {
				if left[to]--; left[to] == 0 {
					next = append(next, to)
				}
			}
		}
		generation = next
	}
	return order
}
