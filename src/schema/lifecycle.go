package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Lifecycle is the states that a document of a kind can be in, and the actions that lead from one to another.
type Lifecycle struct {
	// Initial is the state of a new document, and of one that was stored before the kind had a lifecycle.
	Initial string
	States  []string           // all of them, sorted
	Actions []*LifecycleAction // sorted by name
	// FreezePut and FreezeDelete are the states, sorted, in which the data of a document cannot be changed, and those in which
	// it cannot be deleted.
	FreezePut, FreezeDelete []string
	// FreezeChildren are, by kind, the states in which the children of a document cannot be created, changed or deleted.
	FreezeChildren map[string][]string
	Position       dovetail.Position
}

// LifecycleAction is one action of a Lifecycle: a POST on the path below an item.
type LifecycleAction struct {
	Name        string // the path: "approve", "enrollment/instantiate"
	Transitions []Transition
	// Work says that a worker carries the action out, which claims it and finishes it with a result.
	Work bool
	// Revision says how the action counts in the revisions of the document's deployment: RevisionFirst, RevisionNext, or "" if it has none.
	Revision string
	// Restores is where the body of the request says which of the revisions it leads back to; nil for an action that does not.
	Restores   []string
	References []*Reference // found in the body of the request; their targets must exist
	// Needs are, by kind, the states of which the documents of the kind must be in one: those that the document refers to, and
	// its ancestors.
	Needs    map[string][]string
	Position dovetail.Position

	body *Kind // finds the references; nil if there is none
}

// The values of LifecycleAction.Revision.
const (
	RevisionFirst = "first" // the action begins a sequence of revisions with 1
	RevisionNext  = "next"  // it adds one to the sequence
)

// Transition is where an action leads from some states. Via and Failed are for actions that a worker carries out.
type Transition struct {
	From   []string `json:",omitempty"` // sorted states, or STATE/PROGRESS; none stands for all states
	To     string   `json:",omitempty"` // "" for the state as it is
	Via    string   `json:",omitempty"` // the state until the worker is done; "" for To
	Failed string   `json:",omitempty"` // the state after it failed; "" for the one that it was in while it was carried out
	// Unreferenced says that it is refused while another document refers to this one.
	Unreferenced bool `json:",omitempty"`
}

// Has reports whether the lifecycle has the state.
func (l *Lifecycle) Has(state string) bool { return slices.Contains(l.States, state) }

// Action returns the action of a name, nil for one that the lifecycle does not have.
func (l *Lifecycle) Action(name string) *LifecycleAction {
	at := slices.IndexFunc(l.Actions, func(a *LifecycleAction) bool { return a.Name == name })
	if at < 0 {
		return nil
	}
	return l.Actions[at]
}

// Allowed returns the names of the actions that can be done in a standing, sorted; never nil.
func (l *Lifecycle) Allowed(at Standing) []string {
	allowed := []string{}
	for _, a := range l.Actions {
		if a.Next(at) != nil {
			allowed = append(allowed, a.Name)
		}
	}
	return allowed
}

// Next returns where the action leads from a standing; nil where it cannot be done.
func (a *LifecycleAction) Next(at Standing) *Transition {
	for _, t := range a.Transitions {
		if t.From == nil || at.MayBeIn(t.From) {
			return &t
		}
	}
	return nil
}

// Validate returns what is wrong with the body of a request for the action, as Kind.Validate does for data.
func (a *LifecycleAction) Validate(body *value.Value) dovetail.Errors {
	if a.body == nil {
		return dovetail.Errors{}
	}
	return a.body.Validate(body)
}

// Extract finds the references in the body of a request for the action on a document, as Kind.Extract does in data.
func (a *LifecycleAction) Extract(id dovetail.ID, body *value.Value) []Candidate {
	if a.body == nil {
		return nil
	}
	return a.body.Extract(id, body)
}

