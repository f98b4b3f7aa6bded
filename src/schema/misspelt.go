package schema

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// conventional are the members that data has by convention, or that users take for such.
var conventional = []string{"metadata", "spec", "status", "revision"}

// longName is from which length on a misspelt element is found in an object with no other element.
const longName = 8

// Misspelt returns the members of data that look like misspelt ones: at the top of metadata, spec,
// status and revision; where a rule looks for references, of the members that it looks for
// and does not find. No reference would be found there, and nothing would be said of it. A name that a
// kind of the schema or the kind's JSON Schema uses is never misspelt. The errors have the code
// CodeUnprocessable. Data is not changed.
func (k *Kind) Misspelt(data *value.Value) (errs dovetail.Errors) {
	for i := range data.Members {
		if name := data.Members[i].Name; !slices.Contains(conventional, name) {
			for _, right := range conventional {
				if suggest.Misspells(name, right) && !k.uses(name) {
					errs.Add(k.misspelt(data, []string{name}, right))
					break
				}
			}
		}
	}
	if k.plan == nil {
		return errs
	}
	s := speller{kind: k, data: data}
	for i := range k.plan.rules {
		if slot := k.plan.rules[i].slot; slot != nil {
			s.slot(slot)
		}
	}
	if spec := data.Get("spec"); spec != nil && k.plan.wanted != 0 {
		s.at = append(s.at[:0], "spec")
		s.walk(spec, true)
	}
	for i, f := range s.found {
		same := func(other suspect) bool { return slices.Equal(f.at, other.at) }
		if f.anywhere && s.has&(1<<f.slot) != 0 || slices.ContainsFunc(s.found[:i], same) {
			continue
		}
		errs.Add(k.misspelt(data, f.at, f.right))
	}
	return errs
}

func (k *Kind) misspelt(data *value.Value, at []string, right string) *dovetail.Error {
	return unprocessable(data, value.Pointer(at...), "is not a known member",
		"did you mean "+strconv.Quote(right)+"? If not, name it in the schema of "+k.Name)
}

// uses reports whether a name is an element of a key, or that of a member which a rule or the JSON Schema
// of the kind names.
func (k *Kind) uses(name string) bool {
	if k.elements[name] != nil || k.schema != nil && k.schema.properties[name] {
		return true
	}
	return slices.ContainsFunc(k.References, func(r *Reference) bool {
		if name == r.Field || name == r.Map {
			return true
		}
		for _, member := range r.Members {
			if name == member {
				return true
			}
		}
		return slices.ContainsFunc(r.At.steps(), func(s step) bool { return s.name == name })
	})
}

// maskBits is how many places of a plan a mask holds.
const maskBits = 64

// speller looks for misspelt members in the data of one document.
type speller struct {
	kind  *Kind
	data  *value.Value
	at    []string
	has   uint64 // by place of the plan: the member is somewhere in spec
	found []suspect
}

// suspect is a member that looks like a misspelt one.
type suspect struct {
	at       []string
	right    string
	slot     int  // the place of the right name, with anywhere
	anywhere bool // it is none where the right one is anywhere in spec
}

// slot looks at the way to a slot, and at the objects that stand there.
func (s *speller) slot(slot *slotPlan) {
	names := Path{slot.path}.steps()
	v := s.data
	for i, step := range names {
		if step.any {
			break
		}
		next := v.Get(step.name)
		if next == nil && v != nil && i > 0 {
			s.members(pathOf(names[:i]), v, step.name, false)
		}
		v = next
	}
	slot.each(s.data, func(at []string, _ string, v *value.Value) {
		for _, name := range slot.members {
			if v.Kind == value.Map && v.Get(name) == nil {
				s.members(at, v, name, true)
			}
		}
	})
}

func pathOf(steps []step) []string {
	var names []string
	for _, s := range steps {
		names = append(names, s.name)
	}
	return names
}

// members finds those of an object that look like the right name.
func (s *speller) members(at []string, object *value.Value, right string, texts bool) {
	for _, m := range object.Members {
		if (!texts || m.Value.Kind == value.String) && suggest.Misspells(m.Name, right) && !s.kind.uses(m.Name) {
			s.found = append(s.found, suspect{at: append(slices.Clone(at), m.Name), right: right})
		}
	}
}

// walk looks at each object of spec with a member that rules without a slot look for.
func (s *speller) walk(v *value.Value, isSpec bool) {
	for i, item := range v.Items {
		if item.Kind >= value.List {
			s.at = append(s.at, strconv.Itoa(i))
			s.walk(item, false)
			s.at = s.at[:len(s.at)-1]
		}
	}
	if v.Kind != value.Map {
		return
	}
	p := s.kind.plan
	var has uint64
	others := false // texts that no rule looks for
	for i := range v.Members {
		m := &v.Members[i]
		if at, known := p.slots[m.Name]; known && at < maskBits {
			has |= 1 << at
		} else if m.Value.Kind == value.String {
			others = true
		}
		if m.Value.Kind >= value.List {
			s.at = append(s.at, m.Name)
			s.walk(m.Value, false)
			s.at = s.at[:len(s.at)-1]
		}
	}
	s.has |= has
	if !others || p.wanted&^has == 0 {
		return
	}
	var looked uint64
	for i := range p.rules {
		r := &p.rules[i]
		lacks := r.wanted &^ has &^ looked
		if has&r.wanted == 0 && (!isSpec || r.rule.Type != typeDefault) {
			lacks &= p.long
		}
		looked |= lacks
		for ; lacks != 0; lacks &= lacks - 1 {
			s.object(v, bits.TrailingZeros64(lacks), r.rule.Type == typeDefault)
		}
	}
}

// object finds the texts of an object that look like a member which a rule looks for.
func (s *speller) object(v *value.Value, slot int, anywhere bool) {
	right := s.kind.plan.names[slot]
	before := len(s.found)
	s.members(s.at, v, right, true)
	for i := range s.found[before:] {
		f := &s.found[before+i]
		f.slot, f.anywhere = slot, anywhere
	}
}

// spell notes what the rules of the plan look for without a slot, by place.
func (p *plan) spell() {
	p.names = make([]string, len(p.slots))
	for name, at := range p.slots {
		if p.names[at] = name; len(name) >= longName && at < maskBits {
			p.long |= 1 << at
		}
	}
	for i := range p.rules {
		r := &p.rules[i]
		if r.slot != nil {
			continue
		}
		for _, t := range r.targets {
			for _, part := range t.parts {
				if part.slot >= 0 && part.slot < min(len(p.names), maskBits) {
					r.wanted |= 1 << part.slot
				}
			}
		}
		p.wanted |= r.wanted
	}
}

// propertyNames are the names of all members that a JSON Schema knows anywhere.
func propertyNames(schema *value.Value) map[string]bool {
	names := make(map[string]bool)
	var walk func(v *value.Value)
	walk = func(v *value.Value) {
		for _, item := range v.Items {
			walk(item)
		}
		for _, m := range v.Members {
			if m.Name == "properties" {
				for _, property := range m.Value.Members {
					names[property.Name] = true
				}
			}
			walk(m.Value)
		}
	}
	walk(schema)
	return names
}
