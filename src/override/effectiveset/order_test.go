package effectiveset

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// shuffled are files whose folders are listed in orders that are drawn.
type shuffled struct {
	fs.FS
	draw *rapid.T
}

// ReadDir is fs.ReadDirFS.
func (s shuffled) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	if len(entries) > 1 {
		entries = rapid.Permutation(entries).Draw(s.draw, name)
	}
	return entries, err
}

// inputs are the real environment, and those of the cases, by their names.
func inputs(t *testing.T) map[string]Input {
	t.Helper()
	all := map[string]Input{"pl-01": *realInput()}
	read, err := yaml.Parse("cases.yaml", mustRead(t, "testdata/cases.yaml"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	cluster, name, _ := strings.Cut(text(read[0].Get("environment")), "/")
	for _, c := range read[0].Get("cases").Items {
		files := fstest.MapFS{}
		for _, from := range []*value.Value{read[0].Get("base"), c.Get("files")} {
			if from != nil {
				for _, m := range from.Members {
					files[m.Name] = &fstest.MapFile{Data: []byte(m.Value.Text)}
				}
			}
		}
		for _, path := range items(c.Get("remove")) {
			delete(files, path.Text)
		}
		in := Input{Repo: files, Cluster: cluster, Name: name, Session: text(read[0].Get("session"))}
		if sboms, err := files.Sub("sboms"); err == nil {
			in.SBOMs = sboms
		}
		withArgs(t, &in, files, items(c.Get("args")))
		all[text(c.Get("name"))] = in
	}
	return all
}

// TestCalculationDoesNotDependOnTheOrderOfFiles lists folders in any order: files, findings and errors are the same.
func TestCalculationDoesNotDependOnTheOrderOfFiles(t *testing.T) {
	all := inputs(t)
	type outcome struct {
		files  map[string]string
		rest   string
		failed string
	}
	calculate := func(in Input) outcome {
		set, err := Calculate(in)
		made := outcome{files: make(map[string]string), failed: fmt.Sprint(err)}
		if set != nil {
			for name, text := range set.Files {
				made.files[name] = string(text)
			}
			made.rest = fmt.Sprint(set.Findings)
		}
		return made
	}
	wanted := make(map[string]outcome)
	for name, in := range all {
		wanted[name] = calculate(in)
	}
	names := slices.Sorted(maps.Keys(all))
	if len(names) < 60 {
		t.Fatalf("there are only %d inputs", len(names))
	}
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom(names).Draw(r, "case")
		in := all[name]
		in.Repo = shuffled{in.Repo, r}
		got, want := calculate(in), wanted[name]
		for file := range want.files {
			if got.files[file] != want.files[file] {
				r.Errorf("%s: %s is\n%s\nand not\n%s", name, file, got.files[file], want.files[file])
			}
		}
		if len(got.files) != len(want.files) || got.rest != want.rest || got.failed != want.failed {
			r.Errorf("%s: %d files instead of %d; %s instead of %s; %s instead of %s", name, len(got.files), len(want.files), got.rest, want.rest, got.failed, want.failed)
		}
	})
}

// TestShuffledListsInOtherOrders sees that the orders above are others.
func TestShuffledListsInOtherOrders(t *testing.T) {
	orders := make(map[string]bool)
	rapid.Check(t, func(r *rapid.T) {
		entries, err := shuffled{os.DirFS("testdata/pl-01/repo/environments/cluster-01/pl-01"), r}.ReadDir(".")
		if err != nil {
			r.Fatal(err)
		}
		orders[fmt.Sprint(entries)] = true
	})
	if len(orders) < 10 {
		t.Errorf("only %d orders were drawn", len(orders))
	}
}
