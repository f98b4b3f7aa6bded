package rendering

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// Edit is what a change does to a document as it is written.
type Edit struct {
	Document ID     `json:"document"`
	Change   Change `json:"change"` // Same for a document that the site has as it is
	// File and Line are where the document is in the change; where it was, for Removed.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Same is the change of a document that does not change.
const Same Change = "same"

// Overlay returns the documents of a site after a change: those of the change take the place of those with the same schema, name and
// layer, and others are added. Documents that removed chooses, and that the change does not have, are removed. The edits are in the
// order of schema, name and layer.
func Overlay(documents, change []*Document, removed func(*Document) bool) ([]*Document, []Edit) {
	changed := make(map[ID]*Document, len(change))
	for _, d := range change {
		changed[d.ID] = d
	}
	var after []*Document
	var edits []Edit
	edit := func(d *Document, c Change) {
		at := d.Position()
		edits = append(edits, Edit{Document: d.ID, Change: c, File: at.File, Line: at.Line})
	}
	had := make(map[ID]bool, len(documents))
	for _, d := range documents {
		had[d.ID] = true
		by := changed[d.ID]
		switch {
		case by == nil && removed(d):
			edit(d, Removed)
			continue
		case by == nil:
		case value.Equal(by.whole, d.whole):
			edit(by, Same)
		default:
			edit(by, Changed)
			d = by
		}
		after = append(after, d)
	}
	for _, d := range change {
		if !had[d.ID] {
			edit(d, Added)
			after = append(after, d)
		}
	}
	slices.SortFunc(edits, func(a, b Edit) int { return a.Document.compare(b.Document) })
	return after, edits
}

// Consequence is a rendered document that is not the same after a change.
type Consequence struct {
	Difference

	// Because are the documents that were changed and of which it is made, or was, or which take its place, or did.
	Because []ID `json:"because"`
}

// Impact is what a change does to rendered documents.
type Impact struct {
	Documents []Consequence `json:"documents"`
	// Unchanged is how many other rendered documents are made of what was changed, and stay as they are.
	Unchanged int `json:"unchanged"`
}

// ImpactOf compares the renderings before and after edits. Secrets are compared, but not shown.
func ImpactOf(before, after *Rendering, edits []Edit) Impact {
	edited := make(map[ID]bool, len(edits))
	for _, e := range edits {
		if e.Change != Same {
			edited[e.Document] = true
		}
	}
	impact := Impact{Documents: []Consequence{}}
	different := make(map[ID]bool)
	for _, d := range Diff(before, after) {
		different[d.Document] = true
		c := Consequence{Difference: d, Because: []ID{}}
		for _, in := range [][]ID{before.inputs(d.Document), after.inputs(d.Document)} {
			for _, id := range in {
				if edited[id] && !slices.Contains(c.Because, id) {
					c.Because = append(c.Because, id)
				}
			}
		}
		slices.SortFunc(c.Because, ID.compare)
		impact.Documents = append(impact.Documents, c)
	}
	derived := after.site.Derived(func(d *Document) bool { return edited[d.ID] })
	for _, d := range after.Documents {
		if derived[d.ID] && !different[d.ID] {
			impact.Unchanged++
		}
	}
	return impact
}

// inputs are the documents that decide whether and how a document is rendered: what it is made of, and what takes its place. A
// document that is not there has none.
func (r *Rendering) inputs(id ID) []ID {
	i, ok := slices.BinarySearchFunc(r.site.nodes, id, func(n *node, id ID) int { return n.compare(id) })
	if !ok {
		return nil
	}
	n := r.site.nodes[i]
	ids := r.site.Inputs(n.Document)
	for _, by := range n.replacedBy {
		ids = append(ids, r.site.Inputs(by.Document)...)
	}
	return ids
}
