package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// least is how many references a rule needs.
func (r *Reference) least() int {
	if r.Required {
		return max(1, r.Min)
	}
	return r.Min
}

// slots checks what stands at the slots of the kind, and how many references the data has.
func (k *Kind) slots(data *value.Value) (errs dovetail.Errors) {
	faulty := make([]bool, len(k.plan.rules)) // by rule: what it lacks is said already
	for i := range k.plan.rules {
		if r := &k.plan.rules[i]; r.slot != nil {
			before := errs.Total()
			r.slot.check(r, data, &errs)
			faulty[i] = errs.Total() > before
		}
	}
	for _, group := range k.plan.slotGroups {
		before := errs.Total()
		if group.check(data, &errs); errs.Total() > before {
			for i := range k.plan.rules {
				faulty[i] = faulty[i] || slices.Contains(group, &k.plan.rules[i])
			}
		}
	}
	if k.plan.counted {
		k.plan.count(data, faulty, &errs)
	}
	return errs
}

// slotGroup is the rules with one slot.
type slotGroup []*rulePlan

// check reports the objects at the slot that have a member for none of its rules, so that no rule says what they are.
func (g slotGroup) check(data *value.Value, errs *dovetail.Errors) {
	g[0].slot.each(data, func(at []string, _ string, v *value.Value) {
		if v == nil || v.Kind != value.Map {
			return
		}
		for _, r := range g {
			if len(r.slot.members) == 0 || slices.ContainsFunc(r.slot.members, func(name string) bool { return v.Get(name) != nil }) {
				return
			}
		}
		r := g[0].rule
		addUnprocessable(errs, data, value.Pointer(at...), "must refer to a "+r.target()+", but has none of the members that name one", r.howTo(g[0].slot))
	})
}

// groups returns the rules whose slot takes texts or objects, by slot.
func (p *plan) groups() (all []slotGroup) {
	for i := range p.rules {
		r := &p.rules[i]
		if r.slot == nil || r.slot.names {
			continue
		}
		at := slices.IndexFunc(all, func(g slotGroup) bool { return g[0].slot.path == r.slot.path })
		if at < 0 {
			all = append(all, nil)
			at = len(all) - 1
		}
		all[at] = append(all[at], r)
	}
	return all
}

// count checks how many references each rule finds. Which they are depends on the own key, but not
// how many.
func (p *plan) count(data *value.Value, faulty []bool, errs *dovetail.Errors) {
	found := make(map[*Reference]int, len(p.rules))
	for _, c := range p.extract(p.anyID, data) {
		found[c.Rule]++
	}
	for i := range p.rules {
		ref := p.rules[i].rule
		n, least := found[ref], ref.least()
		var message string
		switch {
		case n < least && faulty[i]:
			continue
		case n == 0 && least == 1:
			message = "must refer to a " + ref.target()
		case n < least:
			message = fmt.Sprintf("must have at least %s to %s, not %d", count(least, "reference"), ref.target(), n)
		case ref.Max > 0 && n > ref.Max:
			message = fmt.Sprintf("must have at most %s to %s, not %d", count(ref.Max, "reference"), ref.target(), n)
		default:
			continue
		}
		errs.Add(unprocessable(data, ref.pointer(), message, ref.howTo(p.rules[i].slot)))
	}
}

