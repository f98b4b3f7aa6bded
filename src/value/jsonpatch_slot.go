package value

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// slot has a value of a document that is patched: as it was read, or opened, once something in it may change. Values that are
// not opened are shared by all slots that have them.
type slot struct {
	value  *Value
	opened *opened
}

// opened is a list or a map of slots.
type opened struct {
	kind  Kind
	place Place
	count int // of items or members

	runs    [][]slot // of a list: the items in their order, in runs of at most maxRun, so that a change moves few of them
	members []openedMember
	at      map[string]int // in members
}

// openedMember is a member of a map, in the order of their names' first use; deleted ones stay, so that none moves.
type openedMember struct {
	name    string
	place   Place
	slot    slot
	deleted bool
}

// maxRun is how many items of a list are kept together.
const maxRun = 1024

// open opens the value of a slot. It returns nil for what is neither list nor map.
func (p *patching) open(s *slot) *opened {
	if s.opened != nil || s.value.Kind != List && s.value.Kind != Map {
		return s.opened
	}
	v := s.value
	o := &opened{kind: v.Kind, place: v.Place, count: len(v.Items) + len(v.Members)}
	values := o.count / 8 // which a slot takes of a value's memory
	if v.Kind == Map {
		values = o.count
	}
	if p.opened += values; values > 0 {
		p.charge(values)
	}
	if v.Kind == Map {
		o.members, o.at = make([]openedMember, len(v.Members)), make(map[string]int, len(v.Members))
		for i, m := range v.Members {
			o.members[i], o.at[m.Name] = openedMember{name: m.Name, place: m.Place, slot: slot{value: m.Value}}, i
		}
	} else {
		items := make([]slot, len(v.Items))
		for i, item := range v.Items {
			items[i].value = item
		}
		for run := range slices.Chunk(items, maxRun) {
			o.runs = append(o.runs, run)
		}
	}
	s.opened, s.value = o, nil
	return o
}

// child is the slot of a member, or of an item by its position; nil if there is none.
func (p *patching) child(o *opened, name string) *slot {
	if o.kind == Map {
		if i, ok := o.at[name]; ok {
			return &o.members[i].slot
		}
		return nil
	}
	i, ok := position(name, o.count)
	if !ok {
		return nil
	}
	run, at := o.locate(i)
	p.step(run)
	return &o.runs[run][at]
}

// position reads the position of one of n items; negative ones count from the end.
func position(text string, n int) (int, bool) {
	i, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(i) != text {
		return 0, false
	}
	if i < 0 {
		i += n
	}
	return i, i >= 0 && i < n
}

// locate finds the run of an item, and its place there; the end of the last run for the place after the last item.
func (o *opened) locate(i int) (run, at int) {
	for run < len(o.runs)-1 && i >= len(o.runs[run]) {
		i -= len(o.runs[run])
		run++
	}
	return run, i
}

// insert puts an item before the one at i, and returns how much work that was.
func (o *opened) insert(i int, s slot) int {
	if o.count++; len(o.runs) == 0 {
		o.runs = [][]slot{{s}}
		return 1
	}
	run, at := o.locate(i)
	o.runs[run] = slices.Insert(o.runs[run], at, s)
	work := run + len(o.runs[run]) - at
	if whole := o.runs[run]; len(whole) > maxRun {
		half := len(whole) / 2
		o.runs[run] = whole[:half:half]
		o.runs = slices.Insert(o.runs, run+1, slices.Clone(whole[half:]))
		work += half + len(o.runs) - run
	}
	return work
}

// delete takes out the item at i, and returns how much work that was.
func (o *opened) delete(i int) int {
	o.count--
	run, at := o.locate(i)
	o.runs[run] = slices.Delete(o.runs[run], at, at+1)
	work := run + len(o.runs[run]) - at + 1
	if len(o.runs[run]) == 0 {
		o.runs = slices.Delete(o.runs, run, run+1)
		work += len(o.runs) - run
	}
	return work
}

// set gives a member a value.
func (o *opened) set(name string, s slot) {
	if i, ok := o.at[name]; ok {
		o.members[i].slot = s
		return
	}
	m := openedMember{name: name, slot: s}
	if s.value != nil {
		m.place = s.value.Place
	}
	o.count++
	o.at[name] = len(o.members)
	o.members = append(o.members, m)
}

func (o *opened) unset(name string) {
	o.count--
	o.members[o.at[name]] = openedMember{deleted: true}
	delete(o.at, name)
}

// frozen returns the value of a slot, which shares what is not opened.
func (s slot) frozen() *Value {
	o := s.opened
	if o == nil {
		return s.value
	}
	v := &Value{Kind: o.kind, Place: o.place}
	for _, run := range o.runs {
		for _, item := range run {
			v.Items = append(v.Items, item.frozen())
		}
	}
	for _, m := range o.members {
		if !m.deleted {
			v.Members = append(v.Members, Member{Name: m.name, Value: m.slot.frozen(), Place: m.place})
		}
	}
	return v
}

// same reports whether a slot has a value. It takes no longer than the value is large, however large that of the slot is.
func (p *patching) same(s slot, want *Value) bool {
	o := s.opened
	if o == nil {
		return Equal(want, s.value)
	}
	if o.kind != want.Kind || o.count != len(want.Items)+len(want.Members) {
		return false
	}
	p.step(o.count)
	i := 0
	for _, run := range o.runs {
		for _, item := range run {
			if !p.same(item, want.Items[i]) {
				return false
			}
			i++
		}
	}
	for _, m := range want.Members {
		if i, ok := o.at[m.Name]; !ok || !p.same(o.members[i].slot, m.Value) {
			return false
		}
	}
	return true
}

// mayCopy reports whether a value that is copied is small enough, and counts it.
func (p *patching) mayCopy(v *Value, depth int) bool {
	p.step(1)
	if p.copies -= len(v.Text) + 2; p.copies < 0 || depth > p.limits.Depth {
		return false
	}
	for _, item := range v.Items {
		if !p.mayCopy(item, depth+1) {
			return false
		}
	}
	for _, m := range v.Members {
		if p.copies -= len(m.Name) + 4; !p.mayCopy(m.Value, depth+1) {
			return false
		}
	}
	return true
}

// bounded copies the result, if it is within the limits.
func (p *patching) bounded(v *Value, depth int) *Value {
	if v.Kind == List || v.Kind == Map {
		depth++
	}
	if p.values++; p.values%chargeStep == 0 {
		p.charge(chargeStep)
	}
	switch {
	case p.err != nil:
		return nil
	case depth > p.limits.Depth:
		p.err = tooLarge(fmt.Sprintf("what the patch makes is nested deeper than %d levels", p.limits.Depth))
		return nil
	case p.values > p.limits.Values:
		p.err = tooLarge(fmt.Sprintf("what the patch makes has more than %d values", p.limits.Values))
		return nil
	}
	c := &Value{Kind: v.Kind, Text: v.Text, Place: v.Place}
	if len(v.Items) > 0 {
		c.Items = make([]*Value, len(v.Items))
	}
	for i, item := range v.Items {
		c.Items[i] = p.bounded(item, depth)
	}
	if len(v.Members) > 0 {
		c.Members = make([]Member, len(v.Members))
	}
	for i, m := range v.Members {
		c.Members[i] = Member{Name: m.Name, Value: p.bounded(m.Value, depth), Place: m.Place}
	}
	return c
}

func tooLarge(message string) error {
	return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: message, Remedy: "make the object smaller, or split it"}
}
