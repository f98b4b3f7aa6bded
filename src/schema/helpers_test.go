package schema_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
	"github.com/dovetail-store/dovetail/src/value"
)

var update = flag.Bool("update", false, "rewrite golden files")

const emco = "testdata/emco"

// kept are the errors that are described.
func kept(errs dovetail.Errors) []*dovetail.Error { return errs.Kept() }

// readSources reads files whose names are relative to dir, and calls them by those names.
func readSources(t testing.TB, dir string, names ...string) []schema.Source {
	t.Helper()
	var sources []schema.Source
	for _, name := range names {
		source, err := schema.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		source.Name = name
		sources = append(sources, source)
	}
	return sources
}

// compile makes a model of a schema's text, which must be without faults.
func compile(t testing.TB, texts ...string) *schema.Model {
	t.Helper()
	model, err := schema.Compile(sourcesOf(texts...))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func sourcesOf(texts ...string) []schema.Source {
	var sources []schema.Source
	for i, text := range texts {
		sources = append(sources, schema.Source{Name: string(rune('a'+i)) + ".yaml", Data: []byte(text)})
	}
	return sources
}

func compileEMCO(t testing.TB, names ...string) *schema.Model {
	t.Helper()
	model, err := schema.Compile(readSources(t, emco, names...))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func kindOf(t testing.TB, m *schema.Model, name string) *schema.Kind {
	t.Helper()
	k, ok := m.Kind(name)
	if !ok {
		t.Fatalf("no kind %q", name)
	}
	return k
}

// readYAML reads the one document of a file below testdata.
func readYAML(t testing.TB, name string) *value.Value {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	documents, err := yaml.Parse(name, data, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return documents[0]
}

func parseJSON(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// str is the text of a member, "" when there is none.
func str(v *value.Value, name string) string {
	text, _ := v.Get(name).Str()
	return text
}

func strs(v *value.Value) []string {
	all := []string{}
	if v != nil {
		for _, item := range v.Items {
			all = append(all, item.Text)
		}
	}
	return all
}

// parts are the single errors of what Compile returned.
func parts(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	if e == nil || len(e.Errors) == 0 {
		return []*dovetail.Error{e}
	}
	return e.Errors
}

// golden compares a text with a file below testdata, or rewrites the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs, run with -update and look at the difference\n got:\n%s\nwant:\n%s", file, got, strings.TrimSuffix(string(want), "\n"))
	}
}

func readText(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
