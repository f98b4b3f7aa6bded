package override_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
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

// fiveApplications adds three applications to the environment of EnvGene's own tests, and returns the SBOMs of all five.
func fiveApplications(b *testing.B, files map[string]string) fs.FS {
	b.Helper()
	const version = "pg16-2.10.5-20241215.141230-3-RELEASE"
	sboms := fstest.MapFS{}
	for _, name := range []string{"postgres/postgres-" + version, "MONITORING/MONITORING-0.91.0-delivery-20241115.141230-4-RELEASE"} {
		text, err := os.ReadFile(realRepository + "/sboms/" + name + ".sbom.json")
		if err != nil {
			b.Fatal(err)
		}
		sboms[name+".sbom.json"] = &fstest.MapFile{Data: text}
	}
	for i := range 3 {
		name := fmt.Sprintf("postgres-%d", i)
		sboms[name+"/"+name+"-"+version+".sbom.json"] = sboms["postgres/postgres-"+version+".sbom.json"]
		files["environments/cluster-01/pl-01/Inventory/solution-descriptor/sd.yml"] += "\n  - version: " + name + ":" + version + "\n    deployPostfix: pg"
	}
	return sboms
}

// fleetStore fills a store with environments of five applications, all of which use a ParamSet of the site, and one another.
func fleetStore(b *testing.B, backend store.Backend, environments int) (s *store.Store, sboms fs.FS) {
	b.Helper()
	const portion = 100
	copied := realFiles(b)
	sboms = fiveApplications(b, copied)
	shared := map[string]string{"environments/parameters/all.yml": "name: all\nparameters: {LEVEL: info}\n", "environments/parameters/rare.yml": "name: rare\nparameters: {RARE: info}\n",
		"environments/c/parameters/none.yml": "parameters: {}\n"}
	s = newStore(b, backend, shared)
	files := maps.Clone(shared)
	for i := range environments {
		for name, text := range copied {
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
		if (i+1)%portion == 0 || i+1 == environments {
			load(b, s, files, "cluster/c/environment/")
			files = maps.Clone(shared)
		}
	}
	return s, sboms
}

// BenchmarkImpact asks what a change of one environment among many does, of a ParamSet of the site that one of them uses, and of one that all use: for the first time, again, and again
// after one environment has changed. DOVETAIL_BENCH_STORE=mongo does so on MongoDB.
func BenchmarkImpact(b *testing.B) {
	open := apitest.OpenBolt
	if os.Getenv("DOVETAIL_BENCH_STORE") == "mongo" {
		open = mongotest.Open
	}
	environments := environmentsOfBench(b)
	s, sboms := fleetStore(b, open(b), environments)
	options := override.Options{Repository: repositoryOf, SBOMs: sboms, ImpactTime: time.Hour}
	newClient(b, override.Stored{Store: s}, options).must("POST", overrides, "", `{"environmentId":"c/e00003","context":"pipeline","parameters":{"N":0}}`)
	for _, test := range []struct {
		name, body string
		changed    int
	}{
		{"one environment", `{"override":{"environmentId":"c/e00007","context":"deploy","parameters":{"LEVEL":"debug"}}}`, 1},
		{"a ParamSet that one uses", `{"paramSet":{"name":"rare","location":"environments/parameters","parameters":{"RARE":"debug"}}}`, 1},
		{"a ParamSet that all use", `{"paramSet":{"name":"all","location":"environments/parameters","parameters":{"LEVEL":"debug"}}}`, environments},
	} {
		c := newClient(b, override.Stored{Store: s}, options)
		asked := false
		ask := func() {
			asked = true
			if answer := impactOf(b, c, "", test.body); answer.Changed != test.changed || answer.Failed > 0 {
				b.Fatalf("%d have differences, and %d problems: %+v", answer.Changed, answer.Failed, answer.Environments[0].Problems)
			}
		}
		b.Run(test.name, func(one *testing.B) {
			measure(one, func() {
				c = newClient(b, override.Stored{Store: s}, options)
				ask()
			})
		})
		b.Run(test.name+", again", func(one *testing.B) {
			if !asked {
				ask()
			}
			measure(one, ask)
		})
		n := 0
		b.Run(test.name+", after a change of one", func(one *testing.B) {
			if !asked {
				ask()
			}
			measure(one, func() {
				n++
				c.must("PUT", overrides, "", fmt.Sprintf(`{"environmentId":"c/e00003","context":"pipeline","parameters":{"N":%d}}`, n), "*")
				ask()
			})
		})
	}
}
