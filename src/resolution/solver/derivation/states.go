package derivation

import (
	"math/bits"
	"slices"
)

// States is a set of states of a package. State 0 is that no version of it is selected, state i that its i-th one is.
type States []uint64

// NewStates returns a set of some of n states.
func NewStates(n int, states ...int) States {
	s := make(States, (n+63)/64)
	for _, i := range states {
		s[i/64] |= 1 << (i % 64)
	}
	return s
}

// All returns the set of all of n states.
func All(n int) States {
	s := make(States, (n+63)/64)
	for i := range n {
		s[i/64] |= 1 << (i % 64)
	}
	return s
}

// Has reports whether a state is in the set.
func (s States) Has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// Count is how many states are in the set.
func (s States) Count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// first returns the least state but 0, 0 if there is no other.
func (s States) first() int {
	for i := 1; i < 64*len(s); i++ {
		if s.Has(i) {
			return i
		}
	}
	return 0
}

func (s States) and(o States) States {
	out := slices.Clone(s)
	for i := range out {
		out[i] &= o[i]
	}
	return out
}

func (s States) or(o States) States {
	out := slices.Clone(s)
	for i := range out {
		out[i] |= o[i]
	}
	return out
}

// Without returns the states that are not in the other set.
func (s States) Without(o States) States {
	out := slices.Clone(s)
	for i := range out {
		out[i] &^= o[i]
	}
	return out
}

func (s States) empty() bool { return s.Count() == 0 }

func (s States) within(o States) bool { return s.Without(o).empty() }
