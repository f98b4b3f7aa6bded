package store

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// unmet evaluates the transaction's conditions by reading, as a backend would when it commits, and
// returns those that fail. A dry run needs that, and a transaction that is refused anyway, so that
// the user learns everything at once.
func (p *plan) unmet(ctx context.Context) ([]*dovetail.Error, error) {
	present, err := p.present(ctx)
	if err != nil {
		return nil, err
	}
	var failed []*dovetail.Error
	fail := func(c Condition, e *dovetail.Error) {
		if e.Key = c.ID; c.For != "" {
			e.Key = c.For
		}
		failed = append(failed, e)
	}
	for _, c := range p.txn.Require {
		switch c.Test {
		case Absent:
			if doc := present[c.ID]; doc != nil {
				fail(c, &dovetail.Error{Code: dovetail.CodeExists, Current: doc})
			}
		case Exists:
			if !p.unread && !p.remains(c.ID, present[c.ID]) {
				fail(c, &dovetail.Error{Code: dovetail.CodeMissing, Missing: []dovetail.ID{c.ID}})
			}
		case Childless, Unreferenced:
			blockers, err := p.blockers(ctx, c)
			if err != nil {
				return nil, err
			}
			if len(blockers) > 0 {
				fail(c, &dovetail.Error{Code: dovetail.CodeInUse, BlockedBy: newBlockers(blockers)})
			}
		case AtVersion: // was read a moment ago
		}
	}
	return failed, nil
}

// present reads the documents that Absent and Exists ask for.
func (p *plan) present(ctx context.Context) (map[dovetail.ID]*dovetail.Document, error) {
	var ids []dovetail.ID
	for _, c := range p.txn.Require {
		if c.Test == Absent || c.Test == Exists {
			ids = append(ids, c.ID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	documents, err := p.store.fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	present := make(map[dovetail.ID]*dovetail.Document, len(ids))
	for n, doc := range documents {
		if doc != nil {
			present[ids[n]] = doc
		}
	}
	return present, nil
}

// remains says whether the document is there after the transaction. One whose own write is in error
// counts as there, so that an error is reported once.
func (p *plan) remains(id dovetail.ID, stored *dovetail.Document) bool {
	if i, written := p.stepOf[id]; written {
		if st := &p.steps[i]; st.op.ID == id {
			return st.op.Verb != Delete
		}
	}
	return stored != nil && !p.deleting[id]
}

// blockers finds what would still be below the document of the condition, or refer to it, after the
// transaction.
func (p *plan) blockers(ctx context.Context, c Condition) ([]dovetail.ID, error) {
	var ids []dovetail.ID
	add := func(id dovetail.ID) {
		if !p.deleting[id] {
			ids = append(ids, id)
		}
	}
	if c.Test == Childless {
		for doc, err := range p.store.backend.List(ctx, Query{Under: c.ID}) {
			if err != nil {
				return nil, err
			}
			add(doc.ID)
		}
		for id := range p.putting {
			if id.IsDescendantOf(c.ID) {
				add(id)
			}
		}
	} else {
		referrers, err := p.strictReferrers(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		for _, id := range referrers {
			add(id)
		}
		for id, doc := range p.putting {
			if id != c.ID && refersStrictly(doc, c.ID) {
				add(id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// strictReferrers returns the stored documents that hold the id and are not written by the transaction.
func (p *plan) strictReferrers(ctx context.Context, id dovetail.ID) ([]dovetail.ID, error) {
	referrers, err := p.store.backend.Referrers(ctx, id, "", 0)
	if err != nil {
		return nil, err
	}
	referrers = slices.DeleteFunc(referrers, func(r dovetail.ID) bool { return p.putting[r] != nil || p.deleting[r] })
	documents, err := p.store.fetch(ctx, referrers)
	if err != nil {
		return nil, err
	}
	var strict []dovetail.ID
	for _, doc := range documents {
		if doc != nil && refersStrictly(doc, id) {
			strict = append(strict, doc.ID)
		}
	}
	return strict, nil
}

func refersStrictly(doc *dovetail.Document, id dovetail.ID) bool {
	return slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return r.ID == id && !r.Weak })
}
