package store

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// afterwards is what there is once a transaction has written: what can be read before, and its writes.
type afterwards struct {
	before   Reader
	putting  map[dovetail.ID]*dovetail.Document
	deleting map[dovetail.ID]bool
}

// unmet returns what Backend.Commit says of each condition that does not hold. remains reports whether a document is there
// afterwards, given the one that is stored.
func (a afterwards) unmet(ctx context.Context, require []Condition, remains func(dovetail.ID, *dovetail.Document) bool) ([]*dovetail.Error, error) {
	present, err := a.present(ctx, require)
	if err != nil {
		return nil, err
	}
	held, err := a.blockers(ctx, require)
	if err != nil {
		return nil, err
	}
	var failed []*dovetail.Error
	for _, c := range require {
		e := check(c, present[c.ID], held, remains)
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
func check(c Condition, stored *dovetail.Document, held blockers, remains func(dovetail.ID, *dovetail.Document) bool) *dovetail.Error {
	switch c.Test {
	case Absent:
		if stored != nil {
			return &dovetail.Error{Code: dovetail.CodeExists, Current: stored, Message: string(c.ID) + " exists already"}
		}
	case AtVersion:
		switch {
		case stored == nil:
			return notFound(c.ID)
		case stored.ETag() != c.Version:
			return &dovetail.Error{Code: dovetail.CodeStale, Current: stored, Message: string(c.ID) + " has changed since version " + c.Version.Version()}
		}
	case Exists:
		if !remains(c.ID, stored) {
			return &dovetail.Error{Code: dovetail.CodeMissing, Missing: []dovetail.ID{c.ID}, Message: string(c.ID) + " does not exist"}
		}
	case Childless, Unreferenced:
		if ids := held.of(c); len(ids) > 0 {
			return &dovetail.Error{Code: dovetail.CodeInUse, BlockedBy: newBlockers(ids), Message: string(c.ID) + " is in use"}
		}
	}
	return nil
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

// remains reports whether a document is there afterwards.
func (a afterwards) remains(id dovetail.ID, stored *dovetail.Document) bool {
	return a.putting[id] != nil || stored != nil && !a.deleting[id]
}

// blockers are what is below documents, and what refers to them: the ids by those documents.
type blockers struct{ below, referrers map[dovetail.ID][]dovetail.ID }

// of returns what keeps a condition Childless or Unreferenced from holding, in the order of ids.
func (b blockers) of(c Condition) []dovetail.ID {
	ids := b.below[c.ID]
	if c.Test == Unreferenced {
		ids = b.referrers[c.ID]
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// blockers finds what would still be below the documents of the conditions Childless, or refer to those of Unreferenced. It looks
// for all of them together.
func (a afterwards) blockers(ctx context.Context, require []Condition) (blockers, error) {
	held := blockers{make(map[dovetail.ID][]dovetail.ID), make(map[dovetail.ID][]dovetail.ID)}
	childless, unreferenced := make(map[dovetail.ID]bool), make(map[dovetail.ID]bool)
	for _, c := range require {
		switch c.Test {
		case Childless:
			childless[c.ID] = true
		case Unreferenced:
			unreferenced[c.ID] = true
		case Absent, AtVersion, Exists:
		}
	}
	if err := a.below(ctx, childless, held.below); err != nil {
		return held, err
	}
	return held, a.referrers(ctx, unreferenced, held.referrers)
}

// below finds what would be below the documents.
func (a afterwards) below(ctx context.Context, childless map[dovetail.ID]bool, held map[dovetail.ID][]dovetail.ID) error {
	add := func(id dovetail.ID) {
		for above := range prefixes(id) {
			if childless[above] {
				held[above] = append(held[above], id)
			}
		}
	}
	err := eachDescendant(ctx, a.before, slices.Collect(maps.Keys(childless)), func(doc *dovetail.Document) error {
		if !a.deleting[doc.ID] {
			add(doc.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id := range a.putting {
		if !a.deleting[id] {
			add(id)
		}
	}
	return nil
}

// referrers finds what would refer to the documents, not weakly.
func (a afterwards) referrers(ctx context.Context, unreferenced map[dovetail.ID]bool, held map[dovetail.ID][]dovetail.ID) error {
	if len(unreferenced) == 0 {
		return nil
	}
	add := func(doc *dovetail.Document) error {
		for _, ref := range doc.References {
			if !ref.Weak && ref.ID != doc.ID && unreferenced[ref.ID] {
				held[ref.ID] = append(held[ref.ID], doc.ID)
			}
		}
		return nil
	}
	written := func(id dovetail.ID) bool { return a.putting[id] != nil || a.deleting[id] }
	if err := eachReferrer(ctx, a.before, slices.Sorted(maps.Keys(unreferenced)), written, add); err != nil {
		return err
	}
	for id, doc := range a.putting {
		if !a.deleting[id] {
			_ = add(doc) // has no error
		}
	}
	return nil
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

// remains reports whether the document is there after the transaction. One whose own write is in error
// counts as there, so that an error is reported once.
func (p *plan) remains(id dovetail.ID, stored *dovetail.Document) bool {
	if i, written := p.stepOf[id]; written {
		if st := &p.steps[i]; st.op.ID == id {
			return st.op.Verb != Delete
		}
	}
	return stored != nil && !p.deleting[id]
}
