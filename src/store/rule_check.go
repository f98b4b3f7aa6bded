package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// rulesOf says which rules of a kind stored documents are held against.
type rulesOf func(*schema.Kind) []*schema.Rule

// standingRules are those that say something of documents as they are.
func standingRules(kind *schema.Kind) []*schema.Rule {
	return slices.DeleteFunc(slices.Clone(kind.Rules), func(r *schema.Rule) bool { return r.OnUpdates })
}

// changedRules are those that stored documents may break under the next model: new ones, and those on their own data, of which
// the next JSON Schema may say something else. Others may be broken since a document that they read was changed.
func changedRules(previous *schema.Model) rulesOf {
	return func(kind *schema.Kind) []*schema.Rule {
		var before *schema.Kind
		if previous != nil {
			before, _ = previous.Kind(kind.Name)
		}
		added := kind.NewRules(before)
		return slices.DeleteFunc(standingRules(kind), func(r *schema.Rule) bool { return r.ReadsOthers() && !slices.Contains(added, r) })
	}
}

// brokenRules returns a finding for each rule that a document breaks. Those whose data breaks the JSON Schema are left out, as it is
// not what the rules expect.
func (s *Store) brokenRules(ctx context.Context, model *schema.Model, documents []*dovetail.Document, findings []Finding, which rulesOf) ([]Finding, error) {
	var checks []*ruleCheck
	var ids []dovetail.ID
	for _, doc := range documents {
		kind, err := model.KindOf(doc.ID)
		if err != nil || len(kind.Rules) == 0 || slices.ContainsFunc(findings, func(f Finding) bool { return f.ID == doc.ID && f.Problem == ProblemInvalidData }) {
			continue
		}
		rules := which(kind)
		data, err := value.DataOf(doc, nil)
		if err != nil || len(rules) == 0 {
			continue // data that cannot be read has a finding already
		}
		check := newRuleCheck(kind, rules, schema.RuleInput{ID: doc.ID, Data: data}, s.mayRefer)
		checks, ids = append(checks, check), check.reads(ids)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	stored, err := s.fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	others := make(map[dovetail.ID]*value.Value, len(ids))
	for n, doc := range stored {
		if doc != nil {
			if others[ids[n]], err = value.DataOf(doc, nil); err != nil {
				return nil, err
			}
		}
	}
	var broken []Finding
	for _, check := range checks {
		err := check.run(ctx, func(id dovetail.ID) *value.Value { return others[id] }, func(rule *schema.Rule, e *dovetail.Error) {
			broken = append(broken, Finding{Problem: ProblemBrokenRule, ID: check.input.ID, Message: string(check.input.ID) + ": " + e.Message, Allowed: rule.ReadsOthers()})
		})
		if err != nil {
			return nil, err
		}
	}
	return broken, nil
}

// mayRefer returns the targets of a candidate, of which a stored document refers to the one that exists.
func (s *Store) mayRefer(c schema.Candidate) (ids []dovetail.ID, weak bool) {
	for _, target := range c.Targets {
		ids = append(ids, target.ID)
	}
	return ids, s.config.WeakReferences || c.Rule.Weak
}

// checkRules evaluates the rules of a document that is migrated: those on its own data, new ones, and, as the migration may give it another
// parent or target, or these other data, those that read others. One of the latter that is broken already is no reason to refuse.
func (r *migrating) checkRules(ctx context.Context, doc *dovetail.Document, next *becoming) error {
	changed := changedRules(r.migration.from)(next.kind)
	for _, rule := range standingRules(next.kind) {
		broken, err := r.breaks(ctx, next.kind, rule, schema.RuleInput{ID: next.ID, Data: next.data}, r.dataAfter)
		if err != nil {
			return err
		}
		if broken != nil && !slices.Contains(changed, rule) {
			before, err := r.brokenBefore(ctx, doc, rule.Expr)
			if err != nil || before {
				return err
			}
		}
		if broken != nil {
			r.errs.Add(broken)
		}
	}
	return nil
}

// breaks returns the error of a rule that a document breaks, or nil. read returns the data of another document, nil if there is none.
func (r *migrating) breaks(ctx context.Context, kind *schema.Kind, rule *schema.Rule, input schema.RuleInput, read func(context.Context, dovetail.ID) (*value.Value, error)) (broken *dovetail.Error, err error) {
	var failed error
	data := func(id dovetail.ID) *value.Value {
		v, err := read(ctx, id)
		failed = cmp.Or(failed, err)
		return v
	}
	err = newRuleCheck(kind, []*schema.Rule{rule}, input, r.store.mayRefer).run(ctx, data, func(_ *schema.Rule, e *dovetail.Error) { broken = e })
	return broken, cmp.Or(failed, err)
}

// brokenBefore reports whether a stored document breaks the rule with an expression.
func (r *migrating) brokenBefore(ctx context.Context, doc *dovetail.Document, expr string) (bool, error) {
	kind, err := r.migration.from.KindOf(doc.ID)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(kind.Rules, func(rule *schema.Rule) bool { return rule.Expr == expr })
	if at < 0 {
		return false, nil
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return false, dovetail.AsError(err)
	}
	broken, err := r.breaks(ctx, kind, kind.Rules[at], schema.RuleInput{ID: doc.ID, Data: data}, r.dataBefore)
	return broken != nil, err
}

// dataBefore returns the data that a document has before the migration, nil if there is none.
func (r *migrating) dataBefore(ctx context.Context, id dovetail.ID) (*value.Value, error) {
	stored, err := r.reader.GetAll(ctx, []dovetail.ID{id})
	if err != nil || stored[0] == nil {
		return nil, err
	}
	defer letGo(ctx, stored)
	return value.DataOf(stored[0], nil)
}

// dataAfter returns the data that a document has after the migration, nil if there is none.
func (r *migrating) dataAfter(ctx context.Context, id dovetail.ID) (*value.Value, error) {
	if !r.exists(id) {
		return nil, nil
	}
	stored, err := r.reader.GetAll(ctx, r.change.Sources(id))
	if err != nil {
		return nil, err
	}
	defer letGo(ctx, stored)
	for _, doc := range stored {
		if doc == nil || r.change.Of(doc.ID) != id {
			continue
		}
		made, refusal, err := r.rewriteData(doc)
		if err != nil || refusal != nil {
			return nil, err // the document itself is refused elsewhere
		}
		return made.Data, nil
	}
	return nil, nil
}
