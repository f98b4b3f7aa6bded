package store

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// require writes the conditions and writes of the transaction: the rules of referential integrity.
// A created document's parent exists; every reference that a write adds
// exists; a deleted document has no children and no referrers. What a document already held needs
// no condition: it cannot have gone while it was held. What the transaction itself puts needs none either.
func (p *plan) require() {
	for i := range p.steps {
		st := &p.steps[i]
		if st.invalid {
			continue
		}
		id := st.op.ID
		switch {
		case st.op.Verb == Delete:
			p.requireDeletion(st.current)
			continue
		case st.current != nil:
			p.txn.Require = append(p.txn.Require, Condition{Test: AtVersion, ID: id, Version: st.current.ETag()})
		default:
			p.txn.Require = append(p.txn.Require, Condition{Test: Absent, ID: id})
			if parent := st.kind.ParentID(id); parent != "" && !p.puts(parent) {
				p.txn.Require = append(p.txn.Require, Condition{Test: Exists, ID: parent, For: id})
			}
		}
		if st.effect == WasUnchanged {
			continue
		}
		holds := st.holds()
		for _, ref := range st.document.References {
			if !ref.Weak && !holds(ref.ID) && !p.puts(ref.ID) {
				p.txn.Require = append(p.txn.Require, Condition{Test: Exists, ID: ref.ID, For: id})
			}
		}
		p.txn.Puts = append(p.txn.Puts, st.document)
	}
	for _, outcome := range p.cascaded {
		p.requireDeletion(outcome.Document)
	}
}

func (p *plan) requireDeletion(doc *dovetail.Document) {
	p.txn.Require = append(p.txn.Require, Condition{Test: AtVersion, ID: doc.ID, Version: doc.ETag()})
	if p.mayHaveChildren(doc.ID) {
		p.txn.Require = append(p.txn.Require, Condition{Test: Childless, ID: doc.ID})
	}
	p.txn.Require = append(p.txn.Require, Condition{Test: Unreferenced, ID: doc.ID})
	p.txn.Deletes = append(p.txn.Deletes, doc.ID)
}

// holds says of an id whether the current document already refers to it with a reference that holds it.
func (st *step) holds() func(id dovetail.ID) bool {
	if st.current == nil {
		return func(dovetail.ID) bool { return false }
	}
	references := st.current.References
	if len(references) <= fewReferences {
		return func(id dovetail.ID) bool {
			return slices.ContainsFunc(references, func(r dovetail.Reference) bool { return r.ID == id && !r.Weak })
		}
	}
	held := make(map[dovetail.ID]bool, len(references))
	for _, r := range references {
		if !r.Weak {
			held[r.ID] = true
		}
	}
	return func(id dovetail.ID) bool { return held[id] }
}

// decision is what to do about conditions that failed.
type decision uint8

const (
	refused       decision = iota // report the failures
	retry                         // another writer was faster: plan the transaction again
	expandCascade                 // look for referrers that are deleted with it
)

// classify decides about failed conditions. A version that is not the one read a moment ago means that
// a competing writer came first: the next plan sees what it did and says what that means for the user.
func (p *plan) classify(failed []*dovetail.Error) decision {
	if !p.expand && p.mayCascade() && slices.ContainsFunc(failed, func(f *dovetail.Error) bool { return f.Code == dovetail.CodeInUse }) {
		return expandCascade
	}
	already := p.errs.Total() > 0 // refused for what the plan itself found; what it is said beside that must be true, too
	for _, f := range failed {
		if already && (f.Index > 0 || f.Code == dovetail.CodeInUse) {
			continue
		}
		op := p.steps[p.stepOf[f.Key]].op
		switch f.Code {
		case dovetail.CodeStale, dovetail.CodeNotFound:
			return retry
		case dovetail.CodeExists:
			if op.Verb != Create || f.Current != nil && f.Current.ID != op.ID {
				return retry
			}
		case dovetail.CodeInUse:
			if op.Cascade && !slices.ContainsFunc(f.BlockedBy.IDs, p.puts) {
				return retry // something came that the cascade did not see
			}
		}
	}
	return refused
}

func (p *plan) puts(id dovetail.ID) bool { return p.putting[id] != nil }

