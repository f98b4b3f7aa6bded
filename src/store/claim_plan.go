package store

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// claimant is a claim that a step adds.
type claimant struct {
	step  int
	claim *claim
}

// claim returns what the transaction does to claims, once it is known which documents it writes and deletes. Values that two
// of its steps want are errors of the later one.
func (p *plan) claim(ctx context.Context) (Txn, error) {
	var added []claimant
	for i := range p.steps {
		st := &p.steps[i]
		switch {
		case st.kind == nil || !constrained(st.kind):
		case st.op.Verb == Delete && !st.invalid:
			if err := p.releaseAll(ctx, st.current); err != nil {
				return Txn{}, err
			}
		case st.data != nil && st.effect != WasUnchanged:
			if err := p.changeClaims(ctx, i, &added); err != nil {
				return Txn{}, err
			}
		}
	}
	return p.claimTxn(added), nil
}

// releaseAll gives up the claims of a document that is deleted.
func (p *plan) releaseAll(ctx context.Context, doc *dovetail.Document) error {
	kind := constrainedKind(p.model, doc.ID)
	if kind == nil {
		return nil
	}
	claims, err := p.claimsOf(ctx, kind, doc)
	for i := range claims {
		p.releaseClaim(claims[i].id)
	}
	return err
}

func (p *plan) releaseClaim(id dovetail.ID) {
	if p.released == nil {
		p.released = make(map[dovetail.ID]bool)
	}
	p.released[id] = true
}

func (p *plan) claimsOf(ctx context.Context, kind *schema.Kind, doc *dovetail.Document) ([]claim, error) {
	return p.store.claimsOf(ctx, kind, doc, func(values int) error { return p.hold(int64(values) * value.Cost) })
}

// changeClaims compares the claims of a step's document before and after. Those of one whose data is in error are examined
// too, so that all that is wrong is reported at once.
func (p *plan) changeClaims(ctx context.Context, i int, added *[]claimant) error {
	st := &p.steps[i]
	var references []dovetail.Reference
	if st.document != nil {
		references = st.document.References
		if st.current != nil && bytes.Equal(st.current.Data, st.document.Data) && slices.Equal(st.current.References, references) {
			return nil
		}
	}
	claims, err := p.store.claims(ctx, st.kind, st.op.ID, st.data, references)
	if err != nil {
		return err
	}
	if len(claims) > maxClaims {
		p.fail(i, dovetail.Errorf(dovetail.CodeTooLarge, "%s has %d unique values, more than %d", st.op.ID, len(claims), maxClaims))
		return nil
	}
	var held map[dovetail.ID]bool
	if st.current != nil {
		before, err := p.claimsOf(ctx, st.kind, st.current)
		if err != nil {
			return err
		}
		held = make(map[dovetail.ID]bool, len(before))
		for n := range before {
			held[before[n].id] = true
		}
	}
	for n := range claims {
		if c := &claims[n]; !held[c.id] {
			*added = append(*added, claimant{i, c})
		}
		delete(held, claims[n].id)
	}
	if !st.invalid {
		for id := range held {
			p.releaseClaim(id)
		}
	}
	return nil
}

// claimTxn puts what is added and deletes what is given up. What the transaction gives up itself may be claimed again: the
// version that it expects of the earlier holder says that the claim was that one's.
func (p *plan) claimTxn(added []claimant) (txn Txn) {
	for n, one := range added {
		st, c := &p.steps[one.step], one.claim
		if earlier, twice := p.claimed[c.id]; twice {
			p.fail(one.step, p.claimError(one, p.steps[earlier.step].op.ID))
			continue
		}
		if p.claimed == nil {
			p.claimed = make(map[dovetail.ID]claimant, len(added)-n)
		}
		p.claimed[c.id] = one
		if !p.released[c.id] {
			txn.Require = append(txn.Require, Condition{Test: Absent, ID: c.id, For: st.op.ID})
		}
		txn.Puts = append(txn.Puts, p.store.claimDocument(c, st.op.ID, p.model, p.now))
	}
	for _, id := range slices.Sorted(maps.Keys(p.released)) {
		if _, again := p.claimed[id]; !again {
			txn.Deletes = append(txn.Deletes, id)
		}
	}
	return txn
}

func (t *Txn) add(more Txn) {
	t.Require = append(t.Require, more.Require...)
	t.Puts = append(t.Puts, more.Puts...)
	t.Deletes = append(t.Deletes, more.Deletes...)
}

// describeClaims writes what users are shown of claims that were there already.
func (p *plan) describeClaims(failed []*dovetail.Error) []*dovetail.Error {
	if len(p.claimed) == 0 {
		return failed
	}
	exists := make(map[dovetail.ID]bool)
	for _, f := range failed {
		if f.Code == dovetail.CodeExists && (f.Current == nil || f.Current.Kind != claimKind) {
			exists[f.Key] = true
		}
	}
	var all []*dovetail.Error
	for _, f := range failed {
		held, is := claimOf(f.Current)
		if f.Code != dovetail.CodeExists || !is {
			all = append(all, f)
			continue
		}
		one := p.claimed[f.Current.ID]
		if st := &p.steps[one.step]; held.Holder == st.op.ID && (exists[st.op.ID] || st.invalid) {
			continue // what is said already: it is there
		}
		all = append(all, p.locate(one.step, p.claimError(one, held.Holder)))
	}
	return all
}

// claimError says that another document has what a step wants.
func (p *plan) claimError(one claimant, holder dovetail.ID) *dovetail.Error {
	id, c := p.steps[one.step].op.ID, one.claim
	e := &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNotUnique, Key: id, BlockedBy: newBlockers([]dovetail.ID{holder}),
		Position: dovetail.Position{Path: c.path}}
	other, remedy := string(holder), ", or change that document first"
	if kind, err := p.model.KindOf(holder); err != nil || !p.view.reads(kind.Name, holder) {
		other, remedy = "a document that you may not read", "" // refusal removes it from BlockedBy
	}
	if c.unique == nil {
		e.Reason, e.Remedy = ReasonTaken, "refer to another document"+remedy
		e.Message = string(id) + " cannot be stored: " + string(c.target) + " is taken by " + other
		return e
	}
	e.Remedy = "use another value" + remedy
	e.Message = string(id) + " cannot be stored: " + c.unique.Names() + " is unique"
	if c.scope != "" {
		e.Message += " within " + string(c.scope)
	}
	e.Message += ", and " + other + " has the same"
	return e
}
