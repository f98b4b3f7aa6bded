package lint

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Condition is one rule in CEL with the smallest document that was found to break it.
type Condition struct {
	Kind      string `json:"kind"`
	Expr      string `json:"expr"`
	OnUpdates bool   `json:"onUpdates,omitempty"`
	At        string `json:"at"` // file:line:column
	// BrokenBy is nil where the search found no document.
	BrokenBy *Case `json:"brokenBy,omitempty"`
	// Breaking counts the samples that break the rule.
	Breaking int `json:"breaking,omitempty"`

	rule *schema.Rule
	kind *schema.Kind
}

// Case is a document, with what a rule reads beside it.
type Case struct {
	ID      dovetail.ID  `json:"id"`
	Data    *value.Value `json:"data"`
	Before  *value.Value `json:"before,omitempty"` // the data before the update
	Parent  *value.Value `json:"parent,omitempty"`
	Refs    *value.Value `json:"refs,omitempty"` // by the names of slots
	Message string       `json:"message"`        // what is wrong with it
	targets []schema.TargetOfRule
}

// String is the case in a line.
func (c *Case) String() string {
	text := string(c.Data.JSON())
	for _, part := range []struct {
		name string
		v    *value.Value
	}{{"after ", c.Before}, {"below ", c.Parent}, {"referring to ", c.Refs}} {
		if part.v != nil {
			text += " " + part.name + string(part.v.JSON())
		}
	}
	return text
}

// conditions examines the rules in CEL of a kind.
func (r *Report) conditions(k *schema.Kind) {
	var useless []*schema.Rule
	for _, rule := range k.Rules {
		reading := rule.Reading()
		found := newSearch(k, rule).run(rule, nil)
		r.Conditions = append(r.Conditions, Condition{Kind: k.Name, Expr: rule.Expr, OnUpdates: rule.OnUpdates, At: rule.Position.String(), BrokenBy: found.broken, rule: rule, kind: k})
		switch {
		case r.unknown(k, rule, reading):
			useless = append(useless, rule)
		case found.always():
			useless = append(useless, rule)
			r.condition(AlwaysHolds, k, rule, "remove it if the JSON Schema says so already; otherwise check what it compares", "no document that the JSON Schema allows breaks it")
		case found.never():
			useless = append(useless, rule)
			r.condition(NeverHolds, k, rule, "check what it compares: no "+k.Name+" can be written", "every document breaks it, such as %s", found.broken)
		}
		for _, part := range reading.AlsoOnCreation {
			r.condition(OnlyUpdates, k, rule, "make it a rule of its own", "%s does not count for new documents, since the rule reads oldSelf", part)
		}
	}
	for i, rule := range k.Rules {
		if slices.Contains(useless, rule) {
			continue
		}
		for j, other := range k.Rules {
			if i == j || slices.Contains(useless, other) || other.OnUpdates && !rule.OnUpdates || !implies(k, other, rule) ||
				i < j && rule.OnUpdates == other.OnUpdates && implies(k, rule, other) {
				continue
			}
			r.condition(Superfluous, k, rule, "remove it", "every document that breaks it breaks the rule at %s too", other.Position)
			break
		}
	}
}

func (r *Report) condition(problem Problem, k *schema.Kind, rule *schema.Rule, remedy, format string, args ...any) {
	at := rule.Position
	r.Findings = append(r.Findings, Finding{Problem: problem, Kind: k.Name, At: at.String(), position: at, Remedy: remedy,
		Message: fmt.Sprintf("%s: the rule %s: %s", k.Name, strconv.Quote(rule.Expr), fmt.Sprintf(format, args...))})
}

// unknown reports members that no document of a strict kind has, and that the rule reads. It reports whether there are any.
func (r *Report) unknown(k *schema.Kind, rule *schema.Rule, reading schema.RuleReading) bool {
	var reported []string
	for _, path := range reading.Paths {
		of, below := kindOf(k, rule, path)
		name := strings.Join(path, ".")
		if of == nil || of.Knows(below) || slices.Contains(reported, name) {
			continue
		}
		reported = append(reported, name)
		r.condition(UnknownMember, k, rule, "name it in the schema of "+of.Name+", or correct the rule", "no %s has %s: the kind is strict, and its JSON Schema does not name it",
			of.Name, strings.ReplaceAll(name, "."+schema.EachItem, "[*]"))
	}
	return len(reported) > 0
}

// kindOf returns the kind of the document that a path of a rule leads into, and the path there; nil where it may be of several.
func kindOf(k *schema.Kind, rule *schema.Rule, path []string) (of *schema.Kind, below []string) {
	switch path[0] {
	case schema.RuleSelf, schema.RuleBefore:
		return k, path[1:]
	case schema.RuleParent:
		return parentOf(k), path[1:]
	case schema.RuleRefs:
		if len(path) < 2 {
			return nil, nil
		}
		rules, many := rule.Slot(path[1])
		below = path[2:]
		if many {
			if len(below) == 0 || below[0] != schema.EachItem {
				return nil, nil
			}
			below = below[1:]
		}
		if len(rules) == 1 && len(rules[0].To) == 1 {
			return rules[0].To[0], below
		}
	}
	return nil, nil
}

func parentOf(k *schema.Kind) *schema.Kind {
	up := k.Parent
	for up != nil && up.Abstract {
		up = up.Parent
	}
	return up
}

// implies reports whether it is certain that a document that fulfils a rule fulfils the other one.
func implies(k *schema.Kind, rule, other *schema.Rule) bool {
	a, b := rule.Reading(), other.Reading()
	if a.Text != "" && a.Text == b.Text {
		return true
	}
	shared := slices.ContainsFunc(a.Paths, func(p []string) bool {
		return slices.ContainsFunc(b.Paths, func(q []string) bool { return slices.Equal(p, q) })
	})
	if !shared || !a.Compares || !b.Compares {
		return false
	}
	return newSearch(k, rule, other).run(other, rule).always()
}

// breaking reports the samples that break rules, as far as the samples have what the rules read.
func (r *Report) breaking(k *schema.Kind, s Document, data func(dovetail.ID) *value.Value) {
	for i := range r.Conditions {
		c := &r.Conditions[i]
		if c.kind != k || c.OnUpdates {
			continue
		}
		in, complete := inputOf(k, c.rule, s, data)
		if !complete {
			continue
		}
		if e, err := c.rule.Check(context.Background(), in); err == nil && e != nil {
			c.Breaking++
			r.sample(BreaksRule, k.Name, s, e)
		}
	}
}

// inputOf gives a rule what it reads of samples, and reports whether all of them are there that must be.
func inputOf(k *schema.Kind, rule *schema.Rule, s Document, data func(dovetail.ID) *value.Value) (in schema.RuleInput, complete bool) {
	in, complete = schema.RuleInput{ID: s.ID, Data: s.Data}, true
	if rule.ReadsParent() {
		in.Parent = data(k.ParentID(s.ID))
		complete = in.Parent != nil
	}
	for _, c := range k.Extract(s.ID, s.Data) {
		if !rule.ReadsTargets(c.Rule) {
			continue
		}
		at := slices.IndexFunc(c.Targets, func(t dovetail.Reference) bool { return data(t.ID) != nil })
		if at >= 0 {
			in.Refs = append(in.Refs, schema.TargetOfRule{Rule: c.Rule, Data: data(c.Targets[at].ID)})
		}
		complete = complete && (at >= 0 || c.Rule.Weak)
	}
	return in, complete
}
