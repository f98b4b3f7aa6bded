package derivation

// assignment narrows the states of a package.
type assignment struct {
	pkg      int
	states   States           // that it leaves
	after    States           // that it and those before it leave
	level    int              // how many decisions were made
	cause    *Incompatibility // nil for a decision
	previous int              // the one before of the package, -1 for none
}

// search looks for a contradiction.
type search struct {
	all    []States // of each package
	now    []States
	last   []int                // of each package: its latest assignment, -1 for none
	about  [][]*Incompatibility // of each package
	given  []*Incompatibility
	trail  []assignment
	level  int
	budget int
}

// Contradiction derives from facts that they contradict each other: the result has no terms, and its causes are the proof. Sizes are the
// numbers of states of the packages. It returns nil when it finds none in so many steps.
func Contradiction(sizes []int, facts []*Incompatibility, steps int) *Incompatibility {
	s := &search{about: make([][]*Incompatibility, len(sizes)), given: facts, budget: steps}
	for _, n := range sizes {
		s.all = append(s.all, All(n))
		s.last = append(s.last, -1)
	}
	s.now = append(s.now, s.all...)
	var changed []int
	for _, i := range facts {
		if len(i.Terms) == 0 {
			return i
		}
		changed = append(changed, s.add(i)...)
	}
	for s.budget > 0 {
		if conflict := s.propagate(changed); conflict != nil {
			learned := s.learn(conflict)
			if learned == nil || len(learned.Terms) == 0 {
				return learned
			}
			changed = s.add(learned)
			continue
		}
		pkg := s.decide()
		if pkg < 0 {
			return nil // they can hold together
		}
		changed = []int{pkg}
	}
	return nil
}

// add adds an incompatibility, and returns the packages that it is about.
func (s *search) add(i *Incompatibility) []int {
	var packages []int
	for _, t := range i.Terms {
		s.about[t.Package] = append(s.about[t.Package], i)
		packages = append(packages, t.Package)
	}
	return packages
}

// propagate narrows states as far as incompatibilities about changed packages demand it, and returns one that is violated.
func (s *search) propagate(changed []int) *Incompatibility {
	for len(changed) > 0 {
		pkg := changed[0]
		changed = changed[1:]
		for _, i := range s.about[pkg] {
			open, satisfied := s.examine(i)
			switch {
			case satisfied:
				return i
			case open != nil:
				s.assign(open.Package, s.all[open.Package].Without(open.States), i)
				changed = append(changed, open.Package)
			}
		}
	}
	return nil
}

// examine returns the only term of an incompatibility that may or may not hold, when all others do, or says that all of them hold.
func (s *search) examine(i *Incompatibility) (open *Term, satisfied bool) {
	s.budget--
	for at, t := range i.Terms {
		now := s.now[t.Package]
		switch {
		case now.within(t.States):
		case now.and(t.States).empty() || open != nil:
			return nil, false
		default:
			open = &i.Terms[at]
		}
	}
	return open, open == nil
}

func (s *search) assign(pkg int, states States, cause *Incompatibility) {
	after := s.now[pkg].and(states)
	s.trail = append(s.trail, assignment{pkg, states, after, s.level, cause, s.last[pkg]})
	s.now[pkg], s.last[pkg] = after, len(s.trail)-1
}

// decide selects a version of a package of which one is needed, the fewest to choose from first. It returns -1 where nothing needs one.
func (s *search) decide() int {
	best, fewest := -1, 0
	consider := func(pkg int, from States) {
		if n := from.Count(); best < 0 || n < fewest {
			best, fewest = pkg, n
		}
	}
	for pkg, now := range s.now {
		if !now.Has(0) && now.Count() > 1 {
			consider(pkg, now)
		}
	}
	var from States
	if best >= 0 {
		from = s.now[best]
	} else {
		best, from = s.wanting()
	}
	if best < 0 {
		return -1
	}
	s.level++
	s.assign(best, NewStates(64*len(from), from.first()), nil)
	return best
}

// wanting returns a package, and those of its versions of which one would do, where one of several packages is needed.
func (s *search) wanting() (int, States) {
	for _, i := range s.given {
		pkg, from := -1, States(nil)
		for _, t := range i.Terms {
			now := s.now[t.Package]
			switch left := now.Without(t.States); {
			case now.within(t.States):
			case !t.States.Has(0) || !now.Has(0):
				pkg = -2 // without a version it does not hold
			case pkg == -1 && !left.empty():
				pkg, from = t.Package, left
			}
			if pkg == -2 {
				break
			}
		}
		if pkg >= 0 {
			return pkg, from
		}
	}
	return -1, nil
}

// learn derives from a violated incompatibility one that forbids what led there, and takes back the decisions up to where it would
// have shown. Nil says that it took too long.
func (s *search) learn(conflict *Incompatibility) *Incompatibility {
	for len(conflict.Terms) > 0 {
		if s.budget--; s.budget < 0 {
			return nil
		}
		at, before := s.satisfier(conflict)
		level := 0
		if before >= 0 {
			level = s.trail[before].level
		}
		by := s.trail[at]
		if by.cause == nil || level < by.level {
			s.backtrack(level)
			return conflict
		}
		conflict = resolve(conflict, by.cause, by.pkg, s.all[by.pkg])
	}
	return conflict
}

// satisfier returns the assignment from which on an incompatibility is violated, and the one from which on it would be together
// with that one, -1 for none.
func (s *search) satisfier(i *Incompatibility) (at, before int) {
	at, before = -1, -1
	var of Term
	for _, t := range i.Terms {
		switch from := s.earliest(t, s.last[t.Package], nil); {
		case from > at:
			at, before, of = from, max(before, at), t
		default:
			before = max(before, from)
		}
	}
	if by := s.trail[at]; !by.states.within(of.States) {
		before = max(before, s.earliest(of, by.previous, by.states))
	}
	return at, before
}

// earliest returns the first assignment of a term's package, up to one, from which on the term holds, together with states that are left.
func (s *search) earliest(t Term, at int, left States) int {
	found := -1
	for ; at >= 0; at = s.trail[at].previous {
		after := s.trail[at].after
		if left != nil {
			after = after.and(left)
		}
		if !after.within(t.States) {
			break
		}
		found = at
	}
	return found
}

// backtrack takes back the assignments of later levels.
func (s *search) backtrack(level int) {
	for n := len(s.trail) - 1; n >= 0 && s.trail[n].level > level; n-- {
		a := s.trail[n]
		s.last[a.pkg] = a.previous
		s.now[a.pkg] = s.all[a.pkg]
		if a.previous >= 0 {
			s.now[a.pkg] = s.trail[a.previous].after
		}
		s.trail = s.trail[:n]
	}
	s.level = level
}
