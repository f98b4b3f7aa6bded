package rendering

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// labelled finds documents by their labels.
type labelled map[string][]*node

// labelled are the documents of layers by their labels, in the order of nodes.
func (s *Site) labelled() labelled {
	index := make(labelled)
	for _, n := range s.nodes {
		if labels := n.Labels(); labels != nil && n.level >= 0 {
			for _, m := range labels.Members {
				index[labelKey(m)] = append(index[labelKey(m)], n)
			}
		}
	}
	return index
}

func labelKey(m value.Member) string {
	return m.Name + "\x00" + string(rune('0'+m.Value.Kind)) + m.Value.Text
}

// selection is what documents with one selector can choose from: what it matches, by schema, the
// lowest layer first.
type selection struct {
	all      []*node // in the order of nodes
	bySchema map[string][]*node
}

// selectParents finds the parent of each document: of the documents of its schema that have all the
// labels of its selector, the one in the nearest layer above. Documents often share a selector, so
// what each matches is found once.
func (s *Site) selectParents() {
	index := s.labelled()
	selections := make(map[string]*selection)
	for _, n := range s.nodes {
		if len(n.selector) == 0 || n.level < 0 {
			continue
		}
		key := selectorKey(n.selector)
		if selections[key] == nil {
			selections[key] = index.match(n.Document)
		}
		s.choose(n, selections[key])
	}
}

func selectorKey(selector []value.Member) string {
	keys := make([]string, len(selector))
	for i, m := range selector {
		keys[i] = labelKey(m)
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x01")
}

// match finds the documents that a selector matches among those with its rarest label.
func (x labelled) match(d *Document) *selection {
	few := x[labelKey(d.selector[0])]
	for _, m := range d.selector[1:] {
		if nodes := x[labelKey(m)]; len(nodes) < len(few) {
			few = nodes
		}
	}
	found := &selection{bySchema: make(map[string][]*node)}
	for _, n := range few {
		if d.selects(n.Labels()) {
			found.all = append(found.all, n)
			found.bySchema[n.Schema] = append(found.bySchema[n.Schema], n)
		}
	}
	for _, nodes := range found.bySchema {
		slices.SortStableFunc(nodes, func(a, b *node) int { return b.level - a.level })
	}
	return found
}

// choose sets the parent of a document.
func (s *Site) choose(n *node, from *selection) {
	same := from.bySchema[n.Schema]
	above := same[firstAbove(same, n.level):]
	// What is left over cannot be a parent: documents of other schemas and layers, not the document itself.
	others := len(from.all) - len(above)
	if n.selects(n.Labels()) {
		others--
	}
	if others > 0 && !s.reportOthers(n, from, others) {
		return
	}
	if len(above) == 0 {
		if others == 0 {
			s.warn(n.ID, ClassInvalidDocumentParent, n.selectorPlace(), "correct the selector, or remove it",
				"the parentSelector matches no document, so that nothing is inherited")
		}
		return
	}
	if len(above) > 1 && above[1].level == above[0].level {
		several := nearest(above)
		s.refuse(n, ClassIndeterminateDocumentParent, n.selectorPlace(), "add a label to the selector that only one of them has",
			"the parentSelector matches several documents of the layer %s: %s", above[0].Layer, names(several, len(several)))
		return
	}
	n.parent = above[0]
}

// firstAbove returns where the documents of higher layers begin.
func firstAbove(nodes []*node, level int) int {
	i, _ := slices.BinarySearchFunc(nodes, level, func(n *node, level int) int {
		if n.level >= level {
			return -1
		}
		return 1
	})
	return i
}

// nearest returns those that are in the layer of the first one.
func nearest(nodes []*node) []*node {
	for i, n := range nodes {
		if n.level != nodes[0].level {
			return nodes[:i]
		}
	}
	return nodes
}

// reportOthers tells which documents the selector matches that cannot be the parent, of which there are so many, and returns
// whether that is accepted.
func (s *Site) reportOthers(n *node, from *selection, total int) bool {
	var others []*node
	for _, other := range from.all {
		if len(others) == maxNames {
			break
		}
		if other != n && (other.Schema != n.Schema || other.level >= n.level) {
			others = append(others, other)
		}
	}
	const message = "the parentSelector matches what cannot be a parent, since it is of another schema or not in a higher layer: %s"
	const remedy = "add a label to the selector that they do not have"
	if s.strict {
		s.refuse(n, ClassInvalidDocumentParent, n.selectorPlace(), remedy, message, names(others, total))
		return false
	}
	s.warn(n.ID, ClassInvalidDocumentParent, n.selectorPlace(), remedy, message, names(others, total))
	return true
}

func (n *node) selectorPlace() dovetail.Position {
	return n.place(n.Metadata().At("layeringDefinition", "parentSelector"), "metadata", "layeringDefinition", "parentSelector")
}

// maxNames is how many documents a message names.
const maxNames = 5

// names lists documents for a message, the first of this many.
func names(nodes []*node, total int) string {
	var all []string
	for _, n := range nodes[:min(len(nodes), maxNames)] {
		all = append(all, n.String())
	}
	text := strings.Join(all, ", ")
	if more := total - len(all); more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
