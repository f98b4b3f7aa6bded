package solver_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestCases runs the conformance cases; their README explains the fields.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/deppy/cases/*.yaml")
	if err != nil || len(files) != 85 {
		t.Fatalf("%d cases, %v, want 85", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			v := readCase(t, file)
			problem, err := parse(v)
			want := v.Get("expected")
			if expected := want.Get("error"); expected != nil {
				reason, index, ok := solver.FaultOf(err)
				if !ok || reason != text(expected.Get("reason")) || strconv.Itoa(index) != expected.Get("index").Text {
					t.Errorf("got %s %d (%v), want %s", reason, index, err, expected.JSON())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Message) > solver.MaxMessage || got.Message == "" {
				t.Errorf("the message has %d bytes: %s", len(got.Message), got.Message)
			}
			if expected := want.Get("unsat"); expected != nil {
				checkUnsat(t, got.Unsat, expected)
				return
			}
			if !slices.Equal(names(got.Selections), list(want.Get("selections"))) || !got.Resolved() {
				t.Errorf("got %s\n%s\nwant %s", names(got.Selections), got.Message, list(want.Get("selections")))
			}
		})
	}
}

func checkUnsat(t *testing.T, got *solver.Unsat, want *value.Value) {
	t.Helper()
	if got == nil {
		t.Fatal("there is a solution")
	}
	var core []string
	for _, i := range got.Core {
		core = append(core, strconv.Itoa(i))
	}
	if !slices.Equal(core, list(want.Get("core"))) {
		t.Errorf("core %s, want %s", core, list(want.Get("core")))
	}
	for _, name := range list(want.Get("mentions")) {
		if !slices.Contains(got.Packages, name) || !strings.Contains(got.Message, name) {
			t.Errorf("%s is not mentioned in %s %s", name, got.Packages, got.Message)
		}
	}
	var stages, wanted []string
	for _, m := range got.NoMatch {
		stages = append(stages, strconv.Itoa(m.Constraint)+" "+string(m.Stage))
	}
	if v := want.Get("noMatch"); v != nil {
		for _, m := range v.Items {
			wanted = append(wanted, m.Get("constraint").Text+" "+text(m.Get("stage")))
		}
	}
	if !slices.Equal(stages, wanted) {
		t.Errorf("noMatch %s, want %s", stages, wanted)
	}
	t.Log(got.Message)
}

func readCase(t testing.TB, file string) *value.Value {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := yaml.Parse(file, data, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return docs[0]
}

// parse makes the problem of a case.
func parse(v *value.Value) (*solver.Problem, error) {
	parser := solver.NewParser()
	var sources []*solver.Source
	for _, source := range v.Get("sources").Items {
		sources = append(sources, parser.Source(source))
	}
	spec, _ := solver.ParseSpec(v.Get("spec")) // NewProblem repeats the error
	return solver.NewProblem(spec, sources)
}

func names(selections []solver.Selection) []string {
	var out []string
	for _, s := range selections {
		out = append(out, s.String())
	}
	return out
}

func list(v *value.Value) []string {
	var out []string
	if v != nil {
		for _, item := range v.Items {
			out = append(out, item.Text)
		}
	}
	return out
}

func text(v *value.Value) string {
	s, _ := v.Str()
	return s
}
