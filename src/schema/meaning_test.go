package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestDiff(t *testing.T) {
	before, after := compile(t, readText(t, "diff/before.yaml")), compile(t, readText(t, "diff/after.yaml"))
	var b strings.Builder
	for _, d := range schema.Diff(before, after) {
		b.WriteString(string(d.Change) + "  " + d.Message + "\n")
	}
	golden(t, "diff/differences.txt", b.String())
	if differences := schema.Diff(before, before); len(differences) > 0 {
		t.Errorf("a model differs from itself: %v", differences)
	}
}

// What a schema means does not depend on how it is written.
func TestHashIsOfTheMeaning(t *testing.T) {
	const base = "resources:\n- name: a\n- name: b\n  parent: a\n  references: [{name: a, filterKeys: [x, y]}, {name: b}]\n  schema: {type: object, required: [m]}\n"
	want := compile(t, base).Hash()
	for _, c := range []struct {
		name  string
		texts []string
		same  bool
	}{
		{"comments and spaces", []string{"# comment\nresources:\n  - {name: a}\n  - name: b # b\n    parent: 'a'\n    schema: {type: object, required: [m]}\n    references:\n    - name: a\n      filterKeys: [x, y]\n    - b\n"}, true},
		{"order of fields and entries", []string{"resources:\n- schema: {required: [m], type: object}\n  references: [{name: b}, {filterKeys: [y, x], name: a}]\n  parent: a\n  name: b\n- name: a\n"}, true},
		{"split", []string{"name: one\nresources:\n- name: a\n", "- name: b\n  parent: a\n  references: [{name: a, filterKeys: [x, y]}, {name: b}]\n  schema: {type: object, required: [m]}\n"}, true},
		{"descriptions", []string{strings.Replace(base, "- name: a\n", "- name: a\n  description: d\n  service: s\n", 1)}, true},
		{"skip for filterKeys", []string{strings.Replace(base, "filterKeys", "skip", 1)}, true},
		{"explicit convention", []string{strings.Replace(base, "- name: a\n", "- name: a\n  path: as\n  abstract: false\n", 1)}, true},
		{"not strict", []string{strings.Replace(base, "- name: a\n", "- name: a\n  strict: false\n", 1)}, true},
		{"strict", []string{strings.Replace(base, "- name: a\n", "- name: a\n  strict: true\n", 1)}, false},
		{"not sensitive", []string{strings.Replace(base, "- name: a\n", "- name: a\n  sensitive: false\n", 1)}, true},
		{"sensitive", []string{strings.Replace(base, "- name: a\n", "- name: a\n  sensitive: true\n", 1)}, false},
		{"a sensitive part", []string{strings.Replace(base, "- name: a\n", "- name: a\n  sensitive: [/spec/x]\n", 1)}, false},
		{"history", []string{strings.Replace(base, "- name: a\n", "- name: a\n  history: {time: 720h, versions: 5}\n", 1)}, false},
		{"the history of the store", []string{strings.Replace(base, "- name: a\n", "- name: a\n  history: {time: forever}\n", 1)}, true},
		{"no numbers", []string{strings.Replace(base, "{name: b}", "{name: b, required: false, exclusive: false}", 1)}, true},
		{"a slot", []string{strings.Replace(base, "{name: b}", "{name: b, at: spec.b}", 1)}, false},
		{"required", []string{strings.Replace(base, "{name: b}", "{name: b, required: true}", 1)}, false},
		{"a maximum", []string{strings.Replace(base, "{name: b}", "{name: b, max: 1}", 1)}, false},
		{"exclusive", []string{strings.Replace(base, "{name: b}", "{name: b, exclusive: true}", 1)}, false},
		{"another kind", []string{base + "- name: c\n"}, false},
		{"another filter", []string{strings.Replace(base, "x, y", "x, z", 1)}, false},
		{"another type", []string{strings.Replace(base, "{name: b}", "{name: b, type: many}", 1)}, false},
		{"another path", []string{strings.Replace(base, "- name: a\n", "- name: a\n  path: aa\n", 1)}, false},
		{"another data schema", []string{strings.Replace(base, "[m]", "[n]", 1)}, false},
		{"an action", []string{base + "  actions: [go]\n"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := compile(t, c.texts...).Hash()
			if len(got) != 16 || (got == want) != c.same {
				t.Errorf("the hash is %s, that of the base %s", got, want)
			}
		})
	}
}

// Ways to write the same slot mean the same.
func TestHashOfSlots(t *testing.T) {
	const base = "- name: a\n- name: b\n  parent: a\n- name: c\n  references: [{name: b, at: spec.x, required: true, map: {a: p, b: q}}]\n"
	want := compile(t, base).Hash()
	for _, c := range []struct {
		name, from, to string
		same           bool
	}{
		{"a name in brackets", "at: spec.x", `at: "spec['x']"`, true},
		{"a minimum of one", "required: true", "min: 1", true},
		{"the order of map", "{a: p, b: q}", "{b: q, a: p}", true},
		{"another place", "spec.x", "spec.y", false},
		{"another member", "a: p", "a: r", false},
		{"not required", "required: true, ", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := compile(t, strings.Replace(base, c.from, c.to, 1)).Hash(); (got == want) != c.same {
				t.Errorf("the hash is %s, that of the base %s", got, want)
			}
		})
	}
}

// The model is the same for every distribution of the entries of EMCO's schema over files, in any order.
func TestSplitAndOrderDoNotMatter(t *testing.T) {
	entries := readYAML(t, "emco/ref-schema.yaml").Get("resources").Items
	whole := compileEMCO(t, "ref-schema.yaml")
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(entries).Draw(t, "order")
		var sources []schema.Source
		for len(shuffled) > 0 {
			n := rapid.IntRange(1, len(shuffled)).Draw(t, "entries")
			data := yaml.Append(nil, value.NewList(shuffled[:n]...))
			sources = append(sources, schema.Source{Name: rapid.StringMatching(`[a-z]{1,3}\.yaml`).Draw(t, "file"), Data: data})
			shuffled = shuffled[n:]
		}
		model, err := schema.Compile(sources)
		if err != nil {
			t.Fatal(err)
		}
		if model.Hash() != whole.Hash() {
			t.Errorf("the models differ: %v", schema.Diff(whole, model))
		}
		aggregate, err := schema.Aggregate(sources)
		if err != nil {
			t.Fatal(err)
		}
		again, err := schema.Compile([]schema.Source{{Name: "aggregate.yaml", Data: aggregate}})
		if err != nil || again.Hash() != whole.Hash() {
			t.Errorf("the aggregate differs: %v", err)
		}
	})
}

func TestAggregate(t *testing.T) {
	sources := []schema.Source{
		{Name: "src/b/ref-schemas/v1.yaml", Data: []byte("# Licensed to you.\n#\n# By us.\n\n# not at the head\nname: b\nresources:\n- name: child # a comment\n  parent: top\n  service: own\n- name: other\n")},
		{Name: "src/a/ref-schemas/v1.yaml", Data: []byte("- name: top\n  references: [{name: other, fixedKv: {other: '1'}}]\n---\n- name: second\n")},
	}
	got, err := schema.Aggregate(sources)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "aggregate.txt", string(got))
	if _, err := schema.Aggregate(sources[:1]); schema.FaultOf(err) != schema.FaultMissingParent {
		t.Errorf("a part alone: %v", err)
	}
}

func TestDescribe(t *testing.T) {
	emco, rules := compileExample(t), compile(t, readText(t, "rules.yaml"))
	for name, model := range map[string]*schema.Model{
		"groupIntent": emco, "controller": emco, "agent": emco, "app": emco, "sfcClientIntent": emco,
		"peer": compile(t, readText(t, "datacentre.yaml")), "one": rules, "map": rules,
	} {
		t.Run(name, func(t *testing.T) {
			text, err := json.MarshalIndent(kindOf(t, model, name).Describe(), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "describe/"+name+".json", string(text)+"\n")
		})
	}
}

func TestReferenceString(t *testing.T) {
	var b strings.Builder
	for _, file := range []string{"rules.yaml", "datacentre.yaml"} {
		for _, k := range compile(t, readText(t, file)).Kinds() {
			for _, r := range k.References {
				b.WriteString(k.Name + " refers to " + r.String() + "\n")
			}
		}
	}
	golden(t, "sentences.txt", b.String())
}

func TestHashAndDiffOfRules(t *testing.T) {
	const base = "- name: a\n  rules: [self.spec.x == 1, {expr: self.spec.y == 1, message: m}]\n"
	want := compile(t, base)
	for _, c := range []struct {
		name, text string
		same       bool
	}{
		{"another order and a mapping", "- name: a\n  rules: [{message: m, expr: self.spec.y == 1}, {expr: self.spec.x == 1}]\n", true},
		{"another expression", strings.Replace(base, "x == 1", "x == 2", 1), false},
		{"another message", strings.Replace(base, "message: m", "message: n", 1), false},
		{"none", "- name: a\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := compile(t, c.text)
			if (got.Hash() == want.Hash()) != c.same {
				t.Errorf("the hash is %s, that of the base %s", got.Hash(), want.Hash())
			}
			if differences := schema.Diff(want, got); (len(differences) == 0) != c.same || !c.same && differences[0].Change != schema.RulesChanged {
				t.Errorf("%v", differences)
			}
		})
	}
}
