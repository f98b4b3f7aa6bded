package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// reached is a document that is deleted, on whose account others may be.
type reached struct {
	id   dovetail.ID
	root int  // the step whose deletion leads here
	list bool // its descendants are still to be found
}

// cascade adds the deletions that follow from others: with Operation.Cascade those of all descendants
// and referrers, and of theirs in turn; without it, and only once a commit found the document in use,
// those of referrers by rules that say `onDelete: cascade`. It goes level by level, so that the referrers of many
// documents are read at a time.
func (p *plan) cascade(ctx context.Context) error {
	var level []reached
	for i := range p.steps {
		if st := &p.steps[i]; st.op.Verb == Delete && !st.invalid && (st.op.Cascade || p.expand && !st.op.exact) {
			level = append(level, reached{st.op.ID, i, st.op.Cascade})
		}
	}
	for len(level) > 0 {
		below, err := p.takeDescendants(ctx, level)
		if err != nil {
			return err
		}
		if level, err = p.takeReferrers(ctx, append(level, below...)); err != nil {
			return err
		}
	}
	slices.SortFunc(p.cascaded, func(a, b Outcome) int { return cmp.Compare(a.Document.ID, b.Document.ID) })
	return nil
}

// mayCascade reports whether a rule of the ref-schema may delete something with what the transaction deletes.
func (p *plan) mayCascade() bool {
	cascades := func(r *schema.Reference) bool { return r.Cascade }
	return slices.ContainsFunc(p.steps, func(st step) bool {
		return st.op.Verb == Delete && !st.op.exact && st.kind != nil && slices.ContainsFunc(st.kind.ReferencedBy, func(by *schema.Kind) bool {
			return slices.ContainsFunc(by.References, cascades)
		})
	})
}

// takeDescendants takes what lies below the documents of a level, and returns what it took.
func (p *plan) takeDescendants(ctx context.Context, level []reached) (taken []reached, err error) {
	var above []dovetail.ID
	at := make(map[dovetail.ID]int)
	for n, from := range level {
		if from.list && p.mayHaveChildren(from.id) {
			above = append(above, from.id)
			at[from.id] = n
		}
	}
	err = eachDescendant(ctx, p.store.backend, above, func(doc *dovetail.Document) error {
		for _, from := range ancestorsIn(doc.ID, level, at) {
			ok, err := p.take(ctx, from, doc, "descendant")
			if err != nil {
				return err
			}
			if ok {
				taken = append(taken, reached{doc.ID, from.root, false})
			}
		}
		return nil
	})
	return taken, err
}

// ancestorsIn returns the documents of a level that a document lies below, in the order of the level.
func ancestorsIn(id dovetail.ID, level []reached, at map[dovetail.ID]int) []reached {
	var found []int
	for above := range prefixes(id) {
		if n, is := at[above]; is {
			found = append(found, n)
		}
	}
	return inOrder(found, level)
}

// inOrder returns the documents at some places of a level, in its order.
func inOrder(places []int, level []reached) []reached {
	slices.Sort(places)
	documents := make([]reached, len(places))
	for i, n := range places {
		documents[i] = level[n]
	}
	return documents
}

// referrersRead is how many referrers are in memory at a time.
const referrersRead = 1000

// takeReferrers takes what refers to the documents of a level, and returns what it took: the next level.
func (p *plan) takeReferrers(ctx context.Context, level []reached) (taken []reached, err error) {
	targets := make([]dovetail.ID, len(level))
	at := make(map[dovetail.ID]int, len(level))
	for n, from := range level {
		targets[n], at[from.id] = from.id, n
	}
	err = eachReferrer(ctx, p.store.backend, targets, func(id dovetail.ID) bool { return p.deleting[id] }, func(doc *dovetail.Document) error {
		for _, from := range p.causes(doc, level, at) {
			ok, err := p.take(ctx, from, doc, "referrer")
			if err != nil {
				return err
			}
			if ok {
				taken = append(taken, reached{doc.ID, from.root, p.steps[from.root].op.Cascade})
			}
		}
		return nil
	})
	return taken, err
}

// eachReferrer reads the documents that refer to any of the ids, except those that are left out, in the order of ids.
func eachReferrer(ctx context.Context, from Reader, of []dovetail.ID, leaveOut func(dovetail.ID) bool, do func(*dovetail.Document) error) error {
	referrers, err := from.Referrers(ctx, of, "", 0)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(slices.DeleteFunc(referrers, leaveOut), referrersRead) {
		documents, err := fetch(ctx, from, part)
		if err != nil {
			return err
		}
		for _, doc := range documents {
			if doc == nil {
				continue // another writer deleted it
			}
			if err := do(doc); err != nil {
				return err
			}
			_ = HoldMemory(ctx, -SizeOf(doc)) // never refused; what is kept of it is small
		}
	}
	return nil
}

// causes returns the documents of a level whose deletion takes along one that refers to them, in the order of the level.
func (p *plan) causes(doc *dovetail.Document, level []reached, at map[dovetail.ID]int) []reached {
	var found []int
	for _, ref := range doc.References {
		n, is := at[ref.ID]
		if is && !slices.Contains(found, n) && (p.steps[level[n].root].op.Cascade && refersStrictly(doc, ref.ID) || cascadesFrom(doc, ref.ID)) {
			found = append(found, n)
		}
	}
	return inOrder(found, level)
}

// take deletes a document along with another one, unless the transaction says itself what becomes of it, and reports whether it did.
func (p *plan) take(ctx context.Context, from reached, doc *dovetail.Document, relation string) (bool, error) {
	if _, written := p.stepOf[doc.ID]; written || p.deleting[doc.ID] {
		return false, nil
	}
	if may := p.mayOf(from.root); may != nil && !may.Allows(dovetail.RightDelete, doc.Kind, doc.ID) {
		p.failCascade(from.root, doc)
		return false, nil
	}
	if p.frozenCascade(from.root, doc) {
		return false, nil
	}
	p.deleting[doc.ID] = true
	p.stepOf[doc.ID] = from.root
	p.cascaded = append(p.cascaded, Outcome{Effect: WasDeleted, Document: withoutData(doc), Cause: &Cause{ID: from.id, Relation: relation}})
	return true, p.releaseAll(ctx, doc)
}

// mayHaveChildren reports whether documents may lie below one: below a leaf the ref-schema has no kind for any.
func (p *plan) mayHaveChildren(id dovetail.ID) bool {
	kind, err := p.model.KindOf(id)
	return err != nil || len(kind.Children) > 0
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

// cascadesFrom reports whether all that holds the id in the document is rules that say onDelete: cascade.
func cascadesFrom(doc *dovetail.Document, id dovetail.ID) bool {
	return slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return r.ID == id && r.Cascade && !r.Weak })
}
