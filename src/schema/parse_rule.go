package schema

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/condition"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// Bounds of the rules of a kind.
const (
	maxRules       = 64
	maxRuleMessage = 1_000 // bytes
)

// ruleEntry is an entry of the field rules as it was written.
type ruleEntry struct {
	at      dovetail.Position
	expr    text
	message text
	broken  bool
}

// conditions reads a list whose items are expressions, or mappings of expr and message.
func (p *parser) conditions(f decode.Field) []*ruleEntry {
	var all []*ruleEntry
	for _, item := range f.Items("a rule") {
		r := &ruleEntry{at: at(item)}
		if item.Kind() == value.String {
			r.expr = readText(item)
		} else if !readFields(item, map[string]func(decode.Field){
			"expr":    func(f decode.Field) { r.expr = readText(f) },
			"message": func(f decode.Field) { r.message = readText(f) },
		}) {
			continue
		}
		all = append(all, r)
	}
	if len(all) == 0 && f.Kind() == value.List && len(f.Value.Items) == 0 {
		p.add(FaultBadValue, at(f), "list the rules, or leave the field out", "rules is empty")
	}
	return all
}

// conditions checks what can be said of rules before they are compiled.
func (c *checker) conditions(r *resource) {
	name := r.name.value
	if len(r.conditions) > 0 && r.abstract {
		c.warn(FaultNoEffect, r.conditions[0].at, "remove it", "%s: rules has no effect on an abstract kind, which has no documents", name)
	}
	if len(r.conditions) > maxRules {
		c.add(FaultTooLarge, r.conditions[maxRules].at, "join conditions with &&", "%s: more than %d rules", name, maxRules)
		r.conditions = r.conditions[:maxRules]
	}
	first := make(map[string]bool, len(r.conditions))
	for _, one := range r.conditions {
		switch {
		case one.expr.bad || one.message.bad:
			one.broken = true
			continue
		case one.expr.value == "":
			c.add(FaultBadRule, one.at, `write expr: "self.spec.min <= self.spec.max"`, "%s: a rule has no expr", name)
			one.broken = true
		case len([]rune(one.expr.value)) > condition.MaxLength:
			c.add(FaultTooLarge, one.expr.at, "write several rules", "%s: the expression of a rule has more than %d characters", name, condition.MaxLength)
			one.broken = true
		case first[one.expr.value]:
			c.add(FaultBadRule, one.expr.at, "remove one of the two", "%s: the same rule twice", name)
			one.broken = true
		}
		if len(one.message.value) > maxRuleMessage {
			c.add(FaultTooLarge, one.message.at, "write a sentence", "%s: the message of a rule has more than %d bytes", name, maxRuleMessage)
		}
		first[one.expr.value] = true
	}
}
