package solver_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
)

// BenchmarkResolve resolves over sources that were read before.
func BenchmarkResolve(b *testing.B) {
	for _, c := range []struct {
		name    string
		catalog synthetic.Options
		options solver.Options
	}{
		{"sat/1000x5", synthetic.Options{Packages: 1000, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Sat}, solver.Options{}},
		{"sat/5000x5", synthetic.Options{Packages: 5000, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Sat}, solver.Options{}},
		{"explained/5000x5", synthetic.Options{Packages: 5000, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Sat}, solver.Options{Explain: true}},
		{"unsat/5000x5", synthetic.Options{Packages: 5000, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Unsat}, solver.Options{}},
		{"maze/5000x5", synthetic.Options{Packages: 5000, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Maze, Pigeons: 6}, solver.Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			problem, err := parse(synthetic.Problem(c.catalog))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				out, err := solver.Resolve(b.Context(), problem, c.options)
				if err != nil || out.TimedOut || (out.Unsat != nil) != (c.catalog.Mode != synthetic.Sat) {
					b.Fatal(out, err)
				}
			}
		})
	}
}

// BenchmarkTimeLimit measures how long after its time limit a resolution without an answer stops.
func BenchmarkTimeLimit(b *testing.B) {
	problem, err := parse(synthetic.Problem(synthetic.Options{Packages: 5000, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Maze, Pigeons: 14}))
	if err != nil {
		b.Fatal(err)
	}
	const limit = 300 * time.Millisecond
	for b.Loop() {
		out, err := solver.Resolve(b.Context(), problem, solver.Options{Timeout: limit})
		if err != nil || !out.TimedOut {
			b.Fatal(out, err)
		}
	}
	b.ReportMetric(float64((b.Elapsed()/time.Duration(b.N)-limit).Microseconds())/1000, "ms-late/op")
}

// BenchmarkParse reads sources.
func BenchmarkParse(b *testing.B) {
	v := synthetic.Problem(synthetic.Options{Packages: 5000, Versions: 5, Roots: 20, Seed: 1, Mode: synthetic.Sat})
	for b.Loop() {
		if _, err := parse(v); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExplanationOfChain explains why a chain of needs to a package that is not there cannot be fulfilled: all of them are the reason.
func BenchmarkExplanationOfChain(b *testing.B) {
	for _, n := range []int{200, 2000, 20000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			last := object{"required": object{"name": "ghost"}}
			problem, err := parse(fromJSON(object{"sources": []any{object{"name": "cat", "packages": chain("p", n, last)}}, "spec": object{"constraints": []any{`required("p00")`}}}))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if out, err := solver.Resolve(b.Context(), problem, solver.Options{}); err != nil || out.Unsat.Incomplete || len(out.Unsat.Facts) != n {
					b.Fatal(out, err)
				}
			}
		})
	}
}
