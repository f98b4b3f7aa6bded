package schema

import (
	"net/url"
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// slotPlan is how the references of a rule with a slot are found.
type slotPlan struct {
	path    string   // to the places; without the last .* of a rule that takes names
	names   bool     // the names of members are the last elements
	members []string // that are examined in an object; by place
	last    []int    // by target: the place of its last element; -1 for none
	shared  []bool   // by place: another rule looks for the member at the same slot, too
}

// newSlotPlan fills in a rule's slot and its targets.
func newSlotPlan(k *Kind, ref *Reference, r *rulePlan) {
	s := &slotPlan{path: ref.At.text}
	if steps := ref.At.steps(); steps[len(steps)-1].any && !steps[len(steps)-1].items {
		s.names, s.path = true, s.path[:len(s.path)-len(".*")]
	}
	for _, to := range ref.To {
		t := target{kind: to}
		last := -1
		for i, name := range to.Elements {
			isLast := i == len(to.Elements)-1
			p := newSource(k, to, i)
			fixed, isFixed := ref.FixedKv[name]
			switch {
			case isFixed:
				p.fixed = url.PathEscape(fixed)
			case slices.Contains(ref.common, name) && p.own >= 0:
			default:
				p.slot = s.place(ref.member(name))
				if t.needs = append(t.needs, p.slot); isLast {
					// The own key never gives it: else an object that lacks it would refer to a namesake.
					last, p.own, t.needs = p.slot, -1, []int{p.slot}
				}
			}
			t.parts = append(t.parts, p)
		}
		r.targets = append(r.targets, t)
		s.last = append(s.last, last)
	}
	r.slot = s
}

// share notes which members other rules look for at the same slot.
func (s *slotPlan) share(rules []rulePlan) {
	s.shared = make([]bool, len(s.members))
	for i := range rules {
		if other := rules[i].slot; other != nil && other != s && other.path == s.path {
			for at, name := range s.members {
				s.shared[at] = s.shared[at] || slices.Contains(other.members, name)
			}
		}
	}
}

// member is the name of the member that holds an element of the target's key at a slot.
func (r *Reference) member(element string) string {
	if name, given := r.Members[element]; given {
		return name
	}
	return element
}

// place returns the place of a member's value.
func (s *slotPlan) place(member string) int {
	at := slices.Index(s.members, member)
	if at < 0 {
		at = len(s.members)
		s.members = append(s.members, member)
	}
	return at
}

// each calls found for each place of the data where the slot may be filled: with the steps to it,
// the last element that stands there by itself, as a text or as the name of a member, and the value.
func (s *slotPlan) each(data *value.Value, found func(at []string, last string, v *value.Value)) {
	w := walker{}
	w.yield = func(at []string, v *value.Value) bool {
		if !s.names {
			text, _ := v.Str()
			found(at, text, v)
			return true
		}
		for i := range v.Members {
			found(append(at, v.Members[i].Name), v.Members[i].Name, v.Members[i].Value)
		}
		return true
	}
	w.walk(s.path, data)
}

// fill takes the values of one place, by the places of members, and reports whether there are any.
func (s *slotPlan) fill(values []string, last string, v *value.Value) bool {
	clear(values)
	filled := false
	for i, name := range s.members {
		if text, _ := v.Get(name).Str(); text != "" {
			values[i], filled = text, true
		}
	}
	if last != "" {
		for _, at := range s.last {
			if at >= 0 {
				values[at], filled = last, true
			}
		}
	}
	return filled
}

// slot gives the candidates of a rule with a slot.
func (e *extraction) slot(candidates []Candidate, r *rulePlan, data *value.Value) []Candidate {
	var found []Candidate
	for _, p := range r.slot.places(data) {
		before := len(found)
		if found = e.add(found, r, p.values); len(found) > before {
			found[before].Place = p.pointer
		}
	}
	return append(candidates, inOrder(found)...)
}

// filled is a place of a slot with the values that stand there.
type filled struct {
	pointer string
	values  []string
}

// places returns the places where a slot is filled. They are gathered first: a function that is handed
// over would move the whole extraction to the heap, of kinds without slots, too.
func (s *slotPlan) places(data *value.Value) []filled {
	var all []filled
	values := make([]string, len(s.members))
	s.each(data, func(at []string, last string, v *value.Value) {
		if s.fill(values, last, v) {
			all = append(all, filled{value.Pointer(at...), slices.Clone(values)})
		}
	})
	return all
}
