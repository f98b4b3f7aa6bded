package schema

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// slot checks what a rule says of its slot, and of how many references there are.
func (c *checker) slot(r *resource, rule *rule) {
	s, subject := &rule.slot, r.name.value
	if s.at.bad {
		rule.broken = true
	}
	refuse := func(at dovetail.Position, remedy, format string, args ...any) {
		c.add(FaultBadValue, at, remedy, subject+": "+format, args...)
		rule.broken = true
	}
	if s.at.value == "" {
		if s.mapAt.Line > 0 {
			refuse(s.mapAt, `add "at: spec", or write the name of a member of spec, with "type: map"`, "map is a mapping, which needs at")
		}
	} else {
		if rule.kind.value != typeDefault {
			refuse(rule.kind.at, "remove it: at says where the references are, [*] for every item of a list, .* for the names in a map",
				"type %s stands beside at", rule.kind.value)
		}
		if rule.member.value != "" {
			refuse(rule.member.at, "write a mapping from elements of the target's key to members: {cluster: target}", "map is a text, which at does not use")
		}
		if rule.field.value != "" {
			refuse(rule.field.at, "write map: {"+c.lastElement(rule)+": "+rule.field.value+"}", "field stands beside at")
		}
		if !s.at.bad && rule.places() == nil {
			refuse(s.at.at, "name a part of the data: spec.NAME", "%s is not a part of the data: its members are metadata, spec and others, but not status", short(s.at.value))
		}
		c.slotMembers(subject, rule, refuse)
	}
	if s.min.at.Line > 0 && s.min.value < 1 {
		refuse(s.min.at, "write a number from 1 on, or leave min out", "min cannot be %d", s.min.value)
	}
	if s.max.at.Line > 0 && s.max.value < 1 {
		refuse(s.max.at, "write a number from 1 on, or leave max out", "max cannot be %d", s.max.value)
	}
	least := s.min
	if s.required && least.value < 1 {
		least = number{1, rule.at}
	}
	if s.max.value > 0 && least.value > s.max.value {
		refuse(least.at, "write a min that is not above max", "at least %d and at most %d references cannot be", least.value, s.max.value)
	}
	if one := rule.onlyOne(); one != "" && s.min.value > 1 {
		refuse(s.min.at, "write one rule for each place, or a path with [*]", "min is %d, but %s", s.min.value, one)
	}
}

// places are the steps of a slot; nil where it is not in the data.
func (rule *rule) places() []step {
	steps := rule.slot.at.path.steps()
	if len(steps) == 0 || steps[0].name == "status" {
		return nil
	}
	return steps
}

// onlyOne says why a rule finds one reference at most; "" where it may find several.
func (rule *rule) onlyOne() string {
	steps := rule.slot.at.path.steps()
	switch {
	case len(steps) == 0 && rule.kind.value == typeDefault:
		return "a rule without a type finds one reference"
	case len(steps) > 0 && !slices.ContainsFunc(steps, func(s step) bool { return s.any }):
		return short(rule.slot.at.value) + " is one place"
	}
	return ""
}

// slotMembers checks the field map of a slot: elements of the target's key, each with a member.
func (c *checker) slotMembers(subject string, rule *rule, refuse func(at dovetail.Position, remedy, format string, args ...any)) {
	var elements []string
	for _, to := range rule.to {
		elements = append(elements, to.elements...)
	}
	for _, kv := range rule.slot.members {
		element := kv.name.value
		fixed := func(other pair) bool { return other.name.value == element }
		switch {
		case kv.value.bad:
			rule.broken = true
		case len(rule.to) > 0 && len(elements) > 0 && !slices.Contains(elements, element):
			refuse(kv.name.at, didYouMean(element, elements, "write one of "+enumerate(elements)),
				"map names %s, which is no element of the key of %s", short(element), rule.to[0].last())
		case kv.value.value == "":
			refuse(kv.name.at, "write the name of a member", "map gives the element %s no member", short(element))
		case slices.ContainsFunc(rule.fixed, fixed):
			c.warn(FaultNoEffect, kv.name.at, "remove one of the two", "%s: map names %s, which fixedKv sets", subject, short(element))
		}
	}
}

// lastElement is the last element of the first target's key.
func (c *checker) lastElement(rule *rule) string {
	if len(rule.to) == 0 {
		return "ELEMENT"
	}
	return rule.to[0].last()
}
