package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// cascade adds the deletions that follow from others: with Operation.Cascade those of all descendants
// and referrers, and of theirs in turn; without it, and only once a commit found the document in use,
// those of referrers by rules that say `onDelete: cascade`.
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
		take := func(doc *dovetail.Document, relation string) error {
			if p.deleting[doc.ID] {
				return nil
			}
			if _, written := p.stepOf[doc.ID]; written {
				return nil // the transaction itself says what becomes of it
			}
			if may := p.mayOf(from.root); may != nil && !may.May(dovetail.RightDelete, doc.Kind, doc.ID) {
				p.failCascade(from.root, doc)
				return nil
			}
			if p.frozenCascade(from.root, doc) {
				return nil
			}
			p.deleting[doc.ID] = true
			p.stepOf[doc.ID] = from.root
			p.cascaded = append(p.cascaded, Outcome{Effect: WasDeleted, Document: withoutData(doc), Because: &Cause{Of: from.id, Relation: relation}})
			frontier = append(frontier, reached{doc.ID, from.root, whole && relation == "referrer"})
			return p.releaseAll(ctx, doc)
		}
		if from.list {
			for doc, err := range p.store.backend.List(ctx, Query{Under: from.id}) {
				if err != nil {
					return err
				}
				if err := take(doc, "descendant"); err != nil {
					return err
				}
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
			if doc != nil && (whole && refersStrictly(doc, from.id) || cascadesFrom(doc, from.id)) {
				if err := take(doc, "referrer"); err != nil {
					return err
				}
			}
			if doc != nil {
				_ = HoldMemory(ctx, -SizeOf(doc)) // never refused; what is kept of it is small
			}
		}
	}
	slices.SortFunc(p.cascaded, func(a, b Outcome) int { return cmp.Compare(a.Document.ID, b.Document.ID) })
	return nil
}

// mayCascade says whether a rule of the ref-schema may delete something with what the transaction deletes.
func (p *plan) mayCascade() bool {
	cascades := func(r *schema.Reference) bool { return r.Cascade }
	return slices.ContainsFunc(p.steps, func(st step) bool {
		return st.op.Verb == Delete && st.kind != nil && slices.ContainsFunc(st.kind.ReferencedBy, func(by *schema.Kind) bool {
			return slices.ContainsFunc(by.References, cascades)
		})
	})
}

// failCascade refuses a deletion that would take along what may not be deleted. Documents that may not be read are
// not named, and not counted.
func (p *plan) failCascade(root int, doc *dovetail.Document) {
	if p.view.reads(doc.Kind, doc.ID) {
		p.fail(root, forbidden(p.principal, dovetail.RightDelete, doc.ID))
		return
	}
	if st := &p.steps[root]; !st.cascadeForbidden {
		st.cascadeForbidden = true
		p.fail(root, &dovetail.Error{Code: dovetail.CodeForbidden, Message: p.principal + " may not delete everything that is deleted with " + string(st.op.ID),
			Remedy: "ask for a role that reads and deletes what depends on it"})
	}
}

// cascadesFrom says whether all that holds the id in the document is rules that say onDelete: cascade.
func cascadesFrom(doc *dovetail.Document, id dovetail.ID) bool {
	return slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return r.ID == id && r.Cascade && !r.Weak })
}
