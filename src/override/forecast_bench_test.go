package override_test

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apitest"
	"github.com/dovetail-store/dovetail/src/override"
)

// benchEnvironments is how many environments BenchmarkImpact has, each of them that of EnvGene's own tests.
const benchEnvironments = 1000

// BenchmarkImpact asks what a change of one environment among many does, of a ParamSet of the site that one of them uses, and of one that all use, for the first time and again.
func BenchmarkImpact(b *testing.B) {
	const portion = 100
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
			for b.Loop() {
				c := newClient(b, override.Stored{Store: s}, options)
				if answer := impactOf(b, c, "", test.body); answer.Changed != test.changed || answer.Failed > 0 {
					b.Fatalf("%d have differences, and %d problems", answer.Changed, answer.Failed)
				}
			}
		})
		b.Run(test.name+", again", func(b *testing.B) {
			c := newClient(b, override.Stored{Store: s}, options)
			impactOf(b, c, "", test.body)
			for b.Loop() {
				if answer := impactOf(b, c, "", test.body); answer.Changed != test.changed || answer.Failed > 0 {
					b.Fatalf("%d have differences, and %d problems", answer.Changed, answer.Failed)
				}
			}
		})
	}
}
