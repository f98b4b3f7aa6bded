package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// cascade adds to the deletions what goes along with them: with Operation.Cascade all descendants
// and referrers, and theirs in turn; without, and only once a commit found the document in use,
// the referrers by rules that say `onDelete: cascade`.
func (p *plan) cascade(ctx context.Context) error {
	type reached struct {
		id   dovetail.ID
		root int  // the step whose deletion leads here
		list bool // its descendants are still to be found
	}
	var frontier []reached
	for i := range p.steps {
		if st := &p.steps[i]; st.op.Verb == Delete && !st.invalid && (st.op.Cascade || p.expand) {
			frontier = append(frontier, reached{st.op.ID, i, st.op.Cascade})
		}
	}
	for len(frontier) > 0 {
		from := frontier[0]
		frontier = frontier[1:]
		whole := p.steps[from.root].op.Cascade
		take := func(doc *dovetail.Document, relation string) {
			if p.deleting[doc.ID] {
				return
			}
			if _, written := p.at[doc.ID]; written {
				return // the transaction itself says what becomes of it
			}
			if p.may != nil && !p.may.May(dovetail.RightDelete, doc.Kind, doc.ID) {
				p.fail(from.root, forbidden(p.who, dovetail.RightDelete, doc.ID))
				return
			}
			p.deleting[doc.ID] = true
			p.at[doc.ID] = from.root
			p.cascaded = append(p.cascaded, Outcome{Effect: WasDeleted, Document: doc, Because: &Cause{Of: from.id, Relation: relation}})
			frontier = append(frontier, reached{doc.ID, from.root, whole && relation == "referrer"})
		}
		if from.list {
			for doc, err := range p.store.backend.List(ctx, Query{Under: from.id}) {
				if err != nil {
					return err
				}
				take(doc, "descendant")
			}
		}
		referrers, err := p.store.backend.Referrers(ctx, from.id, "", 0)
		if err != nil {
			return err
		}
		documents, err := p.store.fetch(ctx, referrers)
		if err != nil {
			return err
		}
		for _, doc := range documents {
			if doc != nil && (whole && refersStrictly(doc, from.id) || goesAlong(doc, from.id)) {
				take(doc, "referrer")
			}
		}
	}
	slices.SortFunc(p.cascaded, func(a, b Outcome) int { return cmp.Compare(a.Document.ID, b.Document.ID) })
	return nil
}

// goesAlong says whether all that holds the id in the document is rules that say onDelete: cascade.
func goesAlong(doc *dovetail.Document, id dovetail.ID) bool {
	return slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return r.ID == id && r.Cascade && !r.Weak })
}