// check reports the places of a slot that hold something else than a reference.
func (s *slotPlan) check(r *rulePlan, data *value.Value, errs *dovetail.Errors) {
	if s.names {
		w := walker{yield: func(at []string, v *value.Value) bool {
			if v.Kind != value.Map {
				addUnprocessable(errs, data, value.Pointer(at...), "must be an object whose member names are names of a "+r.rule.target()+", not "+withArticle(typeName(v)), "")
			}
			return true
		}}
		w.walk(s.path, data)
	}
	values := make([]string, len(s.members))
	s.each(data, func(at []string, last string, v *value.Value) {
		wrong := func(v *value.Value, remedy, message string, below ...string) {
			addUnprocessable(errs, data, value.Pointer(slices.Concat(at, below)...), message, remedy)
		}
		bad := false
		switch v.Kind {
		case value.Map:
			for _, name := range s.members {
				if m := v.Get(name); m != nil && m.Kind != value.Null && m.Kind != value.String {
					wrong(m, "", "must be a string, not "+withArticle(typeName(m)), name)
					bad = true
				}
			}
		case value.String:
		default:
			if s.names {
				break
			}
			wrong(v, r.rule.howTo(s), "must refer to a "+r.rule.target()+", not be "+withArticle(typeName(v)))
			return
		}
		if !s.fill(values, last, v) || bad {
			return
		}
		if missing := s.missing(r, values); missing != nil {
			var names []string
			for _, name := range missing {
				names = append(names, strconv.Quote(name))
			}
			subject := "the members " + enumerate(names) + " are"
			if len(missing) == 1 {
				subject = "the member " + names[0] + " is"
			}
			wrong(v, r.rule.howTo(s), subject+" missing, so that no "+r.rule.target()+" is named")
		}
	})
}

// missing are the members that the values of a place lack for each target of the rule, as the first
// of them needs them; nil where they are enough for one, or say nothing of this rule.
func (s *slotPlan) missing(r *rulePlan, values []string) []string {
	var lacks []string
	alone := true // only what other rules look for, too, is there
	for at, text := range values {
		alone = alone && (text == "" || s.shared[at])
	}
	for n, t := range r.targets {
		var none []string
		for _, p := range t.parts {
			if p.slot >= 0 && values[p.slot] == "" && p.own < 0 {
				none = append(none, s.members[p.slot])
			}
		}
		if last := s.last[n]; none == nil || last >= 0 && slices.Contains(r.skip, url.PathEscape(values[last])) {
			return nil
		}
		if lacks == nil {
			lacks = none
		}
	}
	if alone {
		return nil
	}
	return lacks
}

// target names what a rule refers to.
func (r *Reference) target() string { return strings.Join(kindNames(r.To), " or ") }

// pointer is the place of a rule's references as far as it is one: "/spec/a", of "spec.ports[*]"
// "/spec/ports".
func (r *Reference) pointer() string {
	if r.At.IsZero() {
		return "/spec"
	}
	var parts []string
	for _, s := range r.At.steps() {
		if s.any {
			break
		}
		parts = append(parts, s.name)
	}
	return value.Pointer(parts...)
}

// howTo says what may stand at a slot; s is nil for a rule without one.
func (r *Reference) howTo(s *slotPlan) string {
	switch {
	case s == nil:
		return "name it by " + r.members() + " in spec"
	case s.names:
		return "use its name as the name of a member"
	case len(s.members) == 1:
		return "write its name, or an object with the member " + strconv.Quote(s.members[0])
	case len(s.members) == 0:
		return "write its name"
	}
	var names []string
	for _, name := range s.members {
		names = append(names, strconv.Quote(name))
	}
	return "write an object with the members " + enumerate(names)
}

// addUnprocessable adds the error of the data at a place. Of errors that are only counted it does not look for the place, since that takes as long as
// an object has members.
func addUnprocessable(errs *dovetail.Errors, data *value.Value, pointer, message, remedy string) {
	if errs.Full() {
		errs.Count(1)
		return
	}
	errs.Add(unprocessable(data, pointer, message, remedy))
}

// unprocessable is an error of the data at a place, with the line and column of the nearest place that
// is there.
func unprocessable(data *value.Value, pointer, message, remedy string) *dovetail.Error {
	at := dovetail.Position{}
	for rest := pointer; ; rest = rest[:max(0, strings.LastIndexByte(rest, '/'))] {
		if v, ok := data.Find(rest); ok {
			at = v.Position()
			break
		}
		if rest == "" {
			break
		}
	}
	at.Path = pointer
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: message, Remedy: remedy, Position: at}
}

// typeName is the type of a value in the words of JSON Schema.
func typeName(v *value.Value) string {
	switch v.Kind {
	case value.List:
		return "array"
	case value.Map:
		return "object"
	}
	return v.Kind.String()
}
