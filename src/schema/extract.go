package schema

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Extract finds the references of a document in its data: for each rule of the kind, in the order of
// rules, its candidates in the order of ids, none twice. The id must be one of the kind. Data is not
// changed or kept.
//
// A rule with a slot looks only there. Others look only at `spec`, there only strings that are not empty. The order of members matters in
// one case: when a rule of the default type finds one of its elements several times, the last one
// counts.
//
// A value that no key can have ("..", one of more than dovetail.MaxValueLength bytes, one with
// control characters) gives a candidate, too, with an id that no document can have: so that it is
// missed, and not passed over in silence.
func (k *Kind) Extract(id dovetail.ID, data *value.Value) []Candidate {
	if k.plan == nil {
		return nil
	}
	return k.plan.extract(id, data)
}

// few is how many references of a rule of type many there is room for at first.
const few = 8

// extraction is one run of a plan.
type extraction struct {
	plan *plan
	own  [maxLevels]string // values of the own key, escaped
	last []string          // by place: the last value found anywhere
	here []string          // by place: the values found in one object
	held []held            // values of the objects that are being read, inner ones last

	found [][]Candidate // by rule of type many
	refs  []dovetail.Reference
	id    []byte
}

type held struct {
	slot  int
	value string
}

func (p *plan) extract(id dovetail.ID, data *value.Value) []Candidate {
	spec := data.Get("spec")
	values := make([]string, 2*p.size)
	e := extraction{plan: p, last: values[:p.size], here: values[p.size:], id: make([]byte, 0, 128)}
	e.readOwn(id)
	references := len(p.rules)
	if p.many {
		e.found = make([][]Candidate, len(p.rules))
		e.held = make([]held, 0, few)
		references += few
	}
	e.refs = make([]dovetail.Reference, 0, references)
	if spec != nil && len(p.slots) > 0 {
		e.scan(spec)
	}
	candidates := make([]Candidate, 0, max(len(p.rules), len(e.refs)))
	for i := range p.rules {
		switch r := &p.rules[i]; {
		case r.slot != nil:
			candidates = e.slot(candidates, r, data)
		case r.rule.Type == typeDefault:
			candidates = e.add(candidates, r, e.last)
		case r.rule.Type == typeMap:
			candidates = e.members(candidates, r, spec)
		default:
			candidates = append(candidates, inOrder(e.found[i])...)
		}
	}
	return candidates
}

// readOwn notes the values of the own key, as they stand in the id.
func (e *extraction) readOwn(id dovetail.ID) {
	rest := string(id)
	for i := range e.plan.levels {
		var found bool
		if _, rest, found = strings.Cut(rest, "/"); !found {
			return
		}
		e.own[i], rest, _ = strings.Cut(rest, "/")
	}
}

// scan notes the values in everything below v, and gives the candidates of the rules of type many.
func (e *extraction) scan(v *value.Value) {
	for _, item := range v.Items {
		if item.Kind >= value.List {
			e.scan(item)
		}
	}
	outer := len(e.held)
	for i := range v.Members {
		m := &v.Members[i]
		switch m.Value.Kind {
		case value.List, value.Map:
			if slot, known := e.plan.slots[m.Name]; known && e.plan.listed[slot] {
				e.texts(slot, m.Value)
			}
			e.scan(m.Value)
		case value.String:
			slot, known := e.plan.slots[m.Name]
			if !known || m.Value.Text == "" {
				continue
			}
			e.last[slot] = m.Value.Text
			if e.plan.many {
				e.held = append(e.held, held{slot, m.Value.Text})
			}
		}
	}
	if len(e.held) > outer {
		e.object(e.held[outer:])
		e.held = e.held[:outer]
	}
}

// texts gives the candidates that the strings of a list make, each for itself.
func (e *extraction) texts(slot int, list *value.Value) {
	for _, item := range list.Items {
		if text, ok := item.Str(); ok && text != "" {
			e.object([]held{{slot, text}})
		}
	}
}

// object gives the candidates that the values of one object make.
func (e *extraction) object(values []held) {
	clear(e.here)
	for _, h := range values {
		e.here[h.slot] = h.value
	}
	for i := range e.plan.rules {
		if r := &e.plan.rules[i]; r.rule.Type == typeMany {
			e.found[i] = e.add(e.found[i], r, e.here)
		}
	}
}

// members gives the candidates of a rule of type map: the members of the map are the values.
func (e *extraction) members(candidates []Candidate, r *rulePlan, spec *value.Value) []Candidate {
	members := spec.Get(r.rule.Map)
	if members == nil || members.Kind != value.Map {
		return candidates
	}
	clear(e.here)
	var found []Candidate
	for i := range members.Members {
		if name := members.Members[i].Name; name != "" {
			e.here[r.member] = name
			found = e.add(found, r, e.here)
		}
	}
	return append(candidates, inOrder(found)...)
}

// add appends the candidate that a rule makes of the values, if it makes one.
func (e *extraction) add(candidates []Candidate, r *rulePlan, values []string) []Candidate {
	first := len(e.refs)
	for i := range r.targets {
		t := &r.targets[i]
		if id, full := e.build(t, r.skip, values); full {
			e.refs = append(e.refs, dovetail.Reference{ID: id, Kind: t.kind.Name, Weak: r.rule.Weak, Cascade: r.rule.Cascade})
		}
	}
	if len(e.refs) == first {
		return candidates
	}
	return append(candidates, Candidate{Rule: r.rule, Targets: e.refs[first:len(e.refs):len(e.refs)]})
}

// build puts the id of a target together, and reports whether all of its elements have a value.
func (e *extraction) build(t *target, skip, values []string) (dovetail.ID, bool) {
	if !t.isNeeded(values) {
		return "", false
	}
	e.id = e.id[:0]
	var last string // the value of the target's last element, escaped
	for i := range t.parts {
		p := &t.parts[i]
		switch {
		case p.fixed != "":
			last = p.fixed
		case p.slot >= 0 && values[p.slot] != "":
			last = escape(values[p.slot])
		case p.own >= 0 && e.own[p.own] != "":
			last = e.own[p.own]
		default:
			return "", false
		}
		e.id = append(append(e.id, p.prefix...), last...)
	}
	if slices.Contains(skip, last) {
		return "", false
	}
	return dovetail.ID(e.id), true
}

func (t *target) isNeeded(values []string) bool {
	for _, slot := range t.needs {
		if values[slot] != "" {
			return true
		}
	}
	return t.needs == nil
}

// escape gives a value as it stands in an id. One that no key can have stays one: cut at the end, so
// that the id stays short, and with a mark that makes it too long.
func escape(text string) string {
	if cut := dovetail.MaxValueLength; len(text) > cut {
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		text = text[:cut] + "…"
	}
	return url.PathEscape(text)
}

// inOrder sorts the candidates of one rule and removes those that are duplicates.
func inOrder(candidates []Candidate) []Candidate {
	slices.SortFunc(candidates, func(a, b Candidate) int {
		return cmp.Or(slices.CompareFunc(a.Targets, b.Targets, compareTargets), len(a.Place)-len(b.Place), strings.Compare(a.Place, b.Place))
	})
	return slices.CompactFunc(candidates, func(a, b Candidate) bool { return slices.Equal(a.Targets, b.Targets) })
}

func compareTargets(a, b dovetail.Reference) int { return strings.Compare(string(a.ID), string(b.ID)) }
