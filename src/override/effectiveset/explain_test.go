package effectiveset

import (
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestExplain explains every value of a real set: the step that won says what the file has, unless macros, lists or credentials are in between. All levels that the set has occur.
func TestExplain(t *testing.T) {
	const repo = "testdata/pl-01/repo"
	set, err := Calculate(Input{Repo: os.DirFS(repo), Cluster: "cluster-01", Name: "pl-01", SBOMs: os.DirFS(repo + "/sboms"), Origins: true})
	if err != nil {
		t.Fatal(err)
	}
	levels, count := checkExplained(t, set)
	for _, level := range []Level{LevelTenant, LevelCloud, LevelNamespace, LevelSBOM, LevelCalculated} {
		if levels[level] == "" {
			t.Errorf("nothing is of the level %s", level)
		}
	}
	if count < 500 {
		t.Errorf("%d values", count)
	}
}

// checkExplained explains every value of a set, and returns the levels that occur and how many values there are.
func checkExplained(t *testing.T, set *Set) (levels map[Level]string, count int) {
	t.Helper()
	levels = make(map[Level]string)
	for name := range set.Files {
		if strings.HasPrefix(name, "topology/") || strings.HasPrefix(name, "external-credential/") || strings.HasSuffix(name, "mapping.yaml") || strings.HasSuffix(name, "deploy-descriptor.yaml") {
			continue
		}
		explained, err := set.Explanations(name, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range explained {
			count++
			if len(e.Chain) == 0 {
				t.Errorf("%s%s is from nowhere", name, e.Path)
				continue
			}
			last := e.Chain[len(e.Chain)-1]
			levels[Level(last.Level)] = name + e.Path
			if !last.Effective {
				t.Errorf("%s%s: %+v has not won", name, e.Path, last)
			}
			for _, m := range last.Macros {
				if len(m.Chain) == 0 {
					t.Errorf("%s%s: %s refers to nothing", name, e.Path, m.Macro)
				}
			}
			if len(last.Macros) > 0 || last.Value == nil || e.Value.Kind == value.List || e.Value.Kind == value.Map || last.Value.Kind == value.Map || last.Path != "" {
				continue
			}
			if !value.Equal(last.Value, e.Value) && !strings.Contains(last.Value.Text, `\`) {
				t.Errorf("%s%s is %s, and %s says %s", name, e.Path, e.Value.JSON(), last.Name, last.Value.JSON())
			}
		}
	}
	return levels, count
}