// refusal makes one error of all that failed, the failures of one document gathered in one part. Only the parts that
// are shown are put in words.
func (p *plan) refusal(ctx context.Context, failed []*dovetail.Error) error {
	var parts []*dovetail.Error
	gathered := make(map[dovetail.ID]*dovetail.Error)
	for _, f := range failed {
		if f.Index > 0 { // found by the plan itself, and already in words
			parts = append(parts, f)
			continue
		}
		have := gathered[f.Key]
		if have == nil || have.Code != f.Code {
			copied := *f
			have = &copied
			gathered[f.Key] = have
			parts = append(parts, have)
			continue
		}
		have.Missing = append(have.Missing, f.Missing...)
		if f.BlockedBy != nil {
			have.BlockedBy = mergeBlockers(have.BlockedBy, f.BlockedBy)
		}
	}
	parts = eachMissing(parts)
	index := func(e *dovetail.Error) int {
		if e.Index > 0 {
			return e.Index
		}
		return p.stepOf[e.Key] + 1
	}
	slices.SortStableFunc(parts, func(a, b *dovetail.Error) int { return index(a) - index(b) })
	var errs dovetail.Errors
	errs.Add(parts...)
	errs.Count(p.omitted)
	bases := bases{room: maxBases}
	for n, part := range errs.Kept() {
		if part.BlockedBy != nil {
			var err error
			if part.BlockedBy, err = p.readableBlockers(ctx, part.Key, part.BlockedBy); err != nil {
				return err
			}
		}
		if part.Index == 0 {
			errs.Kept()[n] = p.locate(p.stepOf[part.Key], p.describe(part))
		}
		if current := part.Current; current != nil {
			if part.Current = nil; p.view.reads(current.Kind, current.ID) {
				part.Current = p.view.show(current)
				part.Base = bases.of(ctx, p, part)
			}
		}
	}
	err := errs.Err("the transaction was refused")
	if errs.Forbids() {
		e := dovetail.AsError(err)
		e.Code, e.Reason = dovetail.CodeForbidden, reasonOf(errs.Kept()) // goes before all else, whichever operation comes first
	}
	return err
}

// eachMissing makes an error of each document that is missing, so that each has its own place.
func eachMissing(parts []*dovetail.Error) []*dovetail.Error {
	var all []*dovetail.Error
	for _, e := range parts {
		if e.Index > 0 || e.Code != dovetail.CodeMissing {
			all = append(all, e)
			continue
		}
		slices.Sort(e.Missing)
		for _, id := range slices.Compact(e.Missing) {
			one := *e
			one.Missing = []dovetail.ID{id}
			all = append(all, &one)
		}
	}
	return all
}

// describe writes message and remedy of a failed condition.
func (p *plan) describe(e *dovetail.Error) *dovetail.Error {
	id := string(e.Key)
	switch e.Code {
	case dovetail.CodeExists:
		e.Message = id + " exists already"
		e.Remedy = "use another name, or PUT to replace it"
	case dovetail.CodeMissing:
		missing, st := e.Missing[0], &p.steps[p.stepOf[e.Key]]
		if st.kind != nil && missing == st.kind.ParentID(e.Key) {
			e.Message = id + " cannot be stored: its parent " + string(missing) + " does not exist"
		} else {
			at := ""
			if st.kind != nil && st.data != nil {
				if place := st.kind.Places(e.Key, st.data)[missing]; place != "" {
					at, e.Position.Path = " at "+place, place
				} else {
					e.Position.Path = st.kind.Locate(e.Key, st.data, missing)
				}
			}
			e.Message = id + " cannot be stored: it refers to " + string(missing) + at + ", which does not exist"
		}
		e.Remedy = "create what is missing first, or in the same batch"
	case dovetail.CodeInUse:
		e.Message = id + " is in use by " + listBlockers(e.BlockedBy)
		e.Remedy = "delete those first or make them refer to something else"
		switch op := p.steps[p.stepOf[e.Key]].op; {
		case op.exact:
			e.Remedy += "; in a change set, drop what deletes it, rebase, and stage it again"
		case op.Verb != PutStatus:
			e.Remedy += ", or delete with cascade"
		}
	}
	return e
}
