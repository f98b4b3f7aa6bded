package sat

import "slices"

// decay is how fast what took part in conflicts long ago loses against the present.
const (
	decay   = 0.95
	tooMuch = 1e100
)

// analyze returns the clause that a conflict teaches, its first literal being the one that becomes
// true, and the level to go back to.
func (s *Solver) analyze(c *clause) ([]Lit, int) {
	learned := []Lit{0}
	open, at := 0, len(s.trail)-1
	var l Lit
	for {
		s.bumpClause(c)
		for _, q := range c.lits {
			v := q.variable()
			if q == l || s.seen[v] || s.level[v] == 0 {
				continue
			}
			s.seen[v] = true
			s.order.bumpVariable(v)
			if s.level[v] == len(s.marks) {
				open++
			} else {
				learned = append(learned, q)
			}
		}
		for !s.seen[s.trail[at].variable()] {
			at--
		}
		l = s.trail[at]
		at--
		c = s.reason[l.variable()]
		s.seen[l.variable()] = false
		if open--; open == 0 {
			break
		}
	}
	learned[0] = l.Not()
	all := slices.Clone(learned)
	learned = slices.DeleteFunc(learned, func(q Lit) bool { return q != l.Not() && s.follows(q) })
	for _, q := range all {
		s.seen[q.variable()] = false
	}
	back := 0
	for i, q := range learned[1:] {
		if s.level[q.variable()] > back {
			back = s.level[q.variable()]
			learned[1], learned[i+1] = learned[i+1], learned[1]
		}
	}
	s.bump /= decay
	s.order.bump /= decay
	return learned, back
}

// follows reports whether a literal of a learned clause follows from its others.
func (s *Solver) follows(l Lit) bool {
	c := s.reason[l.variable()]
	if c == nil {
		return false
	}
	for _, q := range c.lits {
		if v := q.variable(); v != l.variable() && !s.seen[v] && s.level[v] > 0 {
			return false
		}
	}
	return true
}

// learn goes back and adds a clause that analyze found.
func (s *Solver) learn(lits []Lit, back int) {
	if s.onLearn != nil {
		s.onLearn(lits)
	}
	s.cancel(back)
	if len(lits) == 1 {
		s.assign(lits[0], nil)
		return
	}
	c := &clause{lits: lits, learned: true, activity: s.bump}
	s.learned = append(s.learned, c)
	s.attach(c)
	s.assign(lits[0], c)
}

func (s *Solver) bumpClause(c *clause) {
	if !c.learned {
		return
	}
	if c.activity += s.bump; c.activity > tooMuch {
		for _, other := range s.learned {
			other.activity /= tooMuch
		}
		s.bump /= tooMuch
	}
}

// blame finds the assumptions that make the assumption l impossible, and sets failed.
func (s *Solver) blame(l Lit) {
	s.failed = append(s.failed, l)
	s.seen[l.variable()] = true
	for i := len(s.trail) - 1; i >= 0; i-- {
		p := s.trail[i]
		v := p.variable()
		if !s.seen[v] {
			continue
		}
		s.seen[v] = false
		if s.level[v] == 0 {
			continue
		}
		if c := s.reason[v]; c != nil {
			for _, q := range c.lits {
				s.seen[q.variable()] = true
			}
			s.seen[v] = false
		} else {
			s.failed = append(s.failed, p)
		}
	}
}
