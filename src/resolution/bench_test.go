package resolution_test

import (
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution"
)

// BenchmarkResolve resolves over sources that were read before.
func BenchmarkResolve(b *testing.B) {
	for _, c := range []struct {
		name    string
		catalog catalog
		options resolution.Options
	}{
		{"sat/1000x5", catalog{packages: 1000, versions: 5, roots: 20, seed: 1, mode: modeSat}, resolution.Options{}},
		{"sat/5000x5", catalog{packages: 5000, versions: 5, roots: 20, seed: 1, mode: modeSat}, resolution.Options{}},
		{"explained/5000x5", catalog{packages: 5000, versions: 5, roots: 20, seed: 1, mode: modeSat}, resolution.Options{Explain: true}},
		{"unsat/5000x5", catalog{packages: 5000, versions: 5, roots: 20, seed: 1, mode: modeUnsat}, resolution.Options{}},
		{"maze/5000x5", catalog{packages: 5000, versions: 5, roots: 20, seed: 1, mode: modeMaze, pigeons: 6}, resolution.Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			problem, err := parse(c.catalog.document())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				out, err := resolution.Resolve(b.Context(), problem, c.options)
				if err != nil || out.TimedOut || (out.Unsat != nil) != (c.catalog.mode != modeSat) {
					b.Fatal(out, err)
				}
			}
		})
	}
}

// BenchmarkTimeLimit tells how long after its limit a resolution stops that finds no answer.
func BenchmarkTimeLimit(b *testing.B) {
	problem, err := parse(catalog{packages: 5000, versions: 5, roots: 20, seed: 1, mode: modeMaze, pigeons: 14}.document())
	if err != nil {
		b.Fatal(err)
	}
	const limit = 300 * time.Millisecond
	for b.Loop() {
		out, err := resolution.Resolve(b.Context(), problem, resolution.Options{Timeout: limit})
		if err != nil || !out.TimedOut {
			b.Fatal(out, err)
		}
	}
	b.ReportMetric(float64((b.Elapsed()/time.Duration(b.N)-limit).Microseconds())/1000, "ms-late/op")
}

// BenchmarkParse reads sources.
func BenchmarkParse(b *testing.B) {
	v := catalog{packages: 5000, versions: 5, roots: 20, seed: 1, mode: modeSat}.document()
	for b.Loop() {
		if _, err := parse(v); err != nil {
			b.Fatal(err)
		}
	}
}
