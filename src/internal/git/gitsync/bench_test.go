package gitsync_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// environments are the files of some environments, with overrides that their inventories name.
func environments(n int) map[string]string {
	files := make(map[string]string)
	for i := range n {
		folder := fmt.Sprintf("environments/cluster-%02d/env-%04d/", i%20, i)
		sets := ""
		for p := range 8 {
			files[fmt.Sprintf("%sInventory/parameters/p%d.yaml", folder, p)] = fmt.Sprintf("name: p%d\nparameters:\n  a: %d\n", p, i)
			sets += fmt.Sprintf("      - p%d\n", p)
		}
		files[folder+"Inventory/env_definition.yml"] = fmt.Sprintf("inventory:\n  environmentName: env-%04d\nenvTemplate:\n  envSpecificParamsets:\n    cloud:\n%s", i, sets)
		for _, ns := range []string{"core", "bss", "oss", "billing"} {
			files[folder+"Namespaces/"+ns+"/namespace.yml"] = fmt.Sprintf("name: env-%04d-%s\n", i, ns)
		}
	}
	return files
}

// BenchmarkOverride is the commit of an override with its association, in a repository of 1,000 environments.
func BenchmarkOverride(b *testing.B) {
	files := environments(1000)
	for _, way := range []string{"folder", "http"} {
		b.Run(way, func(b *testing.B) {
			bench := newRemote(b, files)
			bench.openStore(nil)
			url := bench.Dir
			if way == "http" {
				url = bench.Serve()
			}
			repository, err := gitrepo.Open(b.Context(), gitrepo.Options{URL: url, Dir: bench.local})
			if err != nil {
				b.Fatal(err)
			}
			if bench.a, err = gitsync.New(b.Context(), bench.store, repository, gitsync.Options{URL: url, Branch: "main"}); err != nil {
				b.Fatal(err)
			}
			n := 0
			for b.Loop() {
				n++
				i := n % 1000
				e := inventory.Environment{Cluster: fmt.Sprintf("cluster-%02d", i%20), Name: fmt.Sprintf("env-%04d", i)}
				id := dovetail.ID("").Child("cluster", e.Cluster).Child("environment", e.Name)
				const name = "deploy-ui-override"
				association := parameters.AssociationID(e, parameters.Deployment, parameters.Cloud, parameters.ParamSetID(parameters.Location(e), name))
				applied := bench.must(bench.put(id.Child("environmentParamSet", name), fmt.Sprintf(`{"name":%q,"parameters":{"N":%d}}`, name, n)),
					bench.put(id.Child("paramSetAssociation", association), `{"context":"deploy","associatedObject":"cloud","order":8,"environmentParamSet":"`+name+`"}`))
				if applied.Commit == "" {
					b.Fatal("there is no commit")
				}
			}
		})
	}
}

// BenchmarkGroups commits to a repository of 1,000 environments that is reached over HTTP, with one writer and with eight, who share pushes; and as git itself
// does, which commits a file in a clone and pushes it, on the same repository. How many commits a second git makes is in each line.
func BenchmarkGroups(b *testing.B) {
	b.Run("git", func(b *testing.B) {
		bench := &bench{Remote: gittest.NewLarge(b, maps.All(environments(1000))), t: b}
		clone := b.TempDir()
		bench.git(clone, "clone", "-q", bench.Serve(), ".")
		file := filepath.Join(clone, "environments/cluster-01/env-0001/Inventory/parameters/p1.yaml")
		b.ResetTimer()
		for i := range b.N {
			if err := os.WriteFile(file, fmt.Appendf(nil, "name: p1\nparameters:\n  N: %d\n", i), 0o600); err != nil {
				b.Fatal(err)
			}
			bench.git(clone, "commit", "-q", "-a", "-m", "change")
			bench.git(clone, "push", "-q", "origin", "main")
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	})
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			bench := &bench{Remote: gittest.NewLarge(b, maps.All(environments(1000))), t: b, local: b.TempDir() + "/local.git"}
			bench.openStore(nil)
			repository, err := gitrepo.Open(b.Context(), gitrepo.Options{URL: bench.Serve(), Dir: bench.local})
			if err != nil {
				b.Fatal(err)
			}
			if bench.a, err = gitsync.New(b.Context(), bench.store, repository, gitsync.Options{URL: bench.Dir, Branch: "main"}); err != nil {
				b.Fatal(err)
			}
			var n atomic.Int64
			b.ResetTimer()
			before := processor()
			var all sync.WaitGroup
			for range writers {
				all.Go(func() {
					for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
						id := dovetail.ID(fmt.Sprintf("cluster/cluster-%02d/environment/env-%04d/environmentParamSet/p1", i%20, i%1000))
						if _, err := bench.apply(b.Context(), bench.put(id, fmt.Sprintf(`{"name":"p1","parameters":{"N":%d}}`, i))); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			b.ReportMetric((processor()-before).Seconds()*1000/float64(b.N), "cpu-ms/commit")
		})
	}
}

// BenchmarkAttach brings a store to a repository of 1,000 environments, and compares the two.
func BenchmarkAttach(b *testing.B) {
	bench := newBench(b, environments(1000))
	b.ResetTimer()
	for b.Loop() {
		if err := bench.a.Compare(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
