package gitsync_test

import (
	"fmt"
	"iter"
	"maps"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// joined are files of several sources.
func joined(all ...iter.Seq2[string, string]) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, files := range all {
			for name, text := range files {
				if !yield(name, text) {
					return
				}
			}
		}
	}
}

// manyFiles are so many files of a few bytes below a folder, a thousand in each folder.
func manyFiles(root string, n int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range n {
			if !yield(fmt.Sprintf("%s/%04d/%03d.yml", root, i/1000, i%1000), fmt.Sprintf("name: f%d\n", i)) {
				return
			}
		}
	}
}

// hostileRepositories are what an attacker might push to exhaust the memory of a server.
func hostileRepositories(megabytes, files, depth int) map[string]iter.Seq2[string, string] {
	large := "name: large\nparameters:\n" + strings.Repeat("  ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHI: 1\n", megabytes<<20/68)
	return map[string]iter.Seq2[string, string]{
		"a large file":                  maps.All(map[string]string{"environments/c1/dev/Inventory/parameters/large.yml": large}),
		"a large file of no document":   maps.All(map[string]string{"docs/large.bin": large}),
		"many files of no document":     manyFiles("docs", files),
		"many files of one environment": manyFiles("environments/c1/dev/Inventory/parameters", files),
		"many files of the site":        manyFiles("environments/parameters", files),
		"deep folders":                  maps.All(map[string]string{"environments/c1/dev/" + strings.Repeat("d/", depth) + "f.yml": "name: f\n"}),
	}
}

// TestLargeFile: a file that is too large for any document is named, and not read, when a repository is attached and when a commit of others brings it; nothing is written in its place.
func TestLargeFile(t *testing.T) {
	const megabytes, most = 24, 60 << 20
	const name, added = "environments/c1/dev/Inventory/parameters/large.yml", "environments/parameters/added.yml"
	large := hostileRepositories(megabytes, 0, 0)["a large file"]
	b := &bench{Remote: gittest.NewLarge(t, joined(maps.All(small), large)), t: t, local: t.TempDir() + "/local.git"}
	b.openStore(nil)
	bounded := func(what string, do func() error) {
		t.Helper()
		peak := testheap.Peak(func() {
			if err := do(); err != nil {
				t.Error(err)
			}
		})
		if peak > most {
			t.Errorf("%s took %d MB", what, peak>>20)
		}
	}
	bounded("attaching", func() error { return b.attach(gitsync.Options{}) })
	b.Import("more", func(yield func(string, string) bool) {
		for _, text := range large {
			yield(added, text)
		}
	})
	bounded("following", func() error { return b.a.Sync(t.Context()) })
	named := make(map[string]string)
	for _, d := range b.recorded().Defects.First {
		if d.Reason == instancerepo.ReasonFileMalformed {
			named[d.File] = d.Message
		}
	}
	if len(named) != 2 || !strings.Contains(named[name], "bytes, more than the 16777216 that are allowed") || named[added] != named[name] {
		t.Errorf("named are %v", named)
	}
	before := b.Head()
	id := dovetail.ID("cluster/c1/environment/dev/environmentParamSet/large")
	_, err := b.apply(t.Context(), b.put(id, `{"name":"large","parameters":{"A":1}}`))
	if dovetail.CodeOf(err) != dovetail.CodeUnprocessable || !strings.Contains(err.Error(), "its file has") || b.Head() != before {
		t.Errorf("it was written over: %v", err)
	}
	b.must(b.put(own, `{"name":"own","parameters":{"A":"beside it"}}`))
}

// TestTooManyFiles: a commit with more files in one environment, or in none, than are read together is refused, and the store stays where it is until they have gone.
func TestTooManyFiles(t *testing.T) {
	t.Parallel()
	const most, portion = 40, 1000 // of which some may be of environments before
	for _, test := range []struct {
		name, folder, want string
		files              int
	}{
		{"one environment", "environments/c1/dev/Inventory/parameters", "the environment c1/dev has more than 40 files", most + portion},
		{"the site", "environments/parameters", "what is in no environment has more than 40 files", most + 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newRemote(t, small)
			b.openStore(nil)
			if err := b.attach(gitsync.Options{MaxTogether: most}); err != nil {
				t.Fatal(err)
			}
			many := manyFiles(test.folder, test.files)
			b.Import("many", many)
			if err := b.a.Sync(t.Context()); dovetail.CodeOf(err) != dovetail.CodeUnprocessable || !strings.Contains(err.Error(), test.want) {
				t.Errorf("it gives %v", err)
			}
			if b.recorded().Head == b.Head() {
				t.Error("the store follows it")
			}
			fresh := &bench{Remote: b.Remote, t: t, local: t.TempDir() + "/local.git"}
			fresh.openStore(nil)
			if err := fresh.attach(gitsync.Options{MaxTogether: most}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("attached again it gives %v", err)
			}
			b.Import("fewer", func(yield func(string, string) bool) {
				for name := range many {
					if !yield(name, gittest.Gone) {
						return
					}
				}
			})
			if err := b.a.Sync(t.Context()); err != nil || b.recorded().Head != b.Head() {
				t.Errorf("without them: %v", err)
			}
			b.must(b.put(own, `{"name":"own","parameters":{"A":"after"}}`))
		})
	}
}

// BenchmarkHostile clones and attaches repositories of hostile sizes: a file of 200 MB, 1,000,000 files, 3,000 folders in each other.
func BenchmarkHostile(b *testing.B) {
	for name, files := range hostileRepositories(200, 1_000_000, 1500) {
		b.Run(name, func(b *testing.B) {
			bench := &bench{Remote: gittest.NewLarge(b, joined(maps.All(small), files)), t: b, local: b.TempDir() + "/local.git"}
			bench.openStore(nil)
			measured(b, func() {
				repository, err := gitrepo.Open(b.Context(), gitrepo.Options{URL: bench.Dir, Dir: bench.local})
				if err == nil {
					bench.a, err = gitsync.New(b.Context(), bench.store, repository, gitsync.Options{URL: bench.Dir, Branch: "main"})
				}
				text := fmt.Sprint(err)
				b.Logf("%.300s", text)
			})
			if bench.a != nil {
				b.Logf("%d defects, first %.300v", bench.recorded().Defects.Total, bench.recorded().Defects.First)
			}
		})
	}
}
