package sat

import "slices"

// stepsPerLook is how many decisions are made between two looks at stop.
const stepsPerLook = 128

// Solve looks for a model in which all assumptions are true. It asks stop, which may be nil, now and
// then, and gives up when it says so. Assumptions that begin like those of the call before cost
// nothing, as long as no clause was added.
func (s *Solver) Solve(stop func() bool, assumptions ...Lit) Status {
	s.failed = s.failed[:0]
	if s.broken {
		return Unsatisfiable
	}
	same := 0
	for same < min(len(assumptions), len(s.assumed), len(s.marks)) && assumptions[same] == s.assumed[same] {
		same++
	}
	s.cancel(same)
	s.assumed = append(s.assumed[:0], assumptions...)
	s.conflicts = 0
	restarts, untilRestart := 0, restartUnit
	for steps := 1; ; steps++ {
		if c := s.propagate(); c != nil {
			s.conflicts++
			untilRestart--
			if len(s.marks) == 0 {
				s.broken = true
				return Unsatisfiable
			}
			s.learn(s.analyze(c))
		} else if next, done := s.next(assumptions); done != Stopped {
			return done
		} else {
			s.open()
			if next != 0 {
				s.assign(next, nil)
			}
		}
		if untilRestart <= 0 {
			restarts++
			untilRestart = restartUnit * luby(restarts)
			s.cancel(min(len(s.marks), len(assumptions)))
			s.forget()
		}
		if steps%stepsPerLook == 0 && stop != nil && stop() {
			return Stopped
		}
	}
}

// next returns what to make true next: an assumption, where 0 means that it is already, or a
// decision. It returns another status than Stopped when the search is over.
func (s *Solver) next(assumptions []Lit) (Lit, Status) {
	if n := len(s.marks); n < len(assumptions) {
		switch l := assumptions[n]; s.value[l] {
		case yes:
			return 0, Stopped
		case no:
			s.blame(l)
			return 0, Unsatisfiable
		default:
			return l, Stopped
		}
	}
	if l := s.decide(); l != 0 {
		return l, Stopped
	}
	for v := range s.model {
		s.model[v] = s.value[v<<1] == yes
	}
	return 0, Satisfiable
}

// decide returns the next decision, 0 if the model is complete: what is not assigned may be false.
func (s *Solver) decide() Lit {
	if s.conflicts > easyConflicts {
		for {
			v, ok := s.order.pop()
			if !ok {
				return 0
			}
			if s.value[v<<1] == unknown {
				return s.order.phase(v)
			}
		}
	}
	for ; s.looked < len(s.trail); s.looked++ {
		l := s.trail[s.looked]
		if l.negated() {
			continue
		}
		for _, g := range s.goals[l.variable()] {
			if option := s.wanting(g); option != 0 {
				return option
			}
		}
	}
	return 0
}

// wanting returns the first option that may still be true of a goal that is not met, otherwise 0.
func (s *Solver) wanting(g goal) Lit {
	for _, l := range g.lits[:g.negated] {
		if s.value[l] != no {
			return 0
		}
	}
	var first Lit
	for _, option := range g.lits[g.negated:] {
		switch s.value[option] {
		case yes:
			return 0
		case unknown:
			if first == 0 {
				first = option
			}
		}
	}
	return first
}

// open begins a level.
func (s *Solver) open() { s.marks = append(s.marks, mark{len(s.trail), s.looked}) }

func (s *Solver) assign(l Lit, why *clause) {
	s.value[l], s.value[l.Not()] = yes, no
	v := l.variable()
	s.level[v], s.reason[v] = len(s.marks), why
	s.trail = append(s.trail, l)
}

// cancel takes back all levels above the given one.
func (s *Solver) cancel(level int) {
	if len(s.marks) <= level {
		return
	}
	m := s.marks[level]
	for _, l := range s.trail[m.trail:] {
		s.value[l], s.value[l.Not()] = unknown, unknown
		v := l.variable()
		s.reason[v] = nil
		s.order.back(v, l)
	}
	s.trail = s.trail[:m.trail]
	s.queue, s.looked = m.trail, m.looked
	s.marks = s.marks[:level]
}

// propagate assigns what follows and returns a clause that is violated, nil if there is none.
func (s *Solver) propagate() *clause {
	for s.queue < len(s.trail) {
		l := s.trail[s.queue]
		s.queue++
		if c := s.visit(l); c != nil {
			return c
		}
	}
	return nil
}

// visit looks at the clauses that watch the negation of l, which became true.
func (s *Solver) visit(l Lit) *clause {
	list := s.watches[l]
	kept := list[:0]
	lost := l.Not()
	for i, w := range list {
		if s.value[w.blocker] == yes {
			kept = append(kept, w)
			continue
		}
		c := w.clause
		if c.deleted {
			continue
		}
		if c.lits[0] == lost {
			c.lits[0], c.lits[1] = c.lits[1], lost
		}
		first := c.lits[0]
		if s.value[first] == yes {
			kept = append(kept, watch{c, first})
			continue
		}
		if s.rewatch(c, first) {
			continue
		}
		kept = append(kept, watch{c, first})
		if s.value[first] == no {
			kept = append(kept, list[i+1:]...)
			s.watches[l] = kept
			return c
		}
		s.assign(first, c)
	}
	s.watches[l] = kept
	return nil
}

// rewatch watches another literal instead of the second, which is false, if there is one.
func (s *Solver) rewatch(c *clause, first Lit) bool {
	for k := 2; k < len(c.lits); k++ {
		if s.value[c.lits[k]] != no {
			c.lits[1], c.lits[k] = c.lits[k], c.lits[1]
			to := c.lits[1].Not()
			s.watches[to] = append(s.watches[to], watch{c, first})
			return true
		}
	}
	return false
}

// restartUnit is after how many conflicts the search first starts again.
const restartUnit = 100

// luby returns member i, from 1, of the sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8...
func luby(i int) int {
	for size := 1; ; size = 2*size + 1 {
		if i == size {
			return (size + 1) / 2
		}
		if i < size {
			return luby(i - (size-1)/2)
		}
	}
}

// forget deletes the half of the learned clauses that took the least part in conflicts.
func (s *Solver) forget() {
	if len(s.learned) < s.limit {
		return
	}
	s.limit += s.limit / 10
	slices.SortStableFunc(s.learned, func(a, b *clause) int {
		switch {
		case a.activity > b.activity:
			return -1
		case a.activity < b.activity:
			return 1
		}
		return 0
	})
	kept := s.learned[:0]
	for i, c := range s.learned {
		if i < len(s.learned)/2 || len(c.lits) == 2 || s.reason[c.lits[0].variable()] == c {
			kept = append(kept, c)
		} else {
			c.deleted = true
		}
	}
	clear(s.learned[len(kept):])
	s.learned = kept
}
