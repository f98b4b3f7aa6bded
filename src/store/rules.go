package store

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ruleCheck is a document whose rules are evaluated, with the other documents that they read.
type ruleCheck struct {
	rules   []*schema.Rule
	input   schema.RuleInput
	parent  dovetail.ID // "" where no rule reads it
	targets []ruleTarget
}

// ruleTarget is a document referred to that a rule reads.
type ruleTarget struct {
	rule *schema.Reference
	ids  []dovetail.ID // of which one is referred to
	weak bool
}

// one returns the data of the document referred to, nil if there is none.
func (t *ruleTarget) one(data func(dovetail.ID) *value.Value) *value.Value {
	for _, id := range t.ids {
		if v := data(id); v != nil {
			return v
		}
	}
	return nil
}

// newRuleCheck finds what rules of a document read. refers says which of the targets of a candidate it may refer to.
func newRuleCheck(kind *schema.Kind, rules []*schema.Rule, input schema.RuleInput, refers func(schema.Candidate) (ids []dovetail.ID, weak bool)) *ruleCheck {
	c := &ruleCheck{rules: rules, input: input}
	var read []*schema.Reference
	for _, rule := range rules {
		if rule.ReadsParent() {
			c.parent = kind.ParentID(input.ID)
		}
		for _, reference := range kind.References {
			if rule.ReadsTargets(reference) {
				read = append(read, reference)
			}
		}
	}
	if len(read) == 0 {
		return c
	}
	for _, candidate := range kind.Extract(input.ID, input.Data) {
		if !slices.Contains(read, candidate.Rule) {
			continue
		}
		if ids, weak := refers(candidate); len(ids) > 0 {
			c.targets = append(c.targets, ruleTarget{candidate.Rule, ids, weak})
		}
	}
	return c
}

// reads adds the documents that the rules read.
func (c *ruleCheck) reads(ids []dovetail.ID) []dovetail.ID {
	if c.parent != "" {
		ids = append(ids, c.parent)
	}
	for _, t := range c.targets {
		ids = append(ids, t.ids...)
	}
	return ids
}

// run evaluates the rules on what the documents are that they read, nil for one that is not there. A rule is left out where
// the parent or a target is missing that must be there: that is reported for itself.
func (c *ruleCheck) run(ctx context.Context, data func(dovetail.ID) *value.Value, broken func(*schema.Rule, *dovetail.Error)) error {
	missing := make(map[*schema.Reference]bool)
	if c.parent != "" {
		c.input.Parent = data(c.parent)
	}
	for _, t := range c.targets {
		if v := t.one(data); v != nil {
			c.input.Refs = append(c.input.Refs, schema.TargetOfRule{Rule: t.rule, Data: v})
		} else if !t.weak {
			missing[t.rule] = true
		}
	}
	for _, rule := range c.rules {
		if rule.ReadsParent() && c.input.Parent == nil {
			continue
		}
		lacks := false
		for reference := range missing {
			lacks = lacks || rule.ReadsTargets(reference)
		}
		if lacks {
			continue
		}
		e, err := rule.Check(ctx, c.input)
		if err != nil {
			return err
		}
		if e != nil {
			broken(rule, e)
		}
	}
	return nil
}

// rules evaluates the rules of all documents whose data are written, on what there is once the transaction has written. What
// they read of other documents is a condition of the transaction.
func (p *plan) rules(ctx context.Context) error {
	var checks []*ruleCheck
	var steps []int
	var ids []dovetail.ID
	for i := range p.steps {
		st := &p.steps[i]
		if st.kind == nil || len(st.kind.Rules) == 0 || st.data == nil || st.invalid || st.effect == WasUnchanged || !p.mayEvaluate(i, st) {
			continue
		}
		input := schema.RuleInput{ID: st.op.ID, Data: st.data}
		if slices.ContainsFunc(st.kind.Rules, func(r *schema.Rule) bool { return r.OnUpdates }) {
			if input.Before = p.stored(i, st); st.invalid {
				continue
			}
		}
		check := newRuleCheck(st.kind, st.kind.Rules, input, func(c schema.Candidate) ([]dovetail.ID, bool) { return referred(c, st.document.References) })
		checks, steps, ids = append(checks, check), append(steps, i), check.reads(ids)
	}
	data, err := p.readForRules(ctx, checks, ids)
	if err != nil {
		return err
	}
	for n, check := range checks {
		err := check.run(ctx, func(id dovetail.ID) *value.Value { return data[id] }, func(_ *schema.Rule, e *dovetail.Error) { p.fail(steps[n], e) })
		if err != nil {
			return err
		}
	}
	return nil
}

// referred returns the target of a candidate that is among references.
func referred(c schema.Candidate, references []dovetail.Reference) (ids []dovetail.ID, weak bool) {
	for _, target := range c.Targets {
		if at := slices.IndexFunc(references, func(r dovetail.Reference) bool { return r.ID == target.ID }); at >= 0 {
			return []dovetail.ID{target.ID}, references[at].Weak
		}
	}
	return nil, false
}

// readForRules returns the data of documents as the transaction leaves them, and makes those that it does not write conditions.
func (p *plan) readForRules(ctx context.Context, checks []*ruleCheck, ids []dovetail.ID) (map[dovetail.ID]*value.Value, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	stored, err := p.store.fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	reader := make(map[dovetail.ID]dovetail.ID, len(ids)) // the document whose rules read another
	for _, check := range checks {
		for _, id := range check.reads(nil) {
			reader[id] = check.input.ID
		}
	}
	all := make(map[dovetail.ID]*value.Value, len(ids))
	for n, id := range ids {
		doc := stored[n]
		switch ours := p.putting[id]; {
		case ours != nil:
			if st := &p.steps[p.stepOf[id]]; st.data != nil {
				all[id] = st.data
				continue
			}
			doc = ours
		case p.deleting[id]:
			continue
		default:
			condition := versionOf(id, doc)
			condition.For = reader[id]
			p.txn.Require = append(p.txn.Require, condition)
		}
		if doc == nil {
			continue
		}
		if all[id], err = value.DataOf(doc, func(values int) error { return p.hold(int64(values) * value.Cost) }); err != nil {
			return nil, err
		}
	}
	return all, nil
}
