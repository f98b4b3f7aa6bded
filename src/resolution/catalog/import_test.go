package catalog_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/value"
)

var update = flag.Bool("update", false, "write the golden files")

func TestImport(t *testing.T) {
	const golden = "testdata/source.golden.yaml"
	data, err := os.ReadFile("testdata/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	source, _, err := catalog.Import("operators", catalog.File{Name: "catalog.yaml", Data: data})
	if err != nil {
		t.Fatal(err)
	}
	got := yaml.Marshal(source)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(got) != string(want) {
		t.Errorf("%v, got\n%s", err, got)
	}

	docs, err := yaml.Parse("catalog.yaml", data, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var stream []byte
	for _, doc := range docs {
		stream = append(doc.AppendJSON(stream), '\n')
	}
	again, _, err := catalog.Import("operators", catalog.File{Name: "catalog.json", Data: stream})
	if err != nil || string(yaml.Marshal(again)) != string(got) {
		t.Errorf("the same as JSON: %v", err)
	}
}

func TestImportRefused(t *testing.T) {
	const p = `{"schema":"olm.package","name":"a"}` + "\n"
	for _, c := range []struct{ name, in, want string }{
		{"not JSON", p + `{"schema":`, "not JSON"},
		{"no schema", `{"name":"a"}`, "has no schema"},
		{"no package", `{"schema":"olm.bundle","name":"a.v1"}`, "has no package"},
		{"twice", p + p, "duplicate package a"},
		{"not described", `{"schema":"olm.channel","package":"a","name":"s"}`, "package a is not described"},
		{"no version", p + `{"schema":"olm.bundle","package":"a","name":"a.v1"}`, `the version ""`},
		{"dangling entry", p + `{"schema":"olm.channel","package":"a","name":"s","entries":[{"name":"a.v1"}]}`, "a.v1, which does not exist"},
		{"deprecated bundle", p + `{"schema":"olm.deprecations","package":"a","entries":[{"reference":{"schema":"olm.bundle","name":"x"}}]}`, `"x" is deprecated`},
		{"cel", p + `{"schema":"olm.bundle","package":"a","name":"x","properties":[{"type":"olm.package","value":{"version":"1.0.0"}},` +
			`{"type":"olm.constraint","value":{"cel":{"rule":"propertys.size() > 0"}}}]}`, "bundle x: the rule is refused, line 1, column 1: unknown name propertys"},
		{"a constraint of another kind", p + `{"schema":"olm.bundle","package":"a","name":"x","properties":[{"type":"olm.package","value":{"version":"1.0.0"}},` +
			`{"type":"olm.constraint","value":{"rego":{"rule":"true"}}}]}`, "not supported"},
		{"range", p + `{"schema":"olm.bundle","package":"a","name":"x","properties":[{"type":"olm.package","value":{"version":"1.0.0"}},` +
			`{"type":"olm.package.required","value":{"packageName":"b","versionRange":"^1"}}]}`, `"^1" is not a range`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := catalog.Import("s", catalog.File{Name: "c.json", Data: []byte(c.in)})
			if err == nil {
				t.Fatal("accepted")
			}
			if e := dovetail.AsError(err); !strings.Contains(e.Message, c.want) || e.Position.File != "c.json" || e.Position.Line == 0 {
				t.Errorf("got %v at %v, want %q", e, e.Position, c.want)
			}
		})
	}
}

// A catalog without packages would take all of a source away.
func TestImportOfNoPackages(t *testing.T) {
	for name, files := range map[string][]catalog.File{
		"no files": nil, "an empty file": {{Name: "c.json"}}, "other schemas": {{Name: "c.json", Data: []byte(`{"schema":"olm.csv.metadata","name":"a"}`)}},
	} {
		if source, _, err := catalog.Import("s", files...); err == nil || dovetail.AsError(err).Message != "the catalog has no packages" {
			t.Errorf("%s: %v, %v", name, source, err)
		}
	}
}

func FuzzImport(f *testing.F) {
	data, err := os.ReadFile("testdata/catalog.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":"olm.package","name":"a"}{"schema":"olm.channel","package":"a","entries":3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		source, _, err := catalog.Import("s", catalog.File{Name: "c", Data: data})
		if (source == nil) == (err == nil) {
			t.Errorf("%v and %v", source, err)
		}
	})
}
