package lint_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/lint"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
	"github.com/dovetail-store/dovetail/src/value"
)

func compile(t *testing.T, text string) *schema.Model {
	t.Helper()
	model, err := schema.Compile([]schema.Source{{Name: "s.yaml", Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// kinds are those that the rules of the tests refer to; the kind with the rules is called k.
const kinds = `
- name: region
- name: site
- name: rack
  parent: site
- name: device
  parent: rack
- name: k
  parent: site
`

func TestExamples(t *testing.T) {
	tests := []struct {
		name string
		rule string
		want string // the data
		id   dovetail.ID
	}{
		{"an element", "{name: rack}", `{"spec":{"rack":"rack-2"}}`, "site/site-1/rack/rack-2"},
		{"two elements", "{name: device}", `{"spec":{"rack":"rack-2","device":"device-2"}}`, "site/site-1/rack/rack-2/device/device-2"},
		{"field", "{name: rack, field: from}", `{"spec":{"from":"rack-2"}}`, "site/site-1/rack/rack-2"},
		{"fixed", "{name: device, fixedKv: {rack: r}}", `{"spec":{"device":"device-2"}}`, "site/site-1/rack/r/device/device-2"},
		{"many", "{name: device, type: many}", `{"spec":{"rack":"rack-2","device":"device-2"}}`, "site/site-1/rack/rack-2/device/device-2"},
		{"map", "{name: rack, type: map, map: racks}", `{"spec":{"racks":{"rack-2":{}}}}`, "site/site-1/rack/rack-2"},
		{"slot", "{name: rack, at: spec.a}", `{"spec":{"a":"rack-2"}}`, "site/site-1/rack/rack-2"},
		{"slot of two elements", "{name: device, at: spec.a}", `{"spec":{"a":{"rack":"rack-2","device":"device-2"}}}`, "site/site-1/rack/rack-2/device/device-2"},
		{"slot with names of its own", "{name: device, at: 'spec.ends[*]', map: {rack: cabinet}}", `{"spec":{"ends":[{"cabinet":"rack-2","device":"device-2"}]}}`, "site/site-1/rack/rack-2/device/device-2"},
		{"slot of names", "{name: rack, at: spec.racks.*}", `{"spec":{"racks":{"rack-2":{}}}}`, "site/site-1/rack/rack-2"},
		{"slot outside of spec", "{name: rack, at: 'metadata[\"a.b\"].*[*]'}", `{"metadata":{"a.b":{"rack-2":["rack-2"]}}}`, "site/site-1/rack/rack-2"},
		{"own key", "{name: site}", `{"spec":{}}`, "site/site-1"},
		{"own key, of many one is needed", "{name: site, type: many}", `{"spec":{"site":"site-2"}}`, "site/site-2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			report := lint.Lint(compile(t, kinds+"  references: ["+test.rule+"]\n"))
			if len(report.Rules) != 1 || len(report.Rules[0].Examples) != 1 {
				t.Fatalf("%+v", report.Rules)
			}
			example := report.Rules[0].Examples[0]
			if got := string(example.Data.JSON()); got != test.want {
				t.Errorf("data %s, want %s", got, test.want)
			}
			if !slices.Equal(example.Targets, []dovetail.ID{test.id}) {
				t.Errorf("refers to %v, want %s", example.Targets, test.id)
			}
		})
	}
}

func TestFindings(t *testing.T) {
	tests := []struct {
		name string
		rest string // of the kind k
		want []string
	}{
		{"nothing", "references: [rack]", nil},
		{"the fixed value is skipped", "references: [{name: rack, fixedKv: {rack: none}, skip: [none]}]", []string{"never-applies 10"}},
		{"one's own parent", "references: [site]", []string{"always-applies 10"}},
		{"a part of another", "references: [{name: region, type: many}, region]", []string{"superfluous 10"}},
		{"a key from several objects", "references: [{name: rack, type: many}, {name: rack}]", nil},
		{"stricter than another", "references: [{name: region, type: many, enforce: warn}, region]", nil},
		{"skips less than another", "references: [{name: region, type: many, skip: [none]}, region]", nil},
		{"two equal ones", "references: [{name: rack, field: a}, {name: rack, fixedKv: {site: s}}, {name: rack, field: a, skip: [none]}]", []string{"superfluous 10"}},
		{"another type", "references: [rack]\n  schema: {properties: {spec: {properties: {rack: {type: integer}}}}}", []string{"forbidden-by-data 10"}},
		{"no such member", "references: [rack]\n  schema: {properties: {spec: {additionalProperties: false}}}", []string{"forbidden-by-data 10"}},
		{"a list of names", "references: [{name: rack, type: many, field: racks}]\n  schema: {properties: {spec: {properties: {racks: {type: array}}}}}", nil},
		{"what a name looks like does not matter", "references: [rack]\n  schema: {properties: {spec: {properties: {rack: {pattern: ^x}}}}}", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checkFindings(t, lint.Lint(compile(t, kinds+"  "+test.rest+"\n")), test.want)
		})
	}
}

// checkFindings compares the problems with the lines where they are.
func checkFindings(t *testing.T, report *lint.Report, want []string) {
	t.Helper()
	var got []string
	for _, f := range report.Findings {
		got = append(got, string(f.Problem)+" "+strings.Split(f.At, ":")[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("findings %v, want %v\n%+v", got, want, report.Findings)
	}
}

// The model of a data centre, as people write it who expect a rule to look where its field is: nothing is found, and lint
// says so.
func TestSamples(t *testing.T) {
	model := compile(t, `
- name: site
- name: rack
  parent: site
- name: device
  parent: rack
- name: port
  parent: device
- name: cable
  parent: site
  references:
    - {name: port, field: a}
    - {name: port, field: b}
- name: group
  references: [{name: rack, type: many}]
`)
	samples := []struct {
		id   dovetail.ID
		data string
	}{
		{"site/s1", "{}"},
		{"site/s1/rack/r1", "{}"},
		{"site/s1/rack/r1/device/d1", "{}"},
		{"site/s1/rack/r1/device/d1/port/p1", "{}"},
		{"site/s1/cable/c1", "\nspec:\n  a: {rack: r1, device: d1, port: p1}\n  b: {rack: r1, device: d2, port: p2}"},
		{"group/g1", "\nspec:\n  racks:\n  - {site: s1, rack: r1}\n  - {site: s1, rock: r1}"},
		{"group/g2", "\nspec:\n  racks:\n  - {site: s1, rack: r9}"},
		{"shelf/s", "{}"},
	}
	var documents []lint.Document
	for i, s := range samples {
		parsed, err := yaml.Parse("", []byte(s.data), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, lint.Document{ID: s.id, Data: parsed[0], Position: dovetail.Position{File: "d.yaml", Line: i + 1}})
	}
	report := lint.Lint(model)
	report.Examine(model, documents)
	checkFindings(t, report, []string{
		"part-of-key 3", "part-of-key 3", // rack and device without a, and without b
		"part-of-key 5",    // rock
		"missing-target 7", // r9
		"invalid-sample 8", // no kind
		"not-in-samples 12", "not-in-samples 13",
	})
	if filled := report.Rules[2].Filled; filled != 2 || len(report.Samples) != 7 {
		t.Errorf("%d samples fill the rule of groups, of %d", filled, len(report.Samples))
	}
	for _, text := range []string{"has rack, device, and not a, so that it refers to no port", "has site, and not rack", `it takes {"spec":{"rack":"rack-2","device":"device-2","a":"port-2"}}`} {
		if !slices.ContainsFunc(report.Findings, func(f lint.Finding) bool { return strings.Contains(f.Message, text) }) {
			t.Errorf("no finding says %q: %+v", text, report.Findings)
		}
	}
}

// Whatever a rule finds in any data, there is an example of it; and what a superfluous rule finds, another one finds.
func TestFindingsAreTrue(t *testing.T) {
	elements := []string{"site", "rack", "device", "a", "b", "racks"}
	alternatives := []string{"type: many", "type: map, map: racks", "field: a", "at: spec.a", "at: spec.racks.*", "at: 'spec.b[*]'"}
	rapid.Check(t, func(r *rapid.T) {
		text := kinds + "  references:\n"
		for range rapid.IntRange(1, 4).Draw(r, "rules") {
			rule := "{name: " + rapid.SampledFrom([]string{"site", "rack", "device"}).Draw(r, "name")
			if rapid.Bool().Draw(r, "place") {
				rule += ", " + rapid.SampledFrom(alternatives).Draw(r, "alternative")
			}
			for _, field := range []string{"fixedKv: {rack: x}", "commonKey: site", "skip: [x]", "enforce: warn"} {
				if rapid.IntRange(0, 3).Draw(r, field) == 0 {
					rule += ", " + field
				}
			}
			text += "    - " + rule + "}\n"
		}
		model := compile(t, text)
		report := lint.Lint(model)
		k, _ := model.Kind("k")
		data := value.NewMap(value.Member{Name: "spec", Value: draw(r, elements, 3)})
		found := make(map[string][]dovetail.ID)
		for _, c := range k.Extract("site/s/k/k", data) {
			at := c.Rule.Position.String()
			found[at] = append(found[at], c.Targets[0].ID)
		}
		for _, rule := range report.Rules {
			if len(rule.Examples) == 0 && len(found[rule.At]) > 0 {
				r.Errorf("no example of %s in\n%s\nbut it finds %v in %s", rule.At, text, found[rule.At], data.JSON())
			}
		}
		for _, f := range report.Findings {
			if f.Problem != lint.Superfluous {
				continue
			}
			_, other, _ := strings.Cut(f.Message, "found by the one at ")
			other = strings.TrimSuffix(other, " too")
			for _, id := range found[f.At] {
				if !slices.Contains(found[other], id) {
					r.Errorf("%s finds %s in %s, and %s does not\n%s", f.At, id, data.JSON(), other, text)
				}
			}
		}
	})
}

func draw(r *rapid.T, names []string, depth int) *value.Value {
	object := value.NewMap()
	for range rapid.IntRange(0, 4).Draw(r, "members") {
		name := rapid.SampledFrom(names).Draw(r, "name")
		switch kind := rapid.IntRange(0, 3).Draw(r, "kind"); {
		case kind < 2 || depth == 0:
			object.Set(name, value.NewString(rapid.SampledFrom([]string{"x", "y", "z"}).Draw(r, "value")))
		case kind == 2:
			object.Set(name, draw(r, names, depth-1))
		default:
			object.Set(name, value.NewList(draw(r, names, depth-1), draw(r, names, depth-1)))
		}
	}
	return object
}

// The ref-schemas that come with Dovetail, and those of EMCO, have no rule without effect.
func TestShipped(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	for _, files := range []string{"dovetail.yaml", "examples/emco/*.yaml"} {
		t.Run(files, func(t *testing.T) {
			model := compileFiles(t, filepath.Join(root, "ref-schemas", files))
			if report := lint.Lint(model); len(report.Findings) > 0 || len(report.Rules) == 0 {
				t.Errorf("%+v", report.Findings)
			}
		})
	}
}

func BenchmarkLint(b *testing.B) {
	model := compileFiles(b, filepath.Join("..", "..", "..", "..", "ref-schemas", "examples", "emco", "*.yaml"))
	for b.Loop() {
		lint.Lint(model)
	}
}

func compileFiles(t testing.TB, pattern string) *schema.Model {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var sources []schema.Source
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, schema.Source{Name: filepath.ToSlash(file), Data: text})
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	return model
}
