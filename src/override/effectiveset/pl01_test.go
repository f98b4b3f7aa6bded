package effectiveset

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// editedByHand are expected files of which EnvGene's own differ in the order of keys and in quotes: they are compared as data.
var editedByHand = []string{"runtime/monitoring-origin/MONITORING/parameters.yaml", "runtime/pg/postgres/parameters.yaml"}

// TestRealRepository calculates the set of an environment of EnvGene's own tests.
func TestRealRepository(t *testing.T) {
	custom, err := value.ParseJSON(mustRead(t, "testdata/pl-01/custom-params.json"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := Calculate(Input{Repo: os.DirFS("testdata/pl-01/repo"), Cluster: "cluster-01", Name: "pl-01", SBOMs: os.DirFS("testdata/pl-01/repo/sboms"),
		Session: "6d5a6ce9-0b55-429d-8877-f7a88dae3d9c", Custom: custom})
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	err = fs.WalkDir(os.DirFS("testdata/pl-01/expected"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			want[path] = string(mustRead(t, filepath.Join("testdata/pl-01/expected", path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		got, made := set.Files[name]
		switch {
		case !made:
			t.Errorf("%s was not made", name)
		case slices.Contains(editedByHand, name):
			if !equalData(t, string(got), text) {
				t.Errorf("%s: %s", name, difference(string(got), text))
			}
		case string(got) != text:
			t.Errorf("%s: %s", name, difference(string(got), text))
		}
	}
	for name := range set.Files {
		if _, wanted := want[name]; !wanted {
			t.Errorf("%s was made, and is none of the set", name)
		}
	}
	for _, f := range set.Findings {
		t.Logf("%s: %s: %s", f.Reason, f.Position, f.Message)
	}
}

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// equalData reports whether two texts of YAML are the same data.
func equalData(t *testing.T, a, b string) bool {
	t.Helper()
	var values [2]*value.Value
	for i, text := range []string{a, b} {
		read, err := yaml.ParseClassic("", []byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		values[i] = value.NewMap()
		if len(read) > 0 {
			values[i] = sorted(read[0])
		}
	}
	return value.Equal(values[0], values[1])
}

// difference shows where two texts differ first.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			end := func(lines []string) string { return strings.Join(lines[min(i, len(lines)):min(i+4, len(lines))], "\n") }
			return "line " + string(rune('0'+i%10)) + "\ngot:\n" + end(g) + "\nwant:\n" + end(w)
		}
	}
	return "nowhere"
}
