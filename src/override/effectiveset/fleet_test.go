package effectiveset

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// fleetOf gives environments that are like that of EnvGene's own tests, with three more applications, each with its own name in all files.
func fleetOf(b *testing.B) (environment func(i int) (repo fs.FS, name string), sboms fs.FS) {
	b.Helper()
	const root, folder = "testdata/pl-01/repo", "environments/cluster-01/pl-01/"
	files := make(map[string]string)
	read := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := mustRead(b, root+"/"+path)
		if name, is := strings.CutPrefix(path, "sboms/"); is {
			read[name] = &fstest.MapFile{Data: text}
		} else {
			files[path] = string(text)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	const version = "pg16-2.10.5-20241215.141230-3-RELEASE"
	for i := range 3 {
		name := fmt.Sprintf("postgres-%d", i)
		read[name+"/"+name+"-"+version+".sbom.json"] = read["postgres/postgres-"+version+".sbom.json"]
		for path := range maps.Clone(files) {
			if strings.HasPrefix(path, folder+"Inventory/solution-descriptor/") {
				files[path] += "\n  - version: " + name + ":" + version + "\n    deployPostfix: pg"
			}
		}
	}
	return func(i int) (fs.FS, string) {
		name := fmt.Sprintf("e-%05d", i)
		own := fstest.MapFS{}
		for path, text := range files {
			own[strings.ReplaceAll(path, "pl-01", name)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "pl-01", name))}
		}
		return own, name
	}, read
}

// BenchmarkFleet calculates 10,000 environments of 5 applications, one of them with 45 services, on two goroutines, which share nothing but SBOMs. Only the texts of
// the sets count that are being made. DOVETAIL_BENCH_ENVIRONMENTS is another number of environments.
func BenchmarkFleet(b *testing.B) {
	const workers = 2
	environments := 10_000
	if text := os.Getenv("DOVETAIL_BENCH_ENVIRONMENTS"); text != "" {
		var err error
		if environments, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	environment, files := fleetOf(b)
	for b.Loop() {
		var before, after syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
		peak := testheap.Peak(func() {
			sboms := NewSBOMs(files)
			next := make(chan int)
			var group sync.WaitGroup
			for range workers {
				group.Go(func() {
					for i := range next {
						repo, name := environment(i)
						set, err := Calculate(Input{Repo: repo, Cluster: "cluster-01", Name: name, SBOMs: sboms.Recording(), Session: "a-session"})
						if err != nil {
							b.Error(err)
						} else if n := strings.Count(string(set.Files["deployment/mapping.yaml"]), name); n == 0 || len(set.Files) < 30 {
							b.Errorf("%s has %d files", name, len(set.Files))
						}
					}
				})
			}
			for i := range environments {
				if b.Failed() {
					break
				}
				next <- i
			}
			close(next)
			group.Wait()
		})
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
		b.ReportMetric(float64(after.Utime.Nano()+after.Stime.Nano()-before.Utime.Nano()-before.Stime.Nano())/1e9, "cpu-s")
		b.ReportMetric(float64(peak)/1e6, "peak-MB")
	}
}
