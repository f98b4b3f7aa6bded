package schema

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// lifecycle is the field as it was written.
type lifecycle struct {
	at          dovetail.Position
	initial     text
	states      []text // where they are listed; else the initial one and those that actions lead to are all
	actions     []*lifecycleAction
	put, delete []text
	children    []kindStates

	sound bool // it can be compiled
}

// lifecycleAction is one entry of its actions.
type lifecycleAction struct {
	name        text
	transitions []transition
	references  []*rule
	needs       []kindStates
	work        bool
	revision    text
	restores    []string
	restoresAt  dovetail.Position
}

type transition struct {
	at     dovetail.Position
	from   []text
	fromAt dovetail.Position // zero where it is not given
	to     text
	via    text
	failed text

	unreferenced bool
}

// kindStates are states of the documents of a kind.
type kindStates struct {
	kind   text
	states []text

	of *resource // once checked
}

func (p *parser) lifecycle(f decode.Field) *lifecycle {
	l := &lifecycle{at: at(f)}
	ok := readFields(f, map[string]func(decode.Field){
		"initial": func(f decode.Field) { l.initial = readText(f) },
		"states":  func(f decode.Field) { l.states = readTexts(f) },
		"actions": func(f decode.Field) {
			for _, m := range members(f) {
				l.actions = append(l.actions, p.lifecycleAction(m))
			}
		},
		"freeze": func(f decode.Field) {
			readFields(f, map[string]func(decode.Field){
				"put":      func(f decode.Field) { l.put = readStates(f) },
				"delete":   func(f decode.Field) { l.delete = readStates(f) },
				"children": func(f decode.Field) { l.children = readKindStates(f) },
			})
		},
	})
	if !ok {
		return nil
	}
	return l
}

// lifecycleAction reads an action: from and to, or a list of several such transitions.
func (p *parser) lifecycleAction(m member) *lifecycleAction {
	f := m.As("the action " + m.name.value)
	a := &lifecycleAction{name: m.name}
	t := transition{at: at(f)}
	readers := transitionReaders(&t)
	listed := false
	readers["transitions"] = func(f decode.Field) {
		listed = true
		for _, item := range f.Items("a transition") {
			t := transition{at: at(item)}
			if readFields(item, transitionReaders(&t)) {
				a.transitions = append(a.transitions, t)
			}
		}
	}
	readers["references"] = func(f decode.Field) { a.references = p.rules(f) }
	readers["needs"] = func(f decode.Field) { a.needs = readKindStates(f) }
	readers["work"] = func(f decode.Field) { a.work = f.Bool() }
	readers["revision"] = func(f decode.Field) { a.revision = readText(f) }
	readers["restores"] = func(f decode.Field) { a.restores, a.restoresAt = p.memberNames(f), at(f) }
	readFields(f, readers)
	if !listed {
		a.transitions = []transition{t}
	} else if t.fromAt.Line > 0 || t.to.at.Line > 0 || t.via.at.Line > 0 || t.failed.at.Line > 0 || t.unreferenced {
		p.add(FaultBadValue, t.at, "say all of it in transitions", "the action %s has from, to, via, failed or unreferenced beside transitions", short(a.name.value))
	}
	return a
}

func transitionReaders(t *transition) map[string]func(decode.Field) {
	return map[string]func(decode.Field){
		"from":   func(f decode.Field) { t.from, t.fromAt = readStates(f), at(f) },
		"to":     func(f decode.Field) { t.to = readText(f) },
		"via":    func(f decode.Field) { t.via = readText(f) },
		"failed": func(f decode.Field) { t.failed = readText(f) },

		"unreferenced": func(f decode.Field) { t.unreferenced = f.Bool() },
	}
}

// memberNames reads where a member of the body of a request is, as spec.revision.
func (p *parser) memberNames(f decode.Field) []string {
	written := readText(f)
	if written.bad {
		return nil
	}
	path, err := ParsePath(written.value)
	names, single := path.Names()
	if err != nil || !single || len(names) == 0 {
		p.add(FaultBadValue, written.at, "name one member, as spec.revision", "%s is not where one member is", short(written.value))
		return nil
	}
	return names
}

// readStates reads one state, or a list of them.
func readStates(f decode.Field) []text {
	if f.Kind() == value.String {
		return []text{readText(f)}
	}
	return readTexts(f)
}

// readKindStates reads a map from kinds to their states.
func readKindStates(f decode.Field) []kindStates {
	var all []kindStates
	for _, m := range members(f) {
		all = append(all, kindStates{kind: m.name, states: readStates(m.As("the states of " + m.name.value))})
	}
	return all
}

// names are all states, sorted.
func (l *lifecycle) names() []string {
	if len(l.states) > 0 {
		return sorted(l.states)
	}
	var states []text
	if l.initial.value != "" {
		states = append(states, l.initial)
	}
	for _, a := range l.actions {
		for _, t := range a.transitions {
			for _, led := range []text{t.to, t.via, t.failed} {
				if led.value != "" {
					states = append(states, led)
				}
			}
		}
	}
	return sorted(states)
}
