package catalog_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// realSource imports the real catalog.
func realSource(t testing.TB) *solver.Source {
	t.Helper()
	packed, err := os.ReadFile("testdata/real/community-a.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	read, warnings, err := catalog.Import("community", catalog.File{Name: "c.json", Data: text})
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) == 0 || !strings.Contains(warnings[0].Message, "counts as absent") {
		t.Errorf("the malformed ranges are not named: %v", warnings)
	}
	source := solver.NewParser().Source(read)
	if err := source.Err(); err != nil {
		t.Fatal(err)
	}
	return source
}

// TestRealCatalog asks for the head of each channel, and for what succeeds what is installed.
func TestRealCatalog(t *testing.T) {
	source := realSource(t)
	text, err := os.ReadFile("testdata/real/expectations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	read, err := yaml.Parse("expectations.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	heads, upgrades := 0, 0
	for _, p := range read[0].Get("packages").Members {
		for _, channel := range p.Value.Get("channels").Members {
			want := channel.Value.Get("selectWithRequirements")
			if want == nil {
				want = channel.Value.Get("select")
			}
			if channel.Value.Get("unsatisfiableWithRequirements") != nil || want == nil {
				continue
			}
			heads++
			if got := selected(t, source, p.Name, "{required: {name: "+p.Name+", channel: \""+channel.Name+"\"}}"); got != want.Text {
				t.Errorf("%s in %s: %q, want %s", p.Name, channel.Name, got, want.Text)
			}
		}
		if p.Value.Get("upgrades") == nil {
			continue
		}
		for _, u := range p.Value.Get("upgrades").Items {
			if u.Get("possible") != nil {
				continue
			}
			upgrades++
			from := u.Get("from").Text
			got := selected(t, source, p.Name, "{upgradeFrom: {name: "+p.Name+", version: \""+from+"\"}}", "{required: {name: "+p.Name+", versionRange: '>=0.0.0-0'}}")
			possible := got == from
			for _, to := range u.Get("to").Items {
				possible = possible || to.Text == got
			}
			if !possible {
				t.Errorf("%s from %s: %q, which is no successor", p.Name, from, got)
			}
		}
	}
	t.Logf("%d channels, %d upgrades", heads, upgrades)
	if heads < 300 || upgrades < 500 {
		t.Error("these are too few: does the test read the expectations?")
	}
}

// selected is the version of a package that constraints select, "" where they cannot be satisfied.
func selected(t *testing.T, source *solver.Source, name string, constraints ...string) string {
	t.Helper()
	read, err := yaml.Parse("", []byte("{constraints: ["+strings.Join(constraints, ", ")+"]}"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	spec, err := solver.ParseSpec(read[0])
	if err != nil {
		t.Fatal(err)
	}
	problem, err := solver.NewProblem(spec, []*solver.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(context.Background(), problem, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range out.Selections {
		if s.Package == name {
			return s.Version
		}
	}
	return ""
}
