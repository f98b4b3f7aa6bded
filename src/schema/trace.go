package schema

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Trace is a reference with where in the data each element of its target's key stands.
type Trace struct {
	Rule    *Reference
	Kind    *Kind       // of the target
	Target  dovetail.ID // as Extract finds it
	Origins []Origin    // of the elements of the target's key, from the root on
	// Object is the object of the data in which more elements are found, nil if there is none.
	Object *value.Value
	// Text is, with a slot, the string that is the last element by itself; an object with members may stand in its place.
	Text *value.Value
}

// Origin is where the value of an element comes from: the data (Text or Holder), the own key, or the ref-schema.
type Origin struct {
	Element string
	Member  string       // the member of Trace.Object that gives the element; "" if there is none
	Text    *value.Value // the string in the data
	Holder  *value.Value // the object whose member Name, by its name, is the value, or holds Text
	Name    string       // of that member; "" for the item of a list
	Named   bool         // the name of the member is the value
	Own     int          // the place in the own key; -1 for none
}

// Trace finds the references that Extract finds, each as often as the data gives it, with where they stand. The values are those
// of data itself: who changes them changes data.
func (k *Kind) Trace(id dovetail.ID, data *value.Value) []Trace {
	if k.plan == nil {
		return nil
	}
	t := tracer{plan: k.plan, last: make([]*located, k.plan.size), found: make([][]Trace, len(k.plan.rules))}
	t.own.plan = k.plan
	t.own.readOwn(id)
	spec := data.Get("spec")
	if spec != nil {
		t.scan(spec)
	}
	for i := range k.plan.rules {
		switch r := &k.plan.rules[i]; {
		case r.slot != nil:
			t.slot(i, data)
		case r.rule.Type == typeDefault:
			t.add(i, spec, t.last)
		case r.rule.Type == typeMap:
			t.members(i, spec)
		}
	}
	return slices.Concat(t.found...)
}

// located is a text of the data: a string, or the name of a member.
type located struct {
	text   string
	value  *value.Value // the string; nil for the name of a member
	holder *value.Value // the object, or the list of strings
	name   string
}

type tracer struct {
	plan  *plan
	own   extraction // for its own key
	last  []*located
	found [][]Trace // by rule
}

// scan is extraction.scan, which keeps where the texts stand.
func (t *tracer) scan(v *value.Value) {
	for _, item := range v.Items {
		if item.Kind >= value.List {
			t.scan(item)
		}
	}
	here := make([]*located, t.plan.size)
	some := false
	for i := range v.Members {
		m := &v.Members[i]
		at, known := t.plan.slots[m.Name]
		switch m.Value.Kind {
		case value.List, value.Map:
			if known && t.plan.listed[at] {
				for _, item := range m.Value.Items {
					if text, ok := item.Str(); ok && text != "" {
						one := make([]*located, t.plan.size)
						one[at] = &located{text: text, value: item, holder: m.Value}
						t.many(nil, one)
					}
				}
			}
			t.scan(m.Value)
		case value.String:
			if known && m.Value.Text != "" {
				here[at] = &located{text: m.Value.Text, value: m.Value, holder: v, name: m.Name}
				t.last[at], some = here[at], true
			}
		}
	}
	if some {
		t.many(v, here)
	}
}

func (t *tracer) many(object *value.Value, values []*located) {
	for i := range t.plan.rules {
		if t.plan.rules[i].rule.Type == typeMany && t.plan.rules[i].slot == nil {
			t.add(i, object, values)
		}
	}
}

func (t *tracer) members(rule int, spec *value.Value) {
	r := &t.plan.rules[rule]
	object := spec.Get(r.rule.Map)
	if object == nil || object.Kind != value.Map {
		return
	}
	for _, m := range object.Members {
		if m.Name != "" {
			values := make([]*located, t.plan.size)
			values[r.member] = &located{text: m.Name, holder: object, name: m.Name}
			t.add(rule, nil, values)
		}
	}
}

func (t *tracer) slot(rule int, data *value.Value) {
	s := t.plan.rules[rule].slot
	s.each(data, func(at []string, last string, v *value.Value) {
		values := make([]*located, len(s.members))
		filled := false
		for i, name := range s.members {
			if one := v.Get(name); one != nil {
				if text, _ := one.Str(); text != "" {
					values[i], filled = &located{text: text, value: one, holder: v, name: name}, true
				}
			}
		}
		object, text := v, (*value.Value)(nil)
		if v.Kind != value.Map {
			object = nil
		}
		if last != "" {
			filled = true
			one := &located{text: last, value: v}
			if s.names {
				holder, _ := data.Find(value.Pointer(at[:len(at)-1]...))
				one = &located{text: last, holder: holder, name: last}
			} else {
				text = v
			}
			for _, place := range s.last {
				if place >= 0 {
					values[place] = one
				}
			}
		}
		if !filled {
			return
		}
		before := len(t.found[rule])
		t.add(rule, object, values)
		for i := range t.found[rule][before:] {
			t.found[rule][before+i].Text = text
		}
	})
}

// add traces what a rule makes of values, if it makes a reference.
func (t *tracer) add(rule int, object *value.Value, values []*located) {
	r := &t.plan.rules[rule]
	texts := make([]string, len(values))
	for i, v := range values {
		if v != nil {
			texts[i] = v.text
		}
	}
	for i := range r.targets {
		to := &r.targets[i]
		id, full := t.own.build(to, r.skip, texts)
		if !full {
			continue
		}
		trace := Trace{Rule: r.rule, Kind: to.kind, Target: id, Object: object}
		for n := range to.parts {
			p := &to.parts[n]
			o := Origin{Element: to.kind.Elements[n], Own: -1}
			if p.slot >= 0 && p.fixed == "" {
				o.Member = t.memberAt(r, p.slot)
			}
			switch {
			case p.fixed != "":
			case p.slot >= 0 && values[p.slot] != nil:
				v := values[p.slot]
				o.Text, o.Holder, o.Name, o.Named = v.value, v.holder, v.name, v.value == nil
			default:
				o.Own = p.own
			}
			trace.Origins = append(trace.Origins, o)
		}
		t.found[rule] = append(t.found[rule], trace)
	}
}

// memberAt is the name of the member that fills a place; "" for the place of the names of a map.
func (t *tracer) memberAt(r *rulePlan, place int) string {
	names := t.plan.names
	if r.slot != nil {
		names = r.slot.members
	}
	if place < len(names) {
		return names[place]
	}
	return ""
}
