package layeringtest

import (
	"iter"
	"math/rand/v2"
	"slices"
)

const (
	allUpTo = 4  // so many values are given in all their orders
	some    = 31 // of more values in so many
)

// Orders yields the values as they are, and then all their orders, or, of more than four, 31 of them that are the same in every
// run. A slice that it yields is good until the next one.
func Orders[T any](values []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		if !yield(slices.Clone(values)) {
			return
		}
		if len(values) <= allUpTo {
			permute(slices.Clone(values), 0, yield)
			return
		}
		random := rand.New(rand.NewPCG(1, 1))
		for range some {
			shuffled := slices.Clone(values)
			random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if !yield(shuffled) {
				return
			}
		}
	}
}

// permute yields the orders of the values behind the first ones, and reports whether to go on.
func permute[T any](values []T, first int, yield func([]T) bool) bool {
	if first == len(values) {
		return yield(values)
	}
	for i := first; i < len(values); i++ {
		values[first], values[i] = values[i], values[first]
		if !permute(values, first+1, yield) {
			return false
		}
		values[first], values[i] = values[i], values[first]
	}
	return true
}
