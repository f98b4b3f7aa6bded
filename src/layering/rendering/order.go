package rendering

import (
	"slices"
	"strconv"
	"strings"
)

// needs calls visit for each document that must be rendered before this one.
func (n *node) needs(visit func(*node)) {
	if base := n.base(); base != nil {
		visit(base)
	}
	for _, source := range n.sources {
		if source != nil {
			visit(source)
		}
	}
}

// order returns the documents in an order in which each comes after those that it needs. Documents
// that need each other, directly or through others, are refused.
func (s *Site) order() []*node {
	o := ordering{site: s, places: make(map[*node]*place, len(s.nodes))}
	for _, n := range s.nodes {
		if o.places[n] == nil {
			o.visit(n)
		}
	}
	return o.done
}

// ordering is Tarjan's algorithm: it finds the groups of documents that need each other, and each
// after those that it needs.
type ordering struct {
	site   *Site
	places map[*node]*place
	stack  []*node
	done   []*node
}

type place struct {
	index, low int
	stack      int // where on the stack it is
	onStack    bool
}

func (o *ordering) visit(n *node) *place {
	p := &place{index: len(o.places), low: len(o.places), stack: len(o.stack), onStack: true}
	o.places[n] = p
	o.stack = append(o.stack, n)
	itself := false
	n.needs(func(needed *node) {
		q := o.places[needed]
		switch {
		case needed == n:
			itself = true
		case q == nil:
			p.low = min(p.low, o.visit(needed).low)
		case q.onStack:
			p.low = min(p.low, q.index)
		}
	})
	if p.low < p.index {
		return p
	}
	group := o.stack[p.stack:]
	for _, member := range group {
		o.places[member].onStack = false
	}
	if len(group) > 1 || itself {
		o.site.refuseCycle(group)
	}
	o.done = append(o.done, group...)
	o.stack = o.stack[:p.stack]
	return p
}

// maxWay is how many documents of a circle a message names.
const maxWay = 20

// refuseCycle refuses documents that need each other, with one error that shows a way around.
func (s *Site) refuseCycle(group []*node) {
	in := make(map[*node]bool, len(group))
	for _, n := range group {
		in[n] = true
		n.failed = true
	}
	if s.faults.Full() {
		s.faults.Count(1)
		return
	}
	first := slices.MinFunc(group, func(a, b *node) int { return a.compare(b.ID) })
	all := around(first, in)
	var way []string
	for _, n := range all[:min(len(all), maxWay)] {
		way = append(way, n.String())
	}
	if more := len(all) - len(way); more > 0 {
		way = append(way, strconv.Itoa(more)+" more, the last of which")
	}
	at := first.place(first.Metadata().Get("substitutions"), "metadata", "substitutions")
	s.refuse(first, ClassSubstitutionDependencyCycle, at, "remove one of the substitutions",
		"the documents need each other: %s", strings.Join(append(way, first.String()), " needs "))
}

// around returns the shortest way from a document back to itself, within a group.
func around(first *node, in map[*node]bool) []*node {
	before := map[*node]*node{}
	queue := []*node{first}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		var back bool
		n.needs(func(needed *node) {
			if needed == first {
				back = true
			}
			if in[needed] && before[needed] == nil && needed != first {
				before[needed] = n
				queue = append(queue, needed)
			}
		})
		if back {
			var way []*node
			for ; n != first; n = before[n] {
				way = append(way, n)
			}
			slices.Reverse(way)
			return append([]*node{first}, way...)
		}
	}
	return []*node{first}
}
