package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// results are what `go test -bench` printed, once or several times one after the other.
type results struct {
	// values holds, for each benchmark without "Benchmark" and the number of processors, and for each of its units, one
	// value for each round.
	values map[string]map[string][]float64
	// facts are the lines before the results: goos, goarch, cpu.
	facts map[string]string
	// processors is GOMAXPROCS of the run.
	processors int
}

var (
	resultLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-(\d+))?\s+\d+\s+(.+)$`)
	factLine   = regexp.MustCompile(`^(goos|goarch|cpu): (.+)$`)
)

func parse(from io.Reader) (*results, error) {
	r := &results{values: map[string]map[string][]float64{}, facts: map[string]string{}, processors: 1}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if fact := factLine.FindStringSubmatch(line); fact != nil {
			r.facts[fact[1]] = fact[2]
			continue
		}
		result := resultLine.FindStringSubmatch(line)
		if result == nil {
			continue
		}
		if result[2] != "" {
			var err error
			if r.processors, err = strconv.Atoi(result[2]); err != nil {
				return nil, err
			}
		}
		if r.values[result[1]] == nil {
			r.values[result[1]] = map[string][]float64{}
		}
		pairs := strings.Fields(result[3])
		if len(pairs)%2 != 0 {
			return nil, fmt.Errorf("values and units do not pair up: %s", line)
		}
		for i := 0; i < len(pairs); i += 2 {
			value, err := strconv.ParseFloat(pairs[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
			r.values[result[1]][pairs[i+1]] = append(r.values[result[1]][pairs[i+1]], value)
		}
	}
	return r, lines.Err()
}

// median is the middle of a benchmark's rounds; ok is false when there are none.
func (r *results) median(name, unit string) (value float64, ok bool) {
	values := slices.Sorted(slices.Values(r.values[name][unit]))
	if len(values) == 0 {
		return 0, false
	}
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2, true
}

// ratios divides two benchmarks round by round, in ascending order.
func (r *results) ratios(over, under, unit string) []float64 {
	above, below := r.values[over][unit], r.values[under][unit]
	var ratios []float64
	for i := range min(len(above), len(below)) {
		ratios = append(ratios, above[i]/below[i])
	}
	slices.Sort(ratios)
	return ratios
}
