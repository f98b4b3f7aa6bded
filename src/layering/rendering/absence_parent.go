package rendering

import (
	"cmp"
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// maxCandidates is how many documents a reason names that could have been inherited from.
const maxCandidates = 3

// parents adds which documents are not inherited from: where a selector matches nothing, and where the value is missing.
func (w *absences) parents() {
	for n := w.n; n != nil && !n.Control; n = n.base() {
		switch {
		case n.base() == nil && len(n.selector) > 0:
			w.addAt(Reason{Cause: CauseNoParent, Document: n.ID, Message: "the parentSelector " + selectorText(n.selector) + " of " + n.String() + " matches no document above its layer",
				Remedy: "correct the selector, or the labels of the parent", Candidates: w.candidates(n)}, n.selectorPlace())
		case w.value != nil || w.n.failed:
		default:
			w.unselected(n)
		}
	}
}

// unselected adds the documents that have a value at the path and that a document does not inherit from.
func (w *absences) unselected(n *node) {
	having := slices.DeleteFunc(w.candidates(n), func(c Candidate) bool { return !c.HasValue })
	if len(having) == 0 {
		return
	}
	r := Reason{Cause: CauseNotSelected, Document: n.ID, Candidates: having}
	if len(n.selector) == 0 {
		r.Message, r.Remedy = n.String()+" has no parentSelector, so that it inherits nothing", "add a parentSelector and actions"
		w.addAt(r, n.Position())
		return
	}
	r.Message = n.String() + " inherits from " + n.base().String() + ", and not from others that have a value there"
	w.addAt(r, n.selectorPlace())
}

// nearness is how far a document is from being the parent of another.
type nearness struct {
	n       *node
	differs []string
	has     bool
}

// candidates are the documents that come nearest to being the parent of one: the fewest differences first, then those that have
// a value at the path, then those of the nearest layer.
func (w *absences) candidates(n *node) []Candidate {
	var all []nearness
	base := n.base()
	for _, other := range n.resembling(base == nil) {
		if w.inherits(other) {
			continue
		}
		near := nearness{n: other, differs: n.differs(other), has: !other.failed && w.at.find(other.data) != nil}
		if len(near.differs) == 0 && n.parent != nil {
			near.differs = append(near.differs, n.parent.Layer+" is nearer than its layer "+other.Layer)
		}
		all = append(all, near)
	}
	if w.value == nil && base != nil { // only those with the value are wanted
		all = slices.DeleteFunc(all, func(near nearness) bool { return !near.has })
	}
	slices.SortStableFunc(all, func(a, b nearness) int {
		return cmp.Or(len(a.differs)-len(b.differs), rank(b.has)-rank(a.has), b.n.level-a.n.level)
	})
	var found []Candidate
	for _, near := range all[:min(len(all), maxCandidates)] {
		found = append(found, Candidate{Document: near.n.ID, Differs: near.differs, HasValue: near.has})
	}
	return found
}

// inherits reports whether a document is the one that is asked about, or one that it inherits from.
func (w *absences) inherits(other *node) bool {
	for n := w.n; n != nil; n = n.base() {
		if n == other || n.parent == other {
			return true
		}
	}
	return false
}

func rank(is bool) int {
	if is {
		return 1
	}
	return 0
}

// resembling are the documents that could be meant as the parent: those that have a label of the selector, and, where that is wanted,
// those of the schema that are above. They are in the order of nodes.
func (n *node) resembling(above bool) []*node {
	x := n.site.parentIndex()
	seen := map[*node]bool{n: true}
	var all []*node
	add := func(nodes []*node) {
		for _, other := range nodes {
			if !seen[other] {
				seen[other] = true
				all = append(all, other)
			}
		}
	}
	for _, m := range n.selector {
		add(x.labelled[labelKey(m)])
	}
	if above {
		same := x.bySchema[n.Schema]
		add(same[firstAbove(same, n.level):])
	}
	slices.SortFunc(all, func(a, b *node) int { return a.compare(b.ID) })
	return all
}

// parentIndex finds the documents that could be parents. It is made when it is asked for first.
type parentIndex struct {
	labelled labelled
	bySchema map[string][]*node // the lowest layer first
}

func (s *Site) parentIndex() *parentIndex {
	s.parentsOnce.Do(func() {
		x := parentIndex{labelled: s.labelled(), bySchema: make(map[string][]*node)}
		for _, n := range s.nodes {
			if n.level >= 0 {
				x.bySchema[n.Schema] = append(x.bySchema[n.Schema], n)
			}
		}
		for _, nodes := range x.bySchema {
			slices.SortStableFunc(nodes, func(a, b *node) int { return b.level - a.level })
		}
		s.parents = x
	})
	return &s.parents
}

// differs lists what keeps another document from being the parent.
func (n *node) differs(other *node) []string {
	differs := []string{}
	for _, m := range n.selector {
		switch label := other.Labels().Get(m.Name); {
		case label == nil:
			differs = append(differs, "it has no label "+m.Name)
		case !value.Equal(label, m.Value):
			differs = append(differs, "its label "+m.Name+" is "+shortJSON(label)+", not "+shortJSON(m.Value))
		}
	}
	if other.Schema != n.Schema {
		differs = append(differs, "its schema is "+other.Schema)
	}
	if other.level >= n.level {
		differs = append(differs, "its layer "+other.Layer+" is not above "+n.Layer)
	}
	return differs
}

func selectorText(selector []value.Member) string {
	return string(value.NewMap(selector...).JSON())
}
