package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxStates is how many states a lifecycle may have, and how many actions.
const maxStates = 100

// lifecycleCheck is the check of one lifecycle.
type lifecycleCheck struct {
	*checker
	of     *resource
	states []string // that it has
}

// lifecycle checks the states and actions of a resource.
func (c *checker) lifecycle(r *resource) {
	l := r.lifecycle
	if l == nil {
		return
	}
	check := lifecycleCheck{c, r, l.names()}
	l.sound = true
	if l.initial.value == "" && !l.initial.bad {
		check.fail(l.at, `add "initial: ..." with the state of new documents`, "the lifecycle has no initial state")
	}
	if len(l.actions) == 0 {
		check.fail(l.at, `add "actions:" and below it at least one, such as "approve: {from: [Created], to: Approved}"`, "the lifecycle has no actions")
	}
	if len(check.states) > maxStates || len(l.actions) > maxStates {
		check.fail(l.at, "split the kind", "the lifecycle has %d states and %d actions, more than %d", len(check.states), len(l.actions), maxStates)
	}
	for i, state := range l.states {
		check.name(state)
		if slices.ContainsFunc(l.states[:i], func(other text) bool { return other.value == state.value }) {
			c.warn(FaultNoEffect, state.at, "remove one of the two", "%s: states lists %s twice", r.name.value, short(state.value))
		}
	}
	check.state(l.initial)
	for _, a := range l.actions {
		check.action(a)
	}
	for _, state := range slices.Concat(l.put, l.delete) {
		check.standing(state)
	}
	for i := range l.children {
		check.children(&l.children[i])
	}
}

func (c lifecycleCheck) fail(at dovetail.Position, remedy, format string, args ...any) {
	c.of.lifecycle.sound = false
	c.add(FaultBadValue, at, remedy, "%s: "+format, append([]any{c.of.name.value}, args...)...)
}

// name checks the form of a state's name.
func (c lifecycleCheck) name(state text) {
	if !state.bad && (!dovetail.IsElementName(state.value) || len(state.value) > maxNameLength) {
		c.fail(state.at, "use letters, digits, '-' and '_', with a letter or digit at both ends", "%s cannot name a state", short(state.value))
	}
	c.of.lifecycle.sound = c.of.lifecycle.sound && !state.bad
}

// state checks that there is a state.
func (c lifecycleCheck) state(state text) {
	if state.value == "" || state.bad {
		c.of.lifecycle.sound = c.of.lifecycle.sound && !state.bad
		return
	}
	if len(c.of.lifecycle.states) == 0 {
		c.name(state)
	}
	c.among(state, c.states, c.of)
}

// standing checks a state that may have a progress behind it.
func (c lifecycleCheck) standing(is text) {
	c.state(c.withoutProgress(is))
}

// withoutProgress checks the progress behind a state, and returns the state.
func (c lifecycleCheck) withoutProgress(is text) text {
	state, progress, qualified := strings.Cut(is.value, "/")
	if qualified && !slices.Contains(progressNames, progress) {
		c.fail(is.at, didYouMean(progress, progressNames, "write one of "+enumerate(progressNames)+" behind the slash"), "%s is no progress of an action", short(progress))
	}
	is.value = state
	return is
}

// among checks that a state is one of a resource.
func (c lifecycleCheck) among(state text, states []string, of *resource) {
	if slices.Contains(states, state.value) || state.bad {
		return
	}
	if len(of.lifecycle.states) > 0 {
		c.fail(state.at, didYouMean(state.value, states, "add it to states, or correct it"), "unknown state %s of %s", short(state.value), of.last())
		return
	}
	c.fail(state.at, didYouMean(state.value, states, "the states are "+enumerate(states)+"; one that nothing leads to has to be listed in states"),
		"no action of %s leads to the state %s", of.last(), short(state.value))
}

