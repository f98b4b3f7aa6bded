package schema

import (
	"github.com/dovetail-store/dovetail/src/internal/data/condition"
	"github.com/dovetail-store/dovetail/src/value"
)

// The variables of rules, as the first elements of RuleReading.Paths.
const (
	RuleSelf   = varSelf
	RuleBefore = varOld
	RuleParent = varParent
	RuleKey    = varKey
	RuleRefs   = varRefs
)

// EachItem is the element of a path that stands for every item of a list, or every value of an object.
const EachItem = condition.EachItem

// RuleReading is what a rule looks at.
type RuleReading struct {
	// Paths are the values that it reads: a variable, the members below it, and EachItem.
	Paths [][]string
	// Literals are the texts, numbers and booleans in it.
	Literals []*value.Value
	// Compares means that the rule asks only how the values compare with each other and with the literals, and whether they are
	// there: documents whose values compare alike fulfil it alike.
	Compares bool
	// AlsoOnCreation are parts of a rule for updates, joined by &&, that say something of new documents too, for which it does not count.
	AlsoOnCreation []string
	// Text is the expression as all of the same meaning in CEL are written: without needless blanks and parentheses.
	Text string
}

// Reading returns what the rule looks at.
func (r *Rule) Reading() RuleReading {
	from := r.program.Reading()
	reading := RuleReading{Paths: from.Paths, Literals: from.Literals, Compares: from.Compares, Text: r.program.String()}
	if r.OnUpdates {
		reading.AlsoOnCreation = r.program.Alone(varOld)
	}
	return reading
}

// Slot returns the reference rules at a slot by its name in refs, and whether it is a list there.
func (r *Rule) Slot(name string) (rules []*Reference, many bool) {
	for _, s := range r.slots {
		if s.name == name {
			return s.rules, s.many
		}
	}
	return nil, false
}

// Knows reports whether data of the kind may have a member at a path of names and EachItem: all may unless the kind is strict.
func (k *Kind) Knows(path []string) bool {
	n := k.names
	if n == nil {
		return true
	}
	for i, name := range path {
		below := n.below(name)
		if below == nil {
			return n.any || name == EachItem || i > 0 && path[0] == "spec" && k.looksFor(name)
		}
		n = below
	}
	return true
}