// Unreachable returns the states, sorted, that no sequence of actions leads to from the initial one.
func (l *Lifecycle) Unreachable() []string {
	reached := []string{l.Initial}
	for n := 0; n < len(reached); n++ {
		for _, a := range l.Actions {
			for _, t := range a.Transitions {
				if t.From != nil && !slices.ContainsFunc(t.From, func(from string) bool { return stateOf(from) == reached[n] }) {
					continue
				}
				for _, next := range []string{t.To, t.Via, t.Failed} {
					if next != "" && !slices.Contains(reached, next) {
						reached = append(reached, next)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(l.States), func(state string) bool { return slices.Contains(reached, state) })
}

// String says in words where the action leads: "from Created or Updated to Approved".
func (a *LifecycleAction) String() string {
	var all []string
	for _, t := range a.Transitions {
		text := "in every state"
		switch {
		case t.From != nil && t.To != "":
			text = "from " + strings.Join(t.From, " or ")
		case t.From != nil:
			text = "in " + strings.Join(t.From, " or ")
		case t.To != "":
			text = "from every state"
		}
		if t.To != "" {
			text += " to " + t.To
		}
		if t.Via != "" {
			text += " by way of " + t.Via
		}
		if t.Failed != "" {
			text += " (" + t.Failed + " where it fails)"
		}
		if t.Unreferenced {
			text += " while nothing refers to it"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// lifecycle compiles what was checked; nil for a kind without one.
func (c *compiler) lifecycle(r *resource) *Lifecycle {
	written := r.lifecycle
	if written == nil || !written.sound {
		return nil
	}
	l := &Lifecycle{Initial: written.initial.value, States: written.names(), Position: written.at,
		FreezePut: sorted(written.put), FreezeDelete: sorted(written.delete), FreezeChildren: byKind(written.children)}
	for _, a := range written.actions {
		action := &LifecycleAction{Name: a.name.value, Position: a.name.at, Needs: byKind(a.needs), Work: a.work, Revision: a.revision.value, Restores: a.restores}
		for _, t := range a.transitions {
			action.Transitions = append(action.Transitions, Transition{From: sorted(t.from), To: t.to.value, Via: t.via.value, Failed: t.failed.value, Unreferenced: t.unreferenced})
		}
		slices.SortFunc(action.Transitions, func(a, b Transition) int { return cmp.Or(slices.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
		l.Actions = append(l.Actions, action)
	}
	slices.SortFunc(l.Actions, func(a, b *LifecycleAction) int { return cmp.Compare(a.Name, b.Name) })
	return l
}

// actionReferences compiles the rules of the bodies of actions, which need all other kinds.
func (c *compiler) actionReferences(r *resource) {
	k := c.kinds[r]
	if k.Lifecycle == nil {
		return
	}
	for _, written := range r.lifecycle.actions {
		action := k.Lifecycle.Action(written.name.value)
		for _, rule := range written.references {
			if !rule.broken {
				action.References = append(action.References, c.reference(rule))
			}
		}
		if len(action.References) > 0 {
			action.body = &Kind{Name: k.Name, Elements: k.Elements, References: action.References}
			action.body.plan, action.body.shapes = newPlan(action.body), shapesOf(action.body)
		}
	}
}

func sorted(texts []text) []string {
	all := values(texts)
	slices.Sort(all)
	return slices.Compact(all)
}

// byKind sorts the states that belong to kinds; nil if there is none.
func byKind(written []kindStates) map[string][]string {
	var all map[string][]string
	for _, one := range written {
		if all == nil {
			all = make(map[string][]string)
		}
		all[one.of.last()] = sorted(one.states)
	}
	return all
}

// lifecycleMeaning is what counts of the field for the meaning of a model.
type lifecycleMeaning struct {
	Initial        string
	States         []string
	Actions        []actionMeaning
	FreezePut      []string            `json:",omitempty"`
	FreezeDelete   []string            `json:",omitempty"`
	FreezeChildren map[string][]string `json:",omitempty"`
}

type actionMeaning struct {
	Name        string
	Transitions []Transition
	References  []ruleMeaning       `json:",omitempty"`
	Needs       map[string][]string `json:",omitempty"`
	Work        bool                `json:",omitempty"`
	Revision    string              `json:",omitempty"`
	Restores    []string            `json:",omitempty"`
}

func (l *Lifecycle) meaning() *lifecycleMeaning {
	if l == nil {
		return nil
	}
	m := &lifecycleMeaning{Initial: l.Initial, States: l.States, FreezePut: l.FreezePut, FreezeDelete: l.FreezeDelete, FreezeChildren: l.FreezeChildren}
	for _, a := range l.Actions {
		action := actionMeaning{Name: a.Name, Transitions: a.Transitions, Needs: a.Needs, Work: a.Work, Revision: a.Revision, Restores: a.Restores}
		for _, r := range a.References {
			action.References = append(action.References, meaningOfRule(r))
		}
		slices.SortFunc(action.References, func(a, b ruleMeaning) int { return strings.Compare(string(toJSON(a)), string(toJSON(b))) })
		m.Actions = append(m.Actions, action)
	}
	return m
}
