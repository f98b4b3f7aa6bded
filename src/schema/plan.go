package schema

import (
	"net/url"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// plan is what extraction needs to know of a kind's rules, worked out once, so that one pass over
// the data serves all of them.
type plan struct {
	levels int            // elements of the own key
	slots  map[string]int // member names whose strings matter, each with the place of its value
	size   int            // number of places; one more than slots when there is a rule of type map
	rules  []rulePlan
	// checked means that a rule says what must stand where, or how many references there are; counted
	// that one says how many.
	checked, counted bool
	slotGroups       []slotGroup
	anyID            dovetail.ID // of some document of the kind
	many             bool        // there is a rule of type many
	listed           []bool      // by place: strings in a list below the member count too, each for itself
	names            []string    // of the slots, by place
	wanted           uint64      // the places that a rule looks for, of the first 64
	long             uint64      // those with a long name
}

type rulePlan struct {
	rule    *Reference
	targets []target
	skip    []string  // filterKeys and skip, escaped
	member  int       // type map: the place that takes the member names
	slot    *slotPlan // with a slot: where it is; nil if there is none
	wanted  uint64    // without a slot: the places that it looks for, of the first 64
}

// target is how the id of one kind that a rule refers to is put together.
type target struct {
	kind  *Kind
	parts []source
	// needs are places of which one must hold a value, so that the data and not only the own key
	// speaks of this target; nil if there is none.
	needs []int
}

// source is where the value of one element of the target's key comes from: the first that has one.
type source struct {
	prefix string // what goes before the value in the id: "project/", "/app/"
	fixed  string // escaped; "" if there is none
	slot   int    // place of the value found in the data; -1 for none
	own    int    // index of the element in the own key; -1 for none
}

// newPlan works out the plan of a kind; nil when it refers to nothing.
func newPlan(k *Kind) *plan {
	if len(k.References) == 0 {
		return nil
	}
	p := &plan{levels: len(k.Elements), slots: make(map[string]int)}
	for _, ref := range k.References {
		r := rulePlan{rule: ref}
		for _, text := range slices.Concat(ref.FilterKeys, ref.Skip) {
			r.skip = append(r.skip, url.PathEscape(text))
		}
		p.counted = p.counted || ref.least() > 0 || ref.Max > 0
		if !ref.At.IsZero() {
			p.checked = true
			newSlotPlan(k, ref, &r)
			p.rules = append(p.rules, r)
			continue
		}
		for _, to := range ref.To {
			r.targets = append(r.targets, p.target(k, ref, to))
		}
		p.rules = append(p.rules, r)
		p.many = p.many || ref.Type == typeMany
	}
	if p.counted {
		p.checked = true
		for _, name := range k.Elements {
			p.anyID = p.anyID.Child(name, "\x00")
		}
	}
	// The place for the member names of maps comes after all others.
	p.size = len(p.slots) + 1
	p.listed = make([]bool, p.size)
	for _, r := range p.rules {
		if at, known := p.slots[r.rule.Field]; known && r.rule.Type == typeMany {
			p.listed[at] = true
		}
	}
	p.slotGroups = p.groups()
	p.spell()
	for i := range p.rules {
		r := &p.rules[i]
		if r.slot != nil {
			r.slot.share(p.rules)
		}
		r.member = len(p.slots)
		for j := range r.targets {
			if last := &r.targets[j].parts[len(r.targets[j].parts)-1]; r.rule.Type == typeMap && last.fixed == "" {
				last.slot = r.member
			}
		}
	}
	return p
}

func (p *plan) target(k *Kind, ref *Reference, to *Kind) target {
	t := target{kind: to}
	for i, name := range to.Elements {
		s := newSource(k, to, i)
		isLast := i == len(to.Elements)-1
		fixed, isFixed := ref.FixedKv[name]
		switch {
		case isFixed:
			s.fixed = url.PathEscape(fixed)
		case ref.Type == typeMap, slices.Contains(ref.common, name) && s.own >= 0:
		case isLast && ref.Field != "":
			s.slot = p.slot(ref.Field)
		default:
			s.slot = p.slot(name)
		}
		if s.slot >= 0 && (ref.Type == typeMany || len(ref.To) > 1 && isLast) {
			t.needs = append(t.needs, s.slot)
		}
		t.parts = append(t.parts, s)
	}
	return t
}

// newSource is the source of an element of the target's key, which may come from the own key.
func newSource(k, to *Kind, i int) source {
	name := to.Elements[i]
	s := source{prefix: "/" + name + "/", slot: -1, own: slices.Index(k.Elements, name)}
	if i == 0 {
		s.prefix = name + "/"
	}
	return s
}

// slot returns the place of a member's value.
func (p *plan) slot(name string) int {
	at, known := p.slots[name]
	if !known {
		at = len(p.slots)
		p.slots[name] = at
	}
	return at
}
