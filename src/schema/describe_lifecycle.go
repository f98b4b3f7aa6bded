package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// LifecycleDescription is the states of a kind and the actions between them.
type LifecycleDescription struct {
	Initial string                       `json:"initial"`
	States  []string                     `json:"states"`
	Actions []LifecycleActionDescription `json:"actions"`
	Freeze  *FreezeDescription           `json:"freeze,omitempty"`
}

// LifecycleActionDescription is one action of a lifecycle.
type LifecycleActionDescription struct {
	Action      string                  `json:"action"`
	Sentence    string                  `json:"sentence"` // where it leads, in words
	Transitions []TransitionDescription `json:"transitions"`
	References  []ReferenceDescription  `json:"references,omitempty"` // in the body of the request
	Needs       map[string][]string     `json:"needs,omitempty"`      // by kind, the states of documents that this one belongs to
	// Work says that a worker carries the action out; Revision is how the action counts in the revisions of the deployment, and
	// Restores where the body names the one that it leads back to.
	Work     bool   `json:"work,omitempty"`
	Revision string `json:"revision,omitempty"`
	Restores string `json:"restores,omitempty"`
}

// TransitionDescription is where an action leads from some states.
type TransitionDescription struct {
	From   []string `json:"from,omitempty"`   // states, or STATE/PROGRESS; none for all states
	To     string   `json:"to,omitempty"`     // "" for the state as it is
	Via    string   `json:"via,omitempty"`    // until the worker is done
	Failed string   `json:"failed,omitempty"` // after it failed
	// Unreferenced says that nothing may refer to the document.
	Unreferenced bool `json:"unreferenced,omitempty"`
}

// FreezeDescription is the states in which something cannot be done.
type FreezeDescription struct {
	Put      []string            `json:"put,omitempty"`
	Delete   []string            `json:"delete,omitempty"`
	Children map[string][]string `json:"children,omitempty"` // by kind
}

func (l *Lifecycle) describe() *LifecycleDescription {
	if l == nil {
		return nil
	}
	d := &LifecycleDescription{Initial: l.Initial, States: l.States}
	for _, a := range l.Actions {
		action := LifecycleActionDescription{Action: a.Name, Sentence: a.String(), Needs: a.Needs, References: describeReferences(a.References),
			Work: a.Work, Revision: a.Revision, Restores: strings.Join(a.Restores, ".")}
		for _, t := range a.Transitions {
			action.Transitions = append(action.Transitions, TransitionDescription(t))
		}
		d.Actions = append(d.Actions, action)
	}
	if len(l.FreezePut)+len(l.FreezeDelete)+len(l.FreezeChildren) > 0 {
		d.Freeze = &FreezeDescription{l.FreezePut, l.FreezeDelete, l.FreezeChildren}
	}
	return d
}

// Frozen says in sentences what cannot be done in which states.
func (l *Lifecycle) Frozen() []string {
	var all []string
	add := func(what string, states []string) {
		if len(states) > 0 {
			all = append(all, what+" in "+strings.Join(states, ", "))
		}
	}
	add("not changed", l.FreezePut)
	add("not deleted", l.FreezeDelete)
	for _, kind := range slices.Sorted(maps.Keys(l.FreezeChildren)) {
		add("no "+kind+" created, changed or deleted", l.FreezeChildren[kind])
	}
	return all
}

// Requirements say in sentences what a request for the action must refer to, which states it needs, and who carries it out.
func (a *LifecycleAction) Requirements() []string {
	var all []string
	for _, r := range a.References {
		all = append(all, "refers to "+r.String())
	}
	for _, kind := range slices.Sorted(maps.Keys(a.Needs)) {
		all = append(all, "needs its "+kind+" to be "+strings.Join(a.Needs[kind], " or "))
	}
	if a.Restores != nil {
		all = append(all, "needs a revision in "+strings.Join(a.Restores, "."))
	}
	if a.Work {
		all = append(all, "is carried out by a worker")
	}
	return all
}

// diffLifecycle says what is different between the lifecycles of two kinds.
func diffLifecycle(a, b *Kind) []Difference {
	var all []Difference
	differ := func(format string, args ...any) {
		all = append(all, Difference{LifecycleChanged, a.Name, a.Name + ": " + fmt.Sprintf(format, args...)})
	}
	from, to := a.Lifecycle, b.Lifecycle
	switch {
	case equal(from.meaning(), to.meaning()):
		return nil
	case from == nil:
		differ("it has states now: %s, at first %s", strings.Join(to.States, ", "), to.Initial)
		return all
	case to == nil:
		differ("it no longer has states")
		return all
	}
	if from.Initial != to.Initial {
		differ("the initial state is %s, not %s", to.Initial, from.Initial)
	}
	if !slices.Equal(from.States, to.States) {
		differ("the states are %s, not %s", strings.Join(to.States, ", "), strings.Join(from.States, ", "))
	}
	for _, action := range from.Actions {
		if to.Action(action.Name) == nil {
			differ("the action %s is removed", action.Name)
		}
	}
	for _, action := range to.Actions {
		was := from.Action(action.Name)
		now := strings.Join(append([]string{action.String()}, action.Requirements()...), ", and ")
		if was == nil {
			differ("the action %s is new: %s", action.Name, now)
		} else if before := strings.Join(append([]string{was.String()}, was.Requirements()...), ", and "); before != now {
			differ("the action %s is possible %s, not %s", action.Name, now, before)
		}
	}
	if was, is := strings.Join(from.Frozen(), "; "), strings.Join(to.Frozen(), "; "); was != is {
		differ("frozen is now: %s; it was: %s", cmp.Or(is, "nothing"), cmp.Or(was, "nothing"))
	}
	return all
}
