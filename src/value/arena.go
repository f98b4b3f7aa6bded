package value

import "strings"

const maxSlab = 1024

// slabs hand out values, and lists of members and items, from blocks, which is several times
// faster than one allocation for each.
type slabs struct {
	values  slab[Value]
	members slab[Member]
	items   slab[*Value]
}

// newSlabs guesses from the punctuation what the text will need, so that the blocks of small
// documents have no spare room: each value but the root is the first of its list or map or comes
// after a comma, and each member has a colon.
func newSlabs(text string) slabs {
	values := 1 + strings.Count(text, ",") + strings.Count(text, "[") + strings.Count(text, "{")
	members := strings.Count(text, ":")
	return slabs{slab[Value]{expected: values}, slab[Member]{expected: members}, slab[*Value]{expected: values - 1 - members}}
}

// slab is the rest of the current block, and how many elements are still expected.
type slab[T any] struct {
	rest     []T
	expected int
}

// take returns n elements without spare room behind them.
func (s *slab[T]) take(n int) []T {
	if n > len(s.rest) {
		s.rest = make([]T, max(n, min(s.expected, maxSlab)))
	}
	taken := s.rest[:n:n]
	s.rest = s.rest[n:]
	s.expected -= n
	return taken
}

// save copies the elements from a stack.
func (s *slab[T]) save(from []T) []T {
	to := s.take(len(from))
	copy(to, from)
	return to
}
