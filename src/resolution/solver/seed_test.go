package solver_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/activator"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// The examples of the document that the resolutions follow, as they are printed there; the first is in a file.
const (
	printedSpec     = "testdata/printed/example-resolution.yaml"
	printedOperator = `apiVersion: deppy.io/v1alpha1
kind: ActiveResolution
metadata:
  name: foo-resolution
spec:
  constraints:
  - required:
      name: "foo-package"
      channel: "platform"
...
`
)

// over resolves a printed example over the sources of a case.
func over(t *testing.T, printed, file string) []solver.Selection {
	t.Helper()
	docs, err := yaml.Parse("example", []byte(printed), value.Limits{})
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	problem, err := parse(value.NewMap(
		value.Member{Name: "sources", Value: readCase(t, path.Join("testdata/deppy/cases", file)).Get("sources")},
		value.Member{Name: "spec", Value: docs[0].Get("spec")}))
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Selections
}

func TestPrintedExamples(t *testing.T) {
	spec, err := os.ReadFile(printedSpec)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, printed, file string
		want                []string
	}{
		{"both spellings", string(spec), "001-seed-two-required.yaml", []string{
			"example-operators:first-example-operator:1.2.0:stable",
			"example-operators:second-example-operator:1.1.0:stable",
		}},
		{"with a dependency", printedOperator, "002-seed-platform-dependency.yaml", []string{
			"redhat-operators:foo-package:1.2.0:platform",
			"redhat-operators:bar-package:1.1.0:platform",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := names(over(t, c.printed, c.file)); !slices.Equal(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestSpellings holds that the string form and the map form of a constraint mean the same.
func TestSpellings(t *testing.T) {
	sources := readCase(t, "testdata/deppy/cases/001-seed-two-required.yaml").Get("sources")
	selector := func(name, versions string) object { return object{"name": name}.with("versionRange", versions) }
	const a, b = "first-example-operator", "second-example-operator"
	for _, c := range []struct {
		text string
		as   object
	}{
		{`required("` + a + `", "<1.2.0", "stable")`, object{"required": selector(a, "<1.2.0").with("channel", "stable")}},
		{`prohibited("` + a + `", ">=1.2.0")`, object{"prohibited": selector(a, ">=1.2.0")}},
		{`not(required("` + a + `"))`, object{"not": []any{selector(a, "")}}},
		{`pinned("` + a + `", "1.0.0")`, object{"pinned": object{"name": a, "version": "1.0.0"}}},
		{`upgradeFrom("` + a + `", "1.0.0")`, object{"upgradeFrom": object{"name": a, "version": "1.0.0"}}},
		{`conflict("` + a + `", required("` + b + `", "<9"))`, object{"conflict": []any{selector(a, ""), selector(b, "<9")}}},
		{`atMostOne("` + a + `", "` + b + `")`, object{"atMostOne": []any{selector(a, ""), selector(b, "")}}},
		{`any(required("none"), all(required("` + b + `"), not(required("` + a + `"))))`, object{"any": []any{
			object{"required": selector("none", "")},
			object{"all": []any{object{"required": selector(b, "")}, object{"not": selector(a, "")}}}}}},
	} {
		t.Run(c.text, func(t *testing.T) {
			var answers []string
			for _, constraint := range []any{c.text, c.as} {
				spec := object{"constraints": []any{"required(\"" + b + "\")", "any(required(\"" + a + "\"), required(\"" + b + "\"))", constraint}}
				problem, err := parse(value.NewMap(value.Member{Name: "sources", Value: sources}, value.Member{Name: "spec", Value: fromJSON(spec)}))
				if err != nil {
					t.Fatal(err)
				}
				out, err := solver.Resolve(t.Context(), problem, solver.Options{})
				if err != nil {
					t.Fatal(err)
				}
				text := string(fromJSON(names(out.Selections)).JSON())
				if out.Unsat != nil {
					text = string(fromJSON(out.Unsat.Core).JSON())
				}
				answers = append(answers, text)
			}
			if answers[0] != answers[1] {
				t.Errorf("as a text %s, as a map %s", answers[0], answers[1])
			}
		})
	}
}

// TestResolveSet makes the bundle of the printed example.
func TestResolveSet(t *testing.T) {
	var selected []activator.Selected
	for _, s := range over(t, printedOperator, "002-seed-platform-dependency.yaml") {
		selected = append(selected, activator.Selected{Package: s.Package, Image: s.Image})
	}
	entities, err := activator.Entities(activator.ResolveSet, selected)
	if err != nil {
		t.Fatal(err)
	}
	want := readCase(t, "testdata/deppy/resolveset/activeresolution.yaml").At("status", "entities")
	if got := fromJSON(entities); !value.Equal(got, want) {
		t.Errorf("got %s, want %s", got.JSON(), want.JSON())
	}
	r := tar.NewReader(bytes.NewReader(activator.Bundle(entities)))
	files := 0
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		golden, err := os.ReadFile(path.Join("testdata/deppy/resolveset", h.Name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(golden) {
			t.Errorf("%s: got\n%s", h.Name, got)
		}
		files++
	}
	if files != 2 {
		t.Errorf("%d files, want 2", files)
	}
}
