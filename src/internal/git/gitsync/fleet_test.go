package gitsync_test

import (
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// fleet are the files of n environments of 20 clusters, each with the files of the sample's environment env-01 or, as every tenth, pl-01, which has an effective set.
func fleet(t testing.TB, n int) iter.Seq2[string, string] {
	files := sample(t)
	return func(yield func(string, string) bool) {
		for name, text := range files {
			_, own := instancerepo.EnvironmentOf(name)
			if !own && !strings.HasPrefix(name, "regdefs/") && !yield(name, text) {
				return
			}
		}
		for i := range n {
			from := "environments/cluster-01/env-01/"
			if i%10 == 9 {
				from = "environments/cluster-01/pl-01/"
			}
			for name, text := range files {
				rest, own := strings.CutPrefix(name, from)
				if own && !yield(fmt.Sprintf("environments/cluster-%02d/env-%05d/%s", i%20, i, rest), strings.ReplaceAll(text, "env-01", fmt.Sprintf("env-%05d", i))) {
					return
				}
			}
		}
	}
}

// processor is the time that this process has had of processors.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// measured reports the processor time and the largest heap of something.
func measured(b *testing.B, do func()) {
	b.Helper()
	before := processor()
	peak := testheap.Peak(do)
	b.ReportMetric((processor() - before).Seconds(), "cpu-s")
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
}

// BenchmarkFleet attaches a repository of 10,000 environments, compares the store with it, and follows a commit that changes a file of each.
func BenchmarkFleet(b *testing.B) {
	n := 10_000
	if text := os.Getenv("DOVETAIL_BENCH_ENVIRONMENTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	bench := &bench{Remote: gittest.NewLarge(b, fleet(b, n)), t: b, local: b.TempDir() + "/local.git"}
	bench.openStore(nil)
	var repository *gitrepo.Repository
	step := func(name string, do func() error) {
		b.Run(name, func(b *testing.B) {
			measured(b, func() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	step("clone", func() (err error) {
		repository, err = gitrepo.Open(b.Context(), gitrepo.Options{URL: bench.Dir, Dir: bench.local})
		return err
	})
	step("attach", func() (err error) {
		bench.a, err = gitsync.New(b.Context(), bench.store, repository, gitsync.Options{URL: bench.Dir, Branch: "main"})
		return err
	})
	step("compare", func() error { return bench.a.Compare(b.Context()) })
	bench.Import("foreign", func(yield func(string, string) bool) {
		for i := range n {
			if !yield(fmt.Sprintf("environments/cluster-%02d/env-%05d/Inventory/parameters/new.yml", i%20, i), fmt.Sprintf("name: new\nparameters: {N: %d}\n", i)) {
				return
			}
		}
	})
	step("follow", func() error { return bench.a.Sync(b.Context()) })
	if status := string(bench.get("instanceRepository/attached").Status); !strings.Contains(status, bench.Head()) {
		b.Errorf("the store follows %.1500s", status)
	}
	if data, err := os.ReadFile("/proc/self/status"); err == nil {
		_, hwm, _ := strings.Cut(string(data), "VmHWM:")
		b.Logf("resident at most, with all that the test holds: %s", strings.TrimSpace(hwm[:strings.IndexByte(hwm, '\n')]))
	}
}
