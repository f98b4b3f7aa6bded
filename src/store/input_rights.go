package store

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// A write that is accepted or refused depending on a document answers a question about that document. So its principal needs
// the right to read all inputs of the rules and lifecycles that decide about it. Which documents these are depends on the
// ref-schema and on what is written, never on what is stored in them.

// dependsOnStored reports whether the data or the state of the stored document decide about the step.
func (st *step) dependsOnStored() bool {
	l := st.kind.Lifecycle
	switch st.op.Verb {
	case Patch, ApplyFields:
		return true
	case Put:
		return len(st.kind.Immutable) > 0 || l != nil && len(l.FreezePut) > 0 ||
			slices.ContainsFunc(st.kind.Rules, func(r *schema.Rule) bool { return r.OnUpdates })
	case Delete:
		return l != nil && len(l.FreezeDelete) > 0
	case PutStatus:
		return st.op.work != nil || l != nil && st.op.Action != "" && l.Action(st.op.Action) != nil
	}
	return false
}

// mayDependOn reports whether a document may decide about a step: its principal may read the document, or creates it in the same
// transaction. It refuses the step otherwise; reason continues the message after the id of the document. Where the transaction
// fails to write the document, that is reported already.
func (p *plan) mayDependOn(i int, id dovetail.ID, reason string) bool {
	if i >= p.requested || p.view == nil || p.deleting[id] {
		return true
	}
	kind, err := p.model.KindOf(id)
	if err != nil || p.view.reads(kind.Name, id) {
		return true
	}
	n, written := p.stepOf[id]
	switch {
	case !written || n >= p.requested || p.steps[n].op.ID != id:
	case p.steps[n].invalid:
		return false
	case p.steps[n].effect == WasCreated:
		return true
	}
	e := forbidden(p.principal, dovetail.RightRead, id)
	e.Message, e.Key = e.Message+reason, ""
	p.fail(i, e)
	return false
}

// mayEvaluate reports whether the principal of a step may read all documents that the rules of its document read, and refuses the
// step otherwise. Of a reference that has several possible targets it requires the right to read each.
func (p *plan) mayEvaluate(i int, st *step) bool {
	if i >= p.requested || p.view == nil {
		return true
	}
	inputs := newRuleCheck(st.kind, st.kind.Rules, schema.RuleInput{ID: st.op.ID, Data: st.data}, func(c schema.Candidate) (ids []dovetail.ID, weak bool) {
		for _, possible := range p.referable(i, []schema.Candidate{c}) {
			for _, target := range possible.Targets {
				ids = append(ids, target.ID)
			}
		}
		return ids, false
	})
	for _, id := range inputs.reads(nil) {
		if !p.mayDependOn(i, id, ", which a rule of "+st.kind.Name+" reads") {
			return false
		}
	}
	return true
}

// onBehalf refuses a step whose principal may not do what a service does on behalf of the document (Config.OnBehalf). Here that is checked when the
// document comes to ask for it, and by the service when it acts (Store.MayAct). A rename that corrects references in the document asks for nothing.
func (p *plan) onBehalf(i int, st *step) {
	may, needs := p.mayOf(i), p.store.config.OnBehalf[st.kind.Name]
	if may == nil || needs == nil || st.invalid || st.data == nil || st.op.renamed && st.current != nil {
		return
	}
	var before *value.Value
	if !p.writesUnread(i) {
		before = p.stored(i, st)
	}
	for _, need := range needs(st.op.ID, before, st.data) {
		met, err := need.met(p.model, may)
		if err != nil {
			p.fail(i, dovetail.AsError(err))
			return
		}
		if !met {
			e := forbidden(p.principal, need.Right, st.op.ID)
			e.Message = p.principal + " may not " + string(need.Right) + " " + need.name() + ", which " + string(st.op.ID) + " asks for"
			p.fail(i, e)
			return
		}
	}
}

// changes reports whether a step deletes its document or changes its data or files, as far as its principal may learn that.
func (p *plan) changes(i int) bool { return p.writesUnread(i) || p.steps[i].changes() }
