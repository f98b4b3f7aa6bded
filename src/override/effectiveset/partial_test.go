package effectiveset

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	monitoring = "  - {version: 'MONITORING:0.91.0-delivery-20241115.141230-4-RELEASE', deployPostfix: monitoring}\n"
	postgres   = "  - {version: 'postgres:pg16-2.10.5-20241215.141230-3-RELEASE', deployPostfix: pg}\n"
	pl01       = "environments/cluster-01/pl-01/"
)

// realRepository is that of EnvGene's own tests, with another solution descriptor.
func realRepository(t *testing.T, applications string) (Input, fstest.MapFS) {
	t.Helper()
	files := inMemory(t, os.DirFS("testdata/pl-01/repo"))
	for _, name := range []string{"sd.yml", "sd.yaml"} {
		delete(files, pl01+"Inventory/solution-descriptor/"+name)
	}
	files[pl01+"Inventory/solution-descriptor/sd.yaml"] = &fstest.MapFile{Data: []byte("applications:\n" + applications)}
	return Input{Repo: files, Cluster: "cluster-01", Name: "pl-01", SBOMs: os.DirFS("testdata/pl-01/repo/sboms"), Session: "s"}, files
}

func descriptorOf(t *testing.T, applications string) *value.Value {
	t.Helper()
	read, err := yaml.ParseClassic("delta_sd.yaml", []byte("applications:\n"+applications), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return read[0]
}

func calculated(t *testing.T, in Input) *Set {
	t.Helper()
	set, err := Calculate(in)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// outdatedOf are the places that findings call outdated.
func outdatedOf(set *Set) (all []string) {
	for _, f := range set.Findings {
		if f.Reason == PartOutdated {
			all = append(all, f.Position.File)
		}
	}
	return all
}

// TestParts: a set that was there, united with the part of a delta, is the set that is calculated as a whole, where nothing but the delta has changed.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		before, after string // the applications of the descriptor
		delta         string
		excluded      bool
	}{
		{name: "an application is added", before: monitoring, after: monitoring + postgres, delta: postgres},
		{name: "one of a blue-green domain is added", before: postgres, after: monitoring + postgres, delta: monitoring},
		{name: "all of them", before: "  []\n", after: monitoring + postgres, delta: monitoring + postgres},
		{name: "one again", before: monitoring + postgres, after: monitoring + postgres, delta: postgres},
		{name: "one is excluded", before: monitoring + postgres, after: monitoring, delta: postgres, excluded: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			old, _ := realRepository(t, tt.before)
			in, _ := realRepository(t, tt.after)
			want := calculated(t, in)
			in.Descriptor, in.DescriptorFile = descriptorOf(t, tt.delta), "delta_sd.yaml"
			set, err := CalculatePart(in, Partial{Before: calculated(t, old).Files, Excluded: tt.excluded, Session: "s"})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range want.Files {
				if got, made := set.Files[name]; !made || string(got) != string(text) {
					t.Errorf("%s (made: %v): %s", name, made, difference(string(got), string(text)))
				}
			}
			for name := range set.Files {
				if _, wanted := want.Files[name]; !wanted {
					t.Errorf("%s is left over", name)
				}
			}
			if left := outdatedOf(set); len(left) > 0 {
				t.Errorf("%v are outdated", left)
			}
		})
	}
}

// TestPartsOutdated: what has changed beside the delta is kept, and named.
func TestPartsOutdated(t *testing.T) {
	t.Parallel()
	in, files := realRepository(t, monitoring+postgres)
	before := calculated(t, in)
	const name = pl01 + "Namespaces/pg/namespace.yml"
	files[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(files[name].Data), "deployParameters:", "deployParameters:\n  ADDED_SINCE: 'yes'", 1))}
	in.Descriptor, in.DescriptorFile = descriptorOf(t, monitoring), "delta_sd.yaml"
	set, err := CalculatePart(in, Partial{Before: before.Files, Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if got := outdatedOf(set); !slices.Contains(got, "deployment/pg/postgres") {
		t.Errorf("outdated are %v", got)
	}
	if !maps.EqualFunc(set.Files, before.Files, func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Error("more than the delta has changed")
	}
}

// TestPartsRefuse: what cannot be read of the delta or of the set that is there is refused, with its place.
func TestPartsRefuse(t *testing.T) {
	t.Parallel()
	in, _ := realRepository(t, monitoring)
	for _, tt := range []struct {
		name, delta string
		before      map[string][]byte
		says        string
	}{
		{name: "a delta without versions", delta: "  - {deployPostfix: pg}\n", says: "delta_sd.yaml:2:5"},
		{name: "a mapping that is none", delta: monitoring, before: map[string][]byte{"runtime/mapping.yaml": []byte("- a\n")}, says: "runtime/mapping.yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			part := in
			part.Descriptor, part.DescriptorFile = descriptorOf(t, tt.delta), "delta_sd.yaml"
			if _, err := CalculatePart(part, Partial{Before: tt.before, Session: "s"}); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v", err)
			}
		})
	}
}
