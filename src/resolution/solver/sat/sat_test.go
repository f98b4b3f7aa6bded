package sat

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// problem is a set of clauses over variables 1 to n, as in DIMACS.
type problem struct {
	n       int
	clauses [][]int
}

func (p problem) load(s *Solver) []Lit {
	vars := []Lit{0}
	for range p.n {
		vars = append(vars, s.New())
	}
	for _, c := range p.clauses {
		s.Add(lits(vars, c)...)
	}
	return vars
}

func lits(vars []Lit, numbers []int) []Lit {
	var out []Lit
	for _, x := range numbers {
		if x < 0 {
			out = append(out, vars[-x].Not())
		} else {
			out = append(out, vars[x])
		}
	}
	return out
}

// holds evaluates all clauses, and the assumptions as units, under an assignment.
func (p problem) holds(assumptions []int, value func(int) bool) bool {
	for _, x := range assumptions {
		if value(max(x, -x)) != (x > 0) {
			return false
		}
	}
	for _, c := range p.clauses {
		if !slices.ContainsFunc(c, func(x int) bool { return value(max(x, -x)) == (x > 0) }) {
			return false
		}
	}
	return true
}

// satisfiable tries all assignments.
func (p problem) satisfiable(assumptions []int) bool {
	for bits := range 1 << p.n {
		if p.holds(assumptions, func(v int) bool { return bits>>(v-1)&1 == 1 }) {
			return true
		}
	}
	return false
}

func TestAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problem{n: rapid.IntRange(1, 9).Draw(t, "n")}
		literal := rapid.Custom(func(t *rapid.T) int {
			x := rapid.IntRange(1, p.n).Draw(t, "variable")
			if rapid.Bool().Draw(t, "negated") {
				return -x
			}
			return x
		})
		p.clauses = rapid.SliceOfN(rapid.SliceOfN(literal, 1, 4), 0, 40).Draw(t, "clauses")
		s := New()
		vars := p.load(s)
		p.watch(t, s, vars)
		for range 4 {
			assumptions := rapid.SliceOfN(literal, 0, 5).Draw(t, "assumptions")
			switch s.Solve(nil, lits(vars, assumptions)...) {
			case Satisfiable:
				if !p.holds(assumptions, func(v int) bool { return s.Value(vars[v]) }) {
					t.Fatal("the model is none")
				}
			case Unsatisfiable:
				if p.satisfiable(assumptions) {
					t.Fatal("there is a model")
				}
				var failed []int
				for _, x := range assumptions {
					if slices.Contains(s.Failed(), lits(vars, []int{x})[0]) {
						failed = append(failed, x)
					}
				}
				for _, l := range s.Failed() {
					if !slices.Contains(lits(vars, assumptions), l) {
						t.Fatal("a failed literal was not assumed")
					}
				}
				if p.satisfiable(failed) {
					t.Fatal("the failed assumptions are possible")
				}
			default:
				t.Fatal("stopped")
			}
		}
	})
}

// pigeons says that n pigeons sit in n-1 holes, at most one in each.
func pigeons(n int) problem {
	p := problem{n: n * (n - 1)}
	at := func(pigeon, hole int) int { return pigeon*(n-1) + hole + 1 }
	for i := range n {
		var c []int
		for h := range n - 1 {
			c = append(c, at(i, h))
			for j := range i {
				p.clauses = append(p.clauses, []int{-at(i, h), -at(j, h)})
			}
		}
		p.clauses = append(p.clauses, c)
	}
	return p
}

// TestProof checks each learned clause of a refutation by unit propagation alone.
func TestProof(t *testing.T) {
	p := pigeons(8)
	s := New()
	vars := p.load(s)
	known := p.watch(t, s, vars)
	if got := s.Solve(nil); got != Unsatisfiable {
		t.Fatalf("got %v", got)
	}
	if len(s.Failed()) != 0 || len(*known) < len(p.clauses)+easyConflicts {
		t.Errorf("failed %v after %d clauses were learned", s.Failed(), len(*known)-len(p.clauses))
	}
	if !follows(p.n, *known, nil) {
		t.Error("the learned clauses are no refutation")
	}
}

// watch checks that each clause which is learned follows from those before, and returns all of them.
func (p problem) watch(t interface{ Fatalf(string, ...any) }, s *Solver, vars []Lit) *[][]int {
	known := slices.Clone(p.clauses)
	s.onLearn = func(learned []Lit) {
		var c []int
		for _, l := range learned {
			at := slices.IndexFunc(vars, func(v Lit) bool { return v.variable() == l.variable() })
			if l.negated() {
				at = -at
			}
			c = append(c, at)
		}
		if !follows(p.n, known, c) {
			t.Fatalf("%v does not follow", c)
		}
		known = append(known, c)
	}
	return &known
}

// follows reports whether the negation of the clause is refuted by unit propagation.
func follows(n int, clauses [][]int, c []int) bool {
	value := make([]int, n+1)
	for _, x := range c {
		value[max(x, -x)] = -sign(x)
	}
	for changed := true; changed; {
		changed = false
		for _, c := range clauses {
			var open []int
			met := false
			for _, x := range c {
				switch value[max(x, -x)] {
				case sign(x):
					met = true
				case 0:
					if !slices.Contains(open, x) { // a literal that is there twice is one
						open = append(open, x)
					}
				}
			}
			switch {
			case met:
			case len(open) == 0:
				return true
			case len(open) == 1:
				value[max(open[0], -open[0])] = sign(open[0])
				changed = true
			}
		}
	}
	return false
}

func sign(x int) int {
	if x < 0 {
		return -1
	}
	return 1
}

func TestStop(t *testing.T) {
	s := New()
	pigeons(12).load(s)
	looks := 0
	stop := func() bool { looks++; return looks == 3 }
	if got := s.Solve(stop); got != Stopped || looks != 3 {
		t.Errorf("got %v after %d looks", got, looks)
	}
}

func TestFewAreTrue(t *testing.T) {
	s := New()
	a, b, c, d := s.New(), s.New(), s.New(), s.New()
	s.Add(a.Not(), b, c)
	s.Add(c.Not(), d)
	if got := s.Solve(nil, a); got != Satisfiable {
		t.Fatalf("got %v", got)
	}
	if !s.Value(a) || !s.Value(b) || s.Value(c) || s.Value(d) {
		t.Error("the first literal that is possible should be true, and no other")
	}
}

func BenchmarkPigeons(b *testing.B) {
	for b.Loop() {
		s := New()
		pigeons(8).load(s)
		if s.Solve(nil) != Unsatisfiable {
			b.Fatal("wrong")
		}
	}
}
