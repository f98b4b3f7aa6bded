package scale

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Spread counts times, each to within a fiftieth.
type Spread struct {
	counts map[int]float64
	number float64
	sum    float64
}

const fine = 0.02

// Add counts a time, so often.
func (s *Spread) Add(d time.Duration, times float64) {
	if times <= 0 {
		return
	}
	if s.counts == nil {
		s.counts = make(map[int]float64)
	}
	s.counts[int(math.Round(math.Log(max(1, float64(d)))/math.Log1p(fine)))] += times
	s.number += times
	s.sum += times * float64(d)
}

// Part returns the time that such a part of all do not exceed: 0.99 for the 99th percentile; 0 if there is none.
func (s *Spread) Part(part float64) time.Duration {
	left := part * s.number
	for _, at := range slices.Sorted(maps.Keys(s.counts)) {
		if left -= s.counts[at]; left <= 0 {
			return time.Duration(math.Pow(1+fine, float64(at)))
		}
	}
	return 0
}

// Mean returns the mean of all.
func (s *Spread) Mean() time.Duration {
	if s.number == 0 {
		return 0
	}
	return time.Duration(s.sum / s.number)
}
