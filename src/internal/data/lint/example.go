package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Example is a document of a kind, and what one rule finds in it.
type Example struct {
	ID      dovetail.ID   `json:"id"`
	Data    *value.Value  `json:"data"`
	Targets []dovetail.ID `json:"targets"`

	always bool // the rule needs nothing of the data
}

// entry is a member of an example: the element of the target's key that it is for, and its name.
type entry struct{ element, member string }

// builder makes examples for one target of one rule.
type builder struct {
	kind *schema.Kind
	rule *schema.Reference
	to   *schema.Kind
	id   dovetail.ID
	list bool // the last element stands in a list, as rules of type many with a field allow
}

// example returns the smallest document of the kind in which the rule finds the target kind; nil where there is none.
// Without any data a rule may find something too: then the spec is empty.
//
// Of two forms that the rule takes it is the one that the JSON Schema of the kind allows.
func example(k *schema.Kind, rule *schema.Reference, to *schema.Kind) *Example {
	b := builder{kind: k, rule: rule, to: to, id: sampleID(k)}
	plain := b.smallest()
	if rule.Type != "many" || rule.Field == "" || plain == nil || forbidden(k, plain) == "" {
		return plain
	}
	b.list = true
	if listed := b.smallest(); listed != nil && forbidden(k, listed) == "" {
		return listed
	}
	return plain
}

func (b *builder) smallest() *Example {
	k, entries := b.kind, b.entries()
	outside := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return slices.Contains(k.Elements, e.element) })
	last := entries
	if len(entries) > 0 {
		last = entries[len(entries)-1:]
	}
	for _, chosen := range [][]entry{nil, outside, last, union(outside, last), entries} {
		if found := b.try(chosen, 1); found != nil {
			found = b.shrink(found, chosen)
			found.always = chosen == nil
			return found
		}
	}
	// A rule that takes the whole key from the document's own looks at any object that another rule looks at.
	for _, other := range k.References {
		for _, to := range other.To {
			neighbour := builder{kind: k, rule: other, to: to}
			if chosen := union(entries, neighbour.entries()); b.try(chosen, 1) != nil {
				return b.shrink(b.try(chosen, 1), chosen)
			}
		}
	}
	return nil
}

// rich returns a document in which the rule finds as much as it can: every member is there, and two of what may be many.
func rich(k *schema.Kind, rule *schema.Reference, to *schema.Kind) *Example {
	b := builder{kind: k, rule: rule, to: to, id: sampleID(k)}
	return b.try(b.entries(), 2)
}

// spread returns a document with each member in an object of its own, from which only rules of the default type put a key
// together; nil for others.
func spread(k *schema.Kind, rule *schema.Reference, to *schema.Kind) *Example {
	b := builder{kind: k, rule: rule, to: to, id: sampleID(k)}
	if rule.Type != "" || !rule.At.IsZero() {
		return nil
	}
	spec := value.NewMap()
	for i, e := range b.entries() {
		spec.Set("object-"+strconv.Itoa(i+1), b.object([]entry{e}, second))
	}
	return b.in(value.NewMap(value.Member{Name: "spec", Value: spec}))
}

// entries are the members that may hold elements of the target's key, its last element at the end.
func (b *builder) entries() []entry {
	var all []entry
	for i, element := range b.to.Elements {
		if _, fixed := b.rule.FixedKv[element]; fixed {
			continue
		}
		e := entry{element, element}
		if name, given := b.rule.Members[element]; given {
			e.member = name
		}
		if i == len(b.to.Elements)-1 && b.rule.Field != "" {
			e.member = b.rule.Field
		}
		all = append(all, e)
	}
	return all
}

func union(a, b []entry) []entry {
	return slices.Concat(a, slices.DeleteFunc(slices.Clone(b), func(e entry) bool { return slices.Contains(a, e) }))
}

// shrink leaves out every member that is not needed.
func (b *builder) shrink(found *Example, chosen []entry) *Example {
	for _, e := range slices.Clone(chosen) {
		fewer := slices.DeleteFunc(slices.Clone(chosen), func(other entry) bool { return other == e })
		if smaller := b.try(fewer, 1); smaller != nil {
			found, chosen = smaller, fewer
		}
	}
	return found
}

// try returns the document with the members, if the rule finds the target kind in it.
func (b *builder) try(chosen []entry, times int) *Example {
	if !b.rule.At.IsZero() {
		return b.in(b.slot(chosen, times))
	}
	return b.in(value.NewMap(value.Member{Name: "spec", Value: b.spec(chosen, times)}))
}

// slot puts the members where the slot is: in an object, or, when the last element alone is needed, as a text. A slot whose
// path ends in .* takes it as the name of a member.
func (b *builder) slot(chosen []entry, times int) *value.Value {
	if len(chosen) == 0 {
		return value.NewMap()
	}
	last := b.to.Elements[len(b.to.Elements)-1]
	byName := strings.HasSuffix(b.rule.At.String(), ".*")
	var names []string
	var values []*value.Value
	for n := range times {
		v := b.object(chosen, second+n)
		for _, e := range chosen {
			switch {
			case e.element == last && byName:
				v.Delete(e.member)
			case e.element == last && len(chosen) == 1:
				v = v.Get(e.member)
			}
		}
		names, values = append(names, sampleName(last, second+n)), append(values, v)
	}
	return b.rule.At.Holding(names, values)
}

func (b *builder) in(data *value.Value) *Example {
	targets := found(b.kind, b.id, data, b.rule, b.to)
	if len(targets) == 0 {
		return nil
	}
	return &Example{ID: b.id, Data: data, Targets: targets}
}

// spec puts the members where the rule looks.
func (b *builder) spec(chosen []entry, times int) *value.Value {
	switch {
	case b.rule.Type == "map" && len(chosen) > 0:
		names := value.NewMap()
		for n := range times {
			names.Set(sampleName(b.to.Elements[len(b.to.Elements)-1], second+n), value.NewMap())
		}
		return value.NewMap(value.Member{Name: b.rule.Map, Value: names})
	case b.rule.Type == "many" && times > 1:
		list := value.NewList()
		for n := range times {
			list.Items = append(list.Items, b.object(chosen, second+n))
		}
		return value.NewMap(value.Member{Name: "items", Value: list})
	}
	return b.object(chosen, second)
}

// object has the n-th name of each element: not the first, which the document's own key has.
func (b *builder) object(chosen []entry, n int) *value.Value {
	v := value.NewMap()
	for _, e := range chosen {
		name := value.NewString(sampleName(e.element, n))
		if b.list && e.member == b.rule.Field {
			name = value.NewList(name)
		}
		v.Set(e.member, name)
	}
	return v
}

const first, second = 1, 2

func sampleName(element string, n int) string { return element + "-" + strconv.Itoa(n) }

// sampleID is the id of a document with the first name of each element.
func sampleID(k *schema.Kind) dovetail.ID {
	var id strings.Builder
	for i, element := range k.Elements {
		if i > 0 {
			id.WriteByte('/')
		}
		id.WriteString(element + "/" + sampleName(element, first))
	}
	return dovetail.ID(id.String())
}

// found returns what the rule finds of the target kind in the document.
func found(k *schema.Kind, id dovetail.ID, data *value.Value, rule *schema.Reference, to *schema.Kind) []dovetail.ID {
	var ids []dovetail.ID
	for _, c := range k.Extract(id, data) {
		for _, target := range c.Targets {
			if c.Rule == rule && (to == nil || target.Kind == to.Name) {
				ids = append(ids, target.ID)
			}
		}
	}
	return ids
}
