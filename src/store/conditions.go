package store

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// afterwards is what there is once a transaction has written: what can be read before, and its writes.
type afterwards struct {
	before   Reader
	putting  map[dovetail.ID]*dovetail.Document
	deleting map[dovetail.ID]bool
}

// unmet returns what Backend.Commit says of each condition that does not hold. remains says whether a document is there
// afterwards, given the one that is stored.
func (a afterwards) unmet(ctx context.Context, require []Condition, remains func(dovetail.ID, *dovetail.Document) bool) ([]*dovetail.Error, error) {
	present, err := a.present(ctx, require)
	if err != nil {
		return nil, err
	}
	var failed []*dovetail.Error
	for _, c := range require {
		e, err := a.check(ctx, c, present[c.ID], remains)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		if e.Key = c.ID; c.For != "" {
			e.Key = c.For
		}
		failed = append(failed, e)
	}
	return failed, nil
}

// check returns what is said of a condition that does not hold, nil of one that does.
func (a afterwards) check(ctx context.Context, c Condition, stored *dovetail.Document, remains func(dovetail.ID, *dovetail.Document) bool) (*dovetail.Error, error) {
	switch c.Test {
	case Absent:
		if stored != nil {
			return &dovetail.Error{Code: dovetail.CodeExists, Current: stored, Message: string(c.ID) + " exists already"}, nil
		}
	case AtVersion:
		switch {
		case stored == nil:
			return notFound(c.ID), nil
		case stored.ETag() != c.Version:
			return &dovetail.Error{Code: dovetail.CodeStale, Current: stored, Message: string(c.ID) + " has changed since version " + c.Version.Version()}, nil
		}
	case Exists:
		if !remains(c.ID, stored) {
			return &dovetail.Error{Code: dovetail.CodeMissing, Missing: []dovetail.ID{c.ID}, Message: string(c.ID) + " does not exist"}, nil
		}
	case Childless, Unreferenced:
		blockers, err := a.blockers(ctx, c)
		if err != nil {
			return nil, err
		}
		if len(blockers) > 0 {
			return &dovetail.Error{Code: dovetail.CodeInUse, BlockedBy: newBlockers(blockers), Message: string(c.ID) + " is in use"}, nil
		}
	}
	return nil, nil
}

// present reads the documents that conditions are about.
func (a afterwards) present(ctx context.Context, require []Condition) (map[dovetail.ID]*dovetail.Document, error) {
	var ids []dovetail.ID
	for _, c := range require {
		if c.Test == Absent || c.Test == AtVersion || c.Test == Exists {
			ids = append(ids, c.ID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	documents, err := fetch(ctx, a.before, ids)
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

// remains says whether a document is there afterwards.
func (a afterwards) remains(id dovetail.ID, stored *dovetail.Document) bool {
	return a.putting[id] != nil || stored != nil && !a.deleting[id]
}

// blockers finds what would still be below the document of the condition, or refer to it.
func (a afterwards) blockers(ctx context.Context, c Condition) ([]dovetail.ID, error) {
	var ids []dovetail.ID
	add := func(id dovetail.ID) {
		if !a.deleting[id] {
			ids = append(ids, id)
		}
	}
	if c.Test == Childless {
		for doc, err := range a.before.List(ctx, Query{Under: c.ID}) {
			if err != nil {
				return nil, err
			}
			add(doc.ID)
		}
		for id := range a.putting {
			if id.IsDescendantOf(c.ID) {
				add(id)
			}
		}
	} else {
		referrers, err := a.strictReferrers(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		for _, id := range referrers {
			add(id)
		}
		for id, doc := range a.putting {
			if id != c.ID && refersStrictly(doc, c.ID) {
				add(id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// strictReferrers returns the stored documents that hold the id and are not written.
func (a afterwards) strictReferrers(ctx context.Context, id dovetail.ID) ([]dovetail.ID, error) {
	referrers, err := a.before.Referrers(ctx, id, "", 0)
	if err != nil {
		return nil, err
	}
	referrers = slices.DeleteFunc(referrers, func(r dovetail.ID) bool { return a.putting[r] != nil || a.deleting[r] })
	documents, err := fetch(ctx, a.before, referrers)
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

// unmet evaluates the transaction's conditions by reading, as a backend would when it commits, and
// returns those that fail. A dry run needs that, and a transaction that is refused anyway, so that
// the user learns everything at once.
func (p *plan) unmet(ctx context.Context) ([]*dovetail.Error, error) {
	require := slices.DeleteFunc(slices.Clone(p.txn.Require), func(c Condition) bool {
		return c.Test == AtVersion || c.Test == Exists && p.unread // versions were read a moment ago
	})
	return p.afterwards().unmet(ctx, require, p.remains)
}

func (p *plan) afterwards() afterwards { return afterwards{p.store.backend, p.putting, p.deleting} }

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