func (c lifecycleCheck) action(a *lifecycleAction) {
	if !c.path(c.of.name.value, a.name, a.name.value) {
		c.of.lifecycle.sound = false
		return
	}
	if len(a.transitions) == 0 {
		c.fail(a.name.at, "list at least one, or write from and to", "the action %s has no transitions", short(a.name.value))
	}
	var leads []string // the states that a transition leads from
	for _, t := range a.transitions {
		from := values(t.from)
		for _, state := range t.from {
			c.standing(state)
		}
		for _, led := range []text{t.to, t.via, t.failed} {
			if led.value != "" {
				c.state(led)
			}
		}
		if led := cmp.Or(t.via.at, t.failed.at); led.Line > 0 && !a.work {
			c.fail(led, `add "work: true" to the action, or leave via and failed out`, "no worker carries the action %s out", short(a.name.value))
		}
		switch {
		case t.fromAt.Line == 0:
			from = c.states
		case len(from) == 0:
			c.fail(t.fromAt, "list the states, or leave from out for all of them", "the action %s is possible in no state", short(a.name.value))
		}
		for _, state := range slices.Compact(slices.Sorted(slices.Values(from))) {
			if slices.ContainsFunc(leads, func(other string) bool { return overlap(state, other) }) {
				c.fail(t.at, "name each state in one transition only", "the action %s leads from the state %s to two states", short(a.name.value), short(state))
				break
			}
			leads = append(leads, state)
		}
	}
	if a.revision.value != "" && a.revision.value != RevisionFirst && a.revision.value != RevisionNext {
		c.fail(a.revision.at, didYouMean(a.revision.value, []string{RevisionFirst, RevisionNext}, "write first or next"), "%s does not say how the action counts", short(a.revision.value))
	}
	c.of.lifecycle.sound = c.of.lifecycle.sound && !a.revision.bad
	if a.restoresAt.Line > 0 && len(a.restores) == 0 {
		c.of.lifecycle.sound = false
	}
	for _, rule := range a.references {
		c.rule(c.of, rule)
		if rule.slot.exclusive || rule.onDelete.value != "" {
			c.fail(rule.at, "leave exclusive and onDelete out", "the reference of the action %s is not stored", short(a.name.value))
		}
	}
	for i := range a.needs {
		c.need(a, &a.needs[i])
	}
}

// need checks the states that an action needs other documents to be in.
func (c lifecycleCheck) need(a *lifecycleAction, need *kindStates) {
	if !c.known(need) {
		return
	}
	for up := c.of.up; up != nil; up = up.up {
		if up == need.of {
			return
		}
	}
	for _, rule := range c.of.references {
		if slices.ContainsFunc(rule.targets, func(to text) bool { return c.find(to.value) == need.of }) {
			return
		}
	}
	c.fail(need.kind.at, "name an ancestor, or a kind that the documents refer to",
		"the action %s needs a %s, but nothing says which", short(a.name.value), need.of.last())
}

// children checks the states in which the children of a document are frozen.
func (c lifecycleCheck) children(frozen *kindStates) {
	of := c.find(frozen.kind.value)
	if of == nil || of.up != c.of || of.upHalf {
		var children []string
		for _, r := range c.resources {
			if r.up == c.of && !r.upHalf {
				children = append(children, r.last())
			}
		}
		remedy := "leave it out: the kind has no children"
		if len(children) > 0 {
			remedy = didYouMean(frozen.kind.value, children, "its children are "+enumerate(children))
		}
		c.fail(frozen.kind.at, remedy,
			"%s is not a child", short(frozen.kind.value))
		return
	}
	frozen.of = of
	for _, state := range frozen.states {
		c.standing(state)
	}
}

// known finds the kind whose states are named, and checks them.
func (c lifecycleCheck) known(named *kindStates) bool {
	named.of = c.find(named.kind.value)
	switch {
	case named.of == nil:
		c.fail(named.kind.at, didYouMean(named.kind.value, c.names, "define it as a resource, or correct the name"), "unknown kind %s", short(named.kind.value))
		return false
	case named.of.lifecycle == nil:
		c.fail(named.kind.at, "give it a lifecycle, or leave it out", "%s has no lifecycle", named.of.last())
		return false
	}
	states := named.of.lifecycle.names()
	if len(states) == 0 {
		return true // that is reported there
	}
	for _, state := range named.states {
		c.among(c.withoutProgress(state), states, named.of)
	}
	return true
}
