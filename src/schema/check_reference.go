package schema

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The types of references.
const (
	typeDefault = ""
	typeMap     = "map"
	typeMany    = "many"
)

// rule checks one reference rule of a resource.
func (c *checker) rule(r *resource, rule *rule) {
	subject := r.name.value
	if len(rule.targets) == 0 {
		c.add(FaultBadValue, rule.at, `add "name: ..." or "oneOf: [...]"`, "%s: a reference does not say what it refers to", subject)
	}
	rule.broken = len(rule.targets) == 0
	for _, target := range rule.targets {
		c.target(subject, rule, target)
	}
	switch rule.kind.value {
	case typeDefault, typeMap, typeMany:
	default:
		c.add(FaultBadReferenceType, rule.kind.at, didYouMean(rule.kind.value, []string{typeMap, typeMany}, "write map or many, or leave type out"),
			"%s: unknown reference type %s", subject, short(rule.kind.value))
		rule.broken = true
	}
	c.choice(subject, "onDelete", rule.onDelete, "restrict", "cascade")
	c.choice(subject, "enforce", rule.enforce, "strict", "warn")
	for _, kv := range rule.fixed {
		if why := dovetail.CheckValue(kv.value.value); why != "" {
			c.add(FaultBadValue, kv.value.at, "give it a value that a key can have", "%s: the value of %s %s", subject, short(kv.name.value), why)
		}
	}
	c.slot(r, rule)
	if !rule.broken && !r.broken { // whose key is not known
		c.idle(r, rule)
	}
}

// target finds one kind that a rule refers to.
func (c *checker) target(subject string, rule *rule, name text) {
	to := c.find(name.value)
	switch {
	case name.bad:
	case name.value == "":
		c.add(FaultBadValue, name.at, "write the name of a kind", "%s: a reference has an empty name", subject)
	case to == nil:
		c.add(FaultMissingReference, name.at, didYouMean(name.value, c.names, "define it as a resource, or correct the name"),
			"%s: unknown reference %s", subject, short(name.value))
	case to.abstract:
		c.add(FaultMissingReference, name.at, "refer to one of its children",
			"%s: %s is abstract, it has no documents to refer to", subject, short(name.value))
	case slices.Contains(rule.to, to):
		c.add(FaultBadValue, name.at, "remove one of the two", "%s: oneOf names %s twice", subject, short(name.value))
	case to.broken: // the reason is reported at the target
	default:
		rule.to = append(rule.to, to)
		return
	}
	rule.broken = true
}

// choice checks a field that can have one of two values, or be absent.
func (c *checker) choice(subject, field string, given text, values ...string) {
	if given.value != "" && !slices.Contains(values, given.value) {
		c.add(FaultBadValue, given.at, didYouMean(given.value, values, "write "+strings.Join(values, " or ")),
			"%s: %s cannot be %s", subject, field, short(given.value))
	}
}

// idle warns of fields that do nothing. They are no errors: older schemas have them, and load.
func (c *checker) idle(r *resource, rule *rule) {
	subject := r.name.value
	switch isMap := rule.kind.value == typeMap; {
	case isMap && rule.member.value == "":
		c.warn(FaultNoEffect, rule.at, `add "map: ..." with the name of a member of spec`,
			"%s: the reference of type map names no map, so it never finds anything", subject)
	case !isMap && rule.member.value != "":
		c.warn(FaultNoEffect, rule.member.at, `add "type: map"`, "%s: map does nothing without type map", subject)
	case isMap && rule.field.value != "":
		c.warn(FaultNoEffect, rule.field.at, "remove it", "%s: field does nothing with type map", subject)
	}
	for _, kv := range rule.fixed {
		has := func(to *resource) bool { return slices.Contains(to.elements, kv.name.value) }
		if !slices.ContainsFunc(rule.to, has) {
			c.warn(FaultNoEffect, kv.name.at, didYouMean(kv.name.value, rule.to[0].elements, "remove it"),
				"%s: fixedKv names %s, which is no element of the key of %s", subject, short(kv.name.value), rule.to[0].last())
		}
	}
	if name := rule.commonKey.value; name != "" {
		rule.common = c.keyUpTo(name)
		shared := func(to *resource) bool {
			return slices.ContainsFunc(rule.common, func(e string) bool {
				return slices.Contains(r.elements, e) && slices.Contains(to.elements, e)
			})
		}
		switch {
		case rule.common == nil:
			c.warn(FaultNoEffect, rule.commonKey.at, didYouMean(name, c.names, "correct the name"), "%s: unknown commonKey %s", subject, short(name))
		case !slices.ContainsFunc(rule.to, shared):
			c.warn(FaultNoEffect, rule.commonKey.at, "remove it, or name an ancestor of both",
				"%s: commonKey %s does nothing: no element of its key is in the keys of both %s and %s", subject, short(name), r.last(), rule.to[0].last())
		}
	}
}

// keyUpTo returns the elements of the key from the root up to the named one; nil for an unknown name.
func (c *checker) keyUpTo(name string) []string {
	r := c.find(name)
	if r == nil || r.broken {
		return nil
	}
	if len(r.own) == 2 && name == r.own[0] {
		return r.elements[:len(r.elements)-1]
	}
	return r.elements
}

// duplicateRules warns of rules that say the same.
func (c *checker) duplicateRules(r *resource) {
	for i, rule := range r.references {
		for _, earlier := range r.references[:i] {
			if value.Equal(rule.value, earlier.value) {
				c.warn(FaultDuplicateReference, rule.at, "remove one of the two",
					"%s: duplicate reference, first at %s", r.name.value, earlier.at)
				break
			}
		}
	}
}
