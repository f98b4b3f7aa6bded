package solver

import (
	"encoding/binary"
	"slices"
)

// state is what is there of each package.
type state map[string]*candidate

// walk looks for the shortest way of some packages from what is installed to a target.
type walk struct {
	*ordering
	changing []string
	to       map[string]*candidate
	rules    map[string][]*rule            // by name, those that speak of no other packages
	left     map[string]map[*candidate]int // how many steps a package has before it at least
	ids      map[*candidate]uint64
	now      state
	broken   bool // the state that is installed
	steps    []hop

	tried map[string]int // by state: with how many steps left there is no way
	cut   bool           // there might be one with more
}

func newWalk(o *ordering, names []string, to map[string]*candidate) *walk {
	w := &walk{ordering: o, to: to, rules: map[string][]*rule{}, left: map[string]map[*candidate]int{}, ids: map[*candidate]uint64{nil: 0}, now: state{}}
	in := make(map[string]bool, len(names))
	for _, name := range names {
		in[name] = true
	}
	for _, name := range names {
		if c := o.from(name); c != nil {
			w.now[name] = c
		}
		for _, r := range o.rules[name] {
			if in[r.owner.pkg.Name] && !slices.ContainsFunc(r.names, func(of string) bool { return !in[of] }) {
				w.rules[name] = append(w.rules[name], r)
			}
		}
		if o.from(name) == to[name] {
			continue
		}
		w.changing = append(w.changing, name)
		w.left[name] = o.leftOf(name, to[name])
		for _, c := range o.byName[name] {
			w.ids[c] = uint64(len(w.ids))
		}
	}
	w.broken = !w.consistent(names...)
	return w
}

// leftOf is how many steps a package has before it at least; versions from which there is no way to the target have none.
func (o *ordering) leftOf(name string, to *candidate) map[*candidate]int {
	on := o.planner.tracks[name]
	switch {
	case on == nil:
		return map[*candidate]int{nil: 1, to: 0}
	case to != nil:
		return on.distances(to)
	}
	left := map[*candidate]int{nil: 0}
	for c := range on.next {
		left[c] = 1
	}
	return left
}

// shortest finds the shortest way, of several the first. It looks for longer ones only when there is none as short.
func (w *walk) shortest() (*order, error) {
	least := 0
	for _, name := range w.changing {
		n, reachable := w.left[name][w.now[name]]
		if !reachable {
			return &order{}, nil
		}
		least += n
	}
	if w.broken && len(w.changing) == 0 {
		return &order{}, nil
	}
	for most := least; ; most++ {
		w.tried, w.cut = map[string]int{}, false
		found, err := w.within(most, least)
		if err != nil || found || !w.cut {
			return &order{w.steps, found, w.broken}, err
		}
	}
}

// within looks for a way of at most this many steps; at least this many are needed.
func (w *walk) within(most, least int) (bool, error) {
	switch {
	case least == 0:
		return true, nil
	case least > most:
		w.cut = true
		return false, nil
	}
	key := w.key()
	if n, known := w.tried[key]; known && n >= most {
		return false, nil
	}
	if w.planner.stop() {
		return false, errStopped
	}
	w.tried[key] = most
	for _, name := range w.changing {
		from := w.now[name]
		for _, to := range w.after(name, from) {
			more, leads := w.left[name][to]
			if !leads {
				continue
			}
			w.set(name, to)
			if w.follows(name) {
				w.steps = append(w.steps, hop{name, from, to})
				found, err := w.within(most-1, least-w.left[name][from]+more)
				if found || err != nil {
					return found, err
				}
				w.steps = w.steps[:len(w.steps)-1]
			}
			w.set(name, from)
		}
	}
	return false, nil
}

// after is what a package may become in one step, in the order of the steps.
func (w *walk) after(name string, from *candidate) []*candidate {
	on := w.planner.tracks[name]
	switch {
	case on == nil && from == nil:
		return []*candidate{w.to[name]}
	case on == nil, from == nil: // it was added, or removed
		return nil
	case w.to[name] == nil:
		return append(slices.Clip(on.next[from]), nil)
	}
	return on.next[from]
}

func (w *walk) set(name string, c *candidate) {
	if c == nil {
		delete(w.now, name)
		return
	}
	w.now[name] = c
}

// follows reports whether the state is consistent after a step of a package.
func (w *walk) follows(name string) bool {
	if w.broken && len(w.steps) == 0 {
		return w.consistent(w.all()...)
	}
	return w.consistent(name)
}

func (w *walk) all() []string {
	var names []string
	for name := range w.rules {
		names = append(names, name)
	}
	return names
}

// consistent reports whether the rules that speak of packages hold.
func (w *walk) consistent(names ...string) bool {
	for _, name := range names {
		for _, r := range w.rules[name] {
			if w.now[r.owner.pkg.Name] == r.owner && !w.holds(r, w.now) {
				return false
			}
		}
	}
	return true
}

func (w *walk) key() string {
	var key []byte
	for _, name := range w.changing {
		key = binary.AppendUvarint(key, w.ids[w.now[name]])
	}
	return string(key)
}

// holds reports whether a rule holds in a state that its owner is in.
func (o *ordering) holds(r *rule, in state) bool {
	if r.conflict != nil {
		return !o.in(r.conflict, in, r.names...)
	}
	return o.met(r.need, in, r.names)
}

// in reports whether a candidate of a selector is there, of one of the packages.
func (o *ordering) in(s *selector, in state, names ...string) bool {
	for _, name := range names {
		if c := in[name]; c != nil && slices.Contains(o.matches(s), c) {
			return true
		}
	}
	return false
}

// met reports whether a need is met.
func (o *ordering) met(x *expression, in state, names []string) bool {
	met := func(part *expression) bool { return o.met(part, in, names) }
	switch x.operator {
	case required:
		return o.in(x.selector, in, names...)
	case anyOf:
		return slices.ContainsFunc(x.parts, met)
	case allOf:
		return !slices.ContainsFunc(x.parts, func(part *expression) bool { return !met(part) })
	case optional:
		return true
	case noneOf:
	}
	return !slices.ContainsFunc(x.selectors, func(s *selector) bool { return o.in(s, in, names...) })
}
