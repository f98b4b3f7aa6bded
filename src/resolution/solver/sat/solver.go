package sat

import "slices"

// Lit is a variable or its negation. The zero Lit is none.
type Lit uint32

// Not returns the negation.
func (l Lit) Not() Lit { return l ^ 1 }

func (l Lit) negated() bool { return l&1 != 0 }
func (l Lit) variable() int { return int(l >> 1) }

// Status is what Solve found out.
type Status int

// The findings.
const (
	Stopped       Status = iota // stopped by the caller before an answer was found
	Satisfiable                 // Value tells how
	Unsatisfiable               // Failed tells under which assumptions
)

// clause is a disjunction. The first two literals are watched.
type clause struct {
	lits     []Lit
	learned  bool
	deleted  bool
	activity float64
}

// watch is an entry of the clauses to look at when a literal becomes false. While blocker is true the
// clause needs no look.
type watch struct {
	clause  *clause
	blocker Lit
}

// goal is a clause as decisions see it: when all of the first literals, which are negated, are false, one
// of the others, the options, has to be true.
type goal struct {
	lits    []Lit
	negated int
}

const (
	unknown int8 = iota
	yes
	no
)

// Solver holds clauses and decides them. It is not for concurrent use.
type Solver struct {
	broken  bool // unsatisfiable without assumptions
	watches [][]watch
	goals   [][]goal // by variable: those that it is negated in
	learned []*clause

	value  []int8 // by literal
	level  []int  // by variable
	reason []*clause
	trail  []Lit
	marks  []mark // one a level
	queue  int    // what of the trail was propagated
	looked int    // up to where on the trail all goals are met

	assumed []Lit // the assumptions of the first levels
	model   []bool
	failed  []Lit

	order     order
	bump      float64 // what a conflict adds to a clause's activity
	seen      []bool
	limit     int // of learned clauses
	conflicts int // in the present call
	onLearn   func([]Lit)
	occurs    *occurrences // nil until it is asked for
}

// mark is the state at which a level begins.
type mark struct{ trail, looked int }

// easyConflicts is up to how many conflicts of a call are decided by goals.
const easyConflicts = 300

// New returns a solver without variables and clauses.
func New() *Solver {
	s := &Solver{bump: 1, limit: 5000, order: order{bump: 1}}
	s.grow()       // literals 0 and 1 are none
	s.Add(s.New()) // always
	return s
}

// New returns a new variable.
func (s *Solver) New() Lit {
	s.grow()
	v := len(s.level) - 1
	s.order.add(v)
	return Lit(v << 1)
}

func (s *Solver) grow() {
	s.watches = append(s.watches, nil, nil)
	s.value = append(s.value, unknown, unknown)
	s.goals = append(s.goals, nil)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, nil)
	s.seen = append(s.seen, false)
	s.model = append(s.model, false)
	s.order.grow()
}

// always is true; it stands for the negated literals of clauses that have none.
const always = Lit(2)

// Add adds a clause: one of the literals has to be true. It keeps nothing of the slice.
func (s *Solver) Add(lits ...Lit) {
	s.cancel(0)
	s.assumed = s.assumed[:0]
	s.occurs = nil
	if s.broken {
		return
	}
	c := make([]Lit, 0, len(lits))
	negated := 0
	for _, l := range lits {
		switch {
		case s.value[l] == yes || s.seenIn(c, l.Not()):
			return
		case s.value[l] == no || s.seenIn(c, l):
			continue
		}
		c = append(c, l)
		if l.negated() {
			copy(c[negated+1:], c[negated:len(c)-1]) // the negated ones stand first
			c[negated] = l
			negated++
		}
	}
	switch len(c) {
	case 0:
		s.broken = true
		return
	case 1:
		s.assign(c[0], nil)
		s.broken = s.propagate() != nil
		return
	}
	s.attach(&clause{lits: c})
	if negated == len(c) {
		return
	}
	g := goal{slices.Clone(c), negated} // of its own, as the watched literals of a clause change places
	for _, l := range c[:negated] {
		s.goals[l.variable()] = append(s.goals[l.variable()], g)
	}
	if negated == 0 {
		s.goals[always.variable()] = append(s.goals[always.variable()], g)
	}
}

func (s *Solver) seenIn(lits []Lit, l Lit) bool {
	if len(lits) > 64 {
		return false // long clauses come without repetitions; one would do no harm
	}
	for _, other := range lits {
		if other == l {
			return true
		}
	}
	return false
}

func (s *Solver) attach(c *clause) {
	a, b := c.lits[0], c.lits[1]
	s.watches[a.Not()] = append(s.watches[a.Not()], watch{c, b})
	s.watches[b.Not()] = append(s.watches[b.Not()], watch{c, a})
}

// Value reports whether the literal is true in the model that the last Satisfiable call found.
func (s *Solver) Value(l Lit) bool { return s.model[l.variable()] != l.negated() }

// Failed returns assumptions that the last Unsatisfiable call found to be impossible together: none if
// the clauses alone are. They need not be the fewest. The slice is valid until the next call.
func (s *Solver) Failed() []Lit { return s.failed }
