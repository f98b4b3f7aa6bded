package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/migration"
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

// checkRules evaluates the rules of a document that is migrated: those on its own data, and new ones.
func (r *migrating) checkRules(ctx context.Context, kind *schema.Kind, made *migration.Rewritten) error {
	rules := changedRules(r.migration.from)(kind)
	if len(rules) == 0 {
		return nil
	}
	var failed error
	data := func(id dovetail.ID) *value.Value {
		v, err := r.dataAfter(ctx, id)
		failed = cmp.Or(failed, err)
		return v
	}
	check := newRuleCheck(kind, rules, schema.RuleInput{ID: made.ID, Data: made.Data}, r.store.mayRefer)
	err := check.run(ctx, data, func(_ *schema.Rule, e *dovetail.Error) { r.errs.Add(e) })
	return cmp.Or(failed, err)
}

// dataAfter returns the data that a document has after the migration, nil for none.
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
