package sat

// occurrences are the clauses by their literals, without learned ones and those of one literal.
type occurrences struct {
	clauses [][]Lit
	of      [][]int32 // by literal: the clauses that have it
}

// occurrences returns those of now. They are kept until a clause is added.
func (s *Solver) occurrences() *occurrences {
	if s.occurs != nil {
		return s.occurs
	}
	o := &occurrences{of: make([][]int32, len(s.value))}
	for l, list := range s.watches {
		for _, w := range list {
			c := w.clause
			if c.learned || c.deleted || c.lits[0].Not() != Lit(l) { // each is watched twice
				continue
			}
			for _, lit := range c.lits {
				o.of[lit] = append(o.of[lit], int32(len(o.clauses)))
			}
			o.clauses = append(o.clauses, c.lits)
		}
	}
	s.occurs = o
	return o
}

// rotation looks for items that are needed by changing a model, one variable at a time.
type rotation struct {
	*occurrences
	truth  []bool // by literal
	frozen []bool // by variable: items, assumptions, and what holds in any case
	item   map[Lit]bool
	found  map[Lit]bool
	left   int // looks at clauses
}

// looksPerClause is how many looks at clauses a rotation takes at most, for each clause.
const looksPerClause = 8

// Needed returns items without which the other items and the assumptions are possible together, so that each of them is in every
// impossible part of theirs. The last call must have found a model under the assumptions and all items but missing, and all together must be
// impossible. From that model it goes on to others that violate clauses of one item only, as in "recursive model rotation" (Belov and
// Marques-Silva, 2011), so it finds some, missing among them, and not always all.
func (s *Solver) Needed(missing Lit, items, assumptions []Lit) []Lit {
	r := &rotation{occurrences: s.occurrences(), truth: make([]bool, len(s.value)), frozen: make([]bool, len(s.level)),
		item: make(map[Lit]bool, len(items)), found: map[Lit]bool{missing: true}}
	r.left = looksPerClause * len(r.clauses)
	for v, is := range s.model {
		r.truth[v<<1], r.truth[v<<1|1] = is, !is
	}
	for _, l := range s.trail {
		if s.level[l.variable()] > 0 {
			break
		}
		r.frozen[l.variable()] = true
	}
	for _, l := range assumptions {
		r.hold(l)
	}
	for _, l := range items {
		r.hold(l)
		r.item[l] = true
	}
	needed := []Lit{missing}
	type step struct {
		flipped Lit // to be flipped back
		options []Lit
	}
	stack := []step{{options: r.common(r.violated(missing.Not()))}}
	for len(stack) > 0 && r.left > 0 {
		top := &stack[len(stack)-1]
		if len(top.options) == 0 {
			if top.flipped != 0 {
				r.flip(top.flipped)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		l := top.options[0]
		top.options = top.options[1:]
		r.flip(l)
		violated := r.violated(l.Not())
		next := r.only(violated)
		if next == 0 || r.found[next] {
			r.flip(l.Not())
			continue
		}
		r.found[next] = true
		needed = append(needed, next)
		stack = append(stack, step{flipped: l.Not(), options: r.common(violated)})
	}
	return needed
}

// hold makes a literal true for good.
func (r *rotation) hold(l Lit) {
	r.truth[l], r.truth[l.Not()] = true, false
	r.frozen[l.variable()] = true
}

// flip makes a literal true.
func (r *rotation) flip(l Lit) { r.truth[l], r.truth[l.Not()] = true, false }

// violated returns the clauses with a literal, which is false, that no literal meets.
func (r *rotation) violated(l Lit) [][]Lit {
	var list [][]Lit
next:
	for _, i := range r.of[l] {
		r.left--
		for _, lit := range r.clauses[i] {
			if r.truth[lit] {
				continue next
			}
		}
		list = append(list, r.clauses[i])
	}
	return list
}

// common returns the literals of all clauses that may be made true.
func (r *rotation) common(clauses [][]Lit) []Lit {
	if len(clauses) == 0 {
		return nil
	}
	count := make(map[Lit]int)
	for _, c := range clauses {
		for _, l := range c {
			count[l]++
		}
	}
	var list []Lit
	for _, l := range clauses[0] { // in their order, so that what is found does not depend on chance
		if count[l] == len(clauses) && !r.frozen[l.variable()] {
			list = append(list, l)
		}
	}
	return list
}

// only returns the one item whose clauses these are, 0 if there is no such.
func (r *rotation) only(clauses [][]Lit) Lit {
	var of Lit
	for _, c := range clauses {
		var item Lit
		for _, l := range c {
			if r.item[l.Not()] {
				item = l.Not()
				break
			}
		}
		if item == 0 || of != 0 && of != item {
			return 0
		}
		of = item
	}
	return of
}
