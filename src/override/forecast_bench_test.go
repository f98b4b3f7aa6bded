package override_test

import (
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testheap"
	"github.com/dovetail-store/dovetail/src/override"
)

// environmentsOfBench is how many environments BenchmarkImpact has, each of them that of EnvGene's own tests: 1,000, or DOVETAIL_BENCH_ENVIRONMENTS.
func environmentsOfBench(b *testing.B) int {
	b.Helper()
	text := os.Getenv("DOVETAIL_BENCH_ENVIRONMENTS")
	if text == "" {
		return 1000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// processor is the time that this process has had of processors.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// measure does something b.N times, and reports the processor time of each and the largest heap.
func measure(b *testing.B, do func()) {
	b.Helper()
	before, n := processor(), 0
	peak := testheap.Peak(func() {
		for b.Loop() {
			do()
			n++
		}
	})
	b.ReportMetric((processor()-before).Seconds()/float64(n), "cpu-s/op")
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
}

// BenchmarkImpact asks what a change of one environment among many does, of a ParamSet of the site that one of them uses, and of one that all use, for the first time and again.
func BenchmarkImpact(b *testing.B) {
	const portion = 100
	benchEnvironments := environmentsOfBench(b)
	shared := map[string]string{"environments/parameters/all.yml": "name: all\nparameters: {LEVEL: info}\n", "environments/parameters/rare.yml": "name: rare\nparameters: {RARE: info}\n",
		"environments/c/parameters/none.yml": "parameters: {}\n"}
	s := newStore(b, apitest.OpenBolt(b), shared)
	files := maps.Clone(shared)
	for i := range benchEnvironments {
		for name, text := range realFiles(b) {
			rest, own := strings.CutPrefix(name, "environments/cluster-01/pl-01/")
			if !own {
				continue
			}
			if rest == "Inventory/env_definition.yml" {
				uses := "envSpecificE2EParamsets:\n    cloud:\n      - all"
				if i == 7 {
					uses += "\n      - rare"
				}
				text = strings.Replace(text, "envSpecificE2EParamsets:\n    cloud:", uses, 1)
			}
			files[fmt.Sprintf("environments/c/e%05d/%s", i, rest)] = text
		}
		if (i+1)%portion == 0 {
			load(b, s, files, "cluster/c/environment/")
			files = maps.Clone(shared)
		}
	}
	options := override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms"), ImpactTime: time.Hour}
	for _, test := range []struct {
		name, body string
		changed    int
	}{
		{"one environment", `{"override":{"environmentId":"c/e00007","context":"deploy","parameters":{"LEVEL":"debug"}}}`, 1},
		{"a ParamSet that one uses", `{"paramSet":{"name":"rare","location":"environments/parameters","parameters":{"RARE":"debug"}}}`, 1},
		{"a ParamSet that all use", `{"paramSet":{"name":"all","location":"environments/parameters","parameters":{"LEVEL":"debug"}}}`, benchEnvironments},
	} {
		b.Run(test.name, func(b *testing.B) {
			measure(b, func() {
				c := newClient(b, override.Stored{Store: s}, options)
				if answer := impactOf(b, c, "", test.body); answer.Changed != test.changed || answer.Failed > 0 {
					b.Fatalf("%d have differences, and %d problems", answer.Changed, answer.Failed)
				}
			})
		})
		b.Run(test.name+", again", func(b *testing.B) {
			c := newClient(b, override.Stored{Store: s}, options)
			impactOf(b, c, "", test.body)
			measure(b, func() {
				if answer := impactOf(b, c, "", test.body); answer.Changed != test.changed || answer.Failed > 0 {
					b.Fatalf("%d have differences, and %d problems", answer.Changed, answer.Failed)
				}
			})
		})
	}
}
