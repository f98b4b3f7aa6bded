package layering_test

import "math/rand/v2"

// newRandom returns random numbers that are the same in every run.
func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }
