package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/value"
)

// The paths of every rule say what stands on the way to their end.
func TestShapes(t *testing.T) {
	for _, test := range []struct{ name, rules, good, bad, want string }{
		{"references at items", "references: [{name: flag, at: 'spec.flags[*]'}]", `{"spec":{"flags":["a"]}}`, `{"spec":{"flags":"a"}}`, "/spec/flags must be a list or an object, not a string"},
		{"a number", "references: [{name: flag, at: 'spec.flags[*]'}]", `{"spec":{"flags":null}}`, `{"spec":{"flags":5}}`, "/spec/flags must be a list or an object, not a number"},
		{"references below a member", "references: [{name: flag, at: spec.main.flag}]", `{"spec":{"main":{"flag":"a"}}}`, `{"spec":{"main":[{"flag":"a"}]}}`, "/spec/main must be an object, not a list"},
		{"spec itself", "references: [{name: flag, at: spec.flag}]", `{"spec":null}`, `{"spec":"a"}`, "/spec must be an object, not a string"},
		{"a map of references", "references: [{name: flag, type: map, map: intent}]", `{"spec":{"intent":{"a":1}}}`, `{"spec":{"intent":["a"]}}`, "/spec/intent must be an object, not a list"},
		{"names of members", "references: [{name: flag, at: 'spec.flags.*'}]", `{"spec":{"flags":{"a":1}}}`, `{"spec":{"flags":["a"]}}`, "/spec/flags must be an object whose member names are names of a flag, not a list"},
		{"unique", "unique: ['spec.macs[*]']", `{"spec":{"macs":["a"]}}`, `{"spec":{"macs":"a"}}`, "/spec/macs must be a list or an object, not a string"},
		{"immutable", "immutable: [spec.a.b]", `{"spec":{"a":{"b":1}}}`, `{"spec":{"a":1}}`, "/spec/a must be an object, not a number"},
		{"index", "index: ['spec.a[*].b']", `{"spec":{"a":[{"b":1}]}}`, `{"spec":{"a":["x"]}}`, "/spec/a/0 must be an object, not a string"},
		{"columns", "columns: [{name: A, path: spec.a.b}]", `{"spec":{"a":{"b":1}}}`, `{"spec":{"a":true}}`, "/spec/a must be an object, not a boolean"},
		{"columns of the status", "columns: [{name: A, path: status.a.b}]", `{"spec":{"a":1}}`, "", ""},
		{"an index beside a column", "index: ['spec.a[*]']\n    columns: [{name: A, path: spec.a}]", `{"spec":{"a":"x"}}`, "", ""},
		{"queries", "queries: {a: {selector: spec.a.b}}", `{"spec":{"a":{"b":1}}}`, `{"spec":{"a":"x"}}`, "/spec/a must be an object, not a string"},
		{"sensitive", "sensitive: [/spec/data/password]", `{"spec":{"data":{"password":"x"}}}`, `{"spec":{"data":"x"}}`, "/spec/data must be an object, not a string"},
		{"sensitive items", "sensitive: [/spec/data/0/password]", `{"spec":{"data":[{"password":"x"}]}}`, `{"spec":{"data":["x"]}}`, "/spec/data/0 must be an object, not a string"},
		{"null in place of a list of a strict kind", "strict: true\n    references: [{name: flag, at: 'spec.flags[*]'}]", `{"spec":{"flags":[]}}`, `{"spec":{"flags":null}}`, "/spec/flags must be a list or an object, not null"},
		{"what the JSON Schema says is said once", "references: [{name: flag, at: 'spec.flags[*]'}]\n    schema: {properties: {spec: {properties: {flags: {type: array}}}}}", `{"spec":{"flags":["a"]}}`, `{"spec":{"flags":"a"}}`, "/spec/flags must be a list, not a string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			kind := kindOf(t, compile(t, "resources:\n  - name: flag\n  - name: holder\n    "+test.rules), "holder")
			for data, want := range map[string]string{test.good: "", test.bad: test.want} {
				if data == "" {
					continue
				}
				errs := kind.Validate(parseJSON(t, data))
				var got []string
				for _, e := range errs.Kept() {
					got = append(got, e.Position.Path+" "+e.Message)
				}
				if strings.Join(got, "\n") != want {
					t.Errorf("%s: %q, want %q", data, got, want)
				}
			}
		})
	}
}

// Of many values of the wrong shape some are named, and the rest is counted.
func TestManyShapes(t *testing.T) {
	kind := kindOf(t, compile(t, "resources:\n  - name: holder\n    index: ['spec.all[*].a']"), "holder")
	var members []string
	for i := range 50_000 {
		members = append(members, fmt.Sprintf(`"m%d":"x"`, i))
	}
	errs := kind.Validate(parseJSON(t, `{"spec":{"all":{`+strings.Join(members, ",")+`}}}`))
	if errs.Total() != len(members) || len(errs.Kept()) >= 1000 {
		t.Errorf("%d errors, of which %d are kept", errs.Total(), len(errs.Kept()))
	}
}

// No document that is accepted has a text under the path of a reference that is no reference.
func TestShapesLoseNoReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		path := "spec"
		for range rapid.IntRange(1, 4).Draw(rt, "steps") {
			path += rapid.SampledFrom([]string{".a", ".b", "[*]"}).Draw(rt, "step")
		}
		kind := kindOf(t, compile(t, "resources:\n  - name: flag\n  - name: holder\n    references: [{name: flag, at: '"+path+"'}]"), "holder")
		n := 0
		var draw func(depth int) string
		draw = func(depth int) string {
			switch what := rapid.IntRange(0, 5).Draw(rt, "what"); {
			case what == 0 || depth == 0:
				n++
				return fmt.Sprintf(`"flag-%d"`, n)
			case what == 1:
				return "null"
			case what == 2:
				return "[" + draw(depth-1) + "," + draw(depth-1) + "]"
			}
			return `{"a":` + draw(depth-1) + `,"b":` + draw(depth-1) + "}"
		}
		text := `{"spec":` + draw(4) + "}"
		data := parseJSON(t, text)
		if errs := kind.Validate(data); errs.Total() > 0 {
			return
		}
		found := make(map[string]bool)
		for _, c := range kind.Extract("holder/x", data) {
			found[string(c.Targets[0].ID)] = true
		}
		for _, lost := range onTheWay(data, strings.Split(strings.ReplaceAll(path, "[*]", ".[*]"), ".")) {
			if !found["flag/"+lost] {
				rt.Fatalf("at %s, %s is accepted, and %q is no reference", path, text, lost)
			}
		}
	})
}

// onTheWay returns the texts that stand on a path, at its end or before it.
func onTheWay(v *value.Value, steps []string) (texts []string) {
	if v == nil {
		return nil
	}
	if text, ok := v.Str(); ok {
		return []string{text}
	}
	if len(steps) == 0 {
		return nil
	}
	for _, item := range v.Items {
		rest := steps
		if steps[0] == "[*]" {
			rest = steps[1:]
		}
		texts = append(texts, onTheWay(item, rest)...)
	}
	for _, m := range v.Members {
		if m.Name == steps[0] || steps[0] == "[*]" {
			texts = append(texts, onTheWay(m.Value, steps[1:])...)
		}
	}
	return texts
}
