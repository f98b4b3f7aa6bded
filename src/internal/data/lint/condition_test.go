package lint_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/lint"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ruled are the kinds of the tests of rules in CEL.
const ruled = `
- name: site
  schema: {properties: {spec: {properties: {open: {type: boolean}, height: {type: integer}}}}}
- name: device
  parent: site
  schema: {required: [spec], properties: {spec: {required: [speed, model], properties: {speed: {type: integer, minimum: 1}, model: {enum: [a, b]}}}}}
- name: port
  parent: site
  strict: true
  schema:
    properties:
      spec:
        type: object
        properties:
          min: {type: integer}
          max: {type: integer}
          level: {type: integer, minimum: 1, maximum: 5}
          mode: {enum: [on, off]}
          on: {type: boolean}
          name: {type: string, minLength: 3}
          ports: {type: array, maxItems: 20, items: {type: object, properties: {n: {type: integer}}}}
          any: {}
          labels: {type: object, additionalProperties: {type: string}}
  references:
    - {name: device, at: spec.device}
    - {name: device, at: 'spec.uplinks[*]'}
  rules:
`

func TestConditions(t *testing.T) {
	for _, test := range []struct {
		name, rule string
		broken     string // "" where no document was found
		findings   []string
	}{
		{name: "two members", rule: "!has(self.spec.min) || !has(self.spec.max) || self.spec.min <= self.spec.max", broken: `{"spec":{"max":0,"min":1}}`},
		{name: "a missing member", rule: "self.spec.min > 3", broken: `{}`},
		{name: "a literal", rule: "!has(self.spec.min) || self.spec.min != 4711", broken: `{"spec":{"min":4711}}`},
		{name: "an enumeration", rule: "!has(self.spec.mode) || self.spec.mode == 'on'", broken: `{"spec":{"mode":"off"}}`},
		{name: "a sum", rule: "!has(self.spec.min) || self.spec.min + 1 < 10", broken: `{"spec":{"min":9}}`},
		{name: "a text", rule: "!has(self.spec.name) || self.spec.name.startsWith('eth')", broken: `{"spec":{"name":"xxx"}}`},
		{name: "all items", rule: "!has(self.spec.ports) || self.spec.ports.all(p, !has(p.n) || p.n > 0)", broken: `{"spec":{"ports":[{"n":0}]}}`},
		{name: "some item", rule: "!has(self.spec.ports) || self.spec.ports.exists(p, has(p.n))", broken: `{"spec":{"ports":[]}}`},
		{name: "items that are the same", rule: "!has(self.spec.ports) || self.spec.ports.all(p, !has(p.n) || self.spec.ports.exists_one(q, !has(q.n) || q.n == p.n))", broken: `{"spec":{"ports":[{"n":0},{"n":0}]}}`},
		{name: "before", rule: "!has(self.spec.max) || self.spec.max >= oldSelf.spec.max", broken: `{"spec":{"max":0}} after {}`},
		{name: "the parent", rule: "has(parent.spec.open) && parent.spec.open", broken: `{} below {}`},
		{name: "a target", rule: "!has(refs.device) || refs.device.spec.speed > 1", broken: `{"spec":{"device":"device-2"}} referring to {"device":{"spec":{"speed":1,"model":"a"}}}`},
		{name: "targets", rule: "refs.uplinks.all(d, d.spec.speed > 1)", broken: `{"spec":{"uplinks":["device-2"]}} referring to {"uplinks":[{"spec":{"speed":1,"model":"a"}}]}`},
		{name: "how many targets", rule: "size(refs.uplinks) < 2", broken: `{"spec":{"uplinks":[{"site":"site-2","device":"device-2"},{"site":"site-3","device":"device-3"}]}} referring to {"uplinks":[{"spec":{"speed":1,"model":"a"}},{"spec":{"speed":1,"model":"a"}}]}`},
		{name: "the key", rule: "key.port != 'root'", broken: `{}`},
		{name: "without a type", rule: "!has(self.spec.any) || self.spec.any == 'x'", broken: `{"spec":{"any":0}}`},

		{name: "true", rule: "true", findings: []string{"always-holds 28"}},
		{name: "constant", rule: "size('a') == 1", findings: []string{"always-holds 28"}},
		{name: "false", rule: "1 > 2", broken: `{}`, findings: []string{"never-holds 28"}},
		{name: "each value", rule: "!has(self.spec.on) || self.spec.on || !self.spec.on", findings: []string{"always-holds 28"}},
		{name: "each number", rule: "!has(self.spec.min) || self.spec.min < 3 || self.spec.min > 2", findings: []string{"always-holds 28"}},
		{name: "no number", rule: "has(self.spec.min) && self.spec.min < 3 && self.spec.min > 2", broken: `{}`, findings: []string{"never-holds 28"}},
		{name: "what the JSON Schema says", rule: "!has(self.spec.level) || self.spec.level <= 5", findings: []string{"always-holds 28"}},
		{name: "one more than that", rule: "!has(self.spec.level) || self.spec.level < 5", broken: `{"spec":{"level":5}}`},
		{name: "what the JSON Schema forbids", rule: "has(self.spec.level) && self.spec.level > 5", broken: `{}`, findings: []string{"never-holds 28"}},
		{name: "the values of an enumeration", rule: "!has(self.spec.mode) || self.spec.mode in ['on', 'off']", findings: []string{"always-holds 28"}},
		{name: "a bound that is not looked at", rule: "!has(self.spec.name) || self.spec.name != 'ab'"},
		{name: "no such member", rule: "!has(self.spec.other)", findings: []string{"unknown-member 28"}},
		{name: "a member of anything", rule: "!has(self.spec.any) || !has(self.spec.any.other) || self.spec.any.other == 1", broken: `{"spec":{"any":{"other":0}}}`},
		{name: "too much for new documents", rule: "self.spec.min > 0 && self.spec.max >= oldSelf.spec.max", broken: `{} after {}`, findings: []string{"only-updates 28"}},
		{name: "stricter than another", rule: "!has(self.spec.min) || self.spec.min > 3\n    - '!has(self.spec.min) || self.spec.min > 2'", broken: `{"spec":{"min":0}}`, findings: []string{"superfluous 29"}},
		{name: "the same in other words", rule: "self.spec.labels.all(k, k != '')\n    - self.spec.labels.all(k,  (k  != ''))", broken: `{}`, findings: []string{"superfluous 29"}},
		{name: "for updates and for all", rule: "!has(self.spec.min) || self.spec.min > 3\n    - '!has(self.spec.min) || self.spec.min > 2 || self.spec.min > oldSelf.spec.min'", broken: `{"spec":{"min":0}}`, findings: []string{"superfluous 29"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := test.rule
			if !strings.Contains(text, "\n") {
				text = fmt.Sprintf("{expr: %q}", text)
			} else {
				first, rest, _ := strings.Cut(text, "\n")
				text = fmt.Sprintf("%q\n%s", first, rest)
			}
			report := lint.Lint(compile(t, ruled+"    - "+text+"\n"))
			broken := ""
			if c := report.Conditions[0].BrokenBy; c != nil {
				broken = c.String()
				if c.Message == "" {
					t.Error("it does not say what is wrong")
				}
			}
			if broken != test.broken {
				t.Errorf("broken by %s, want %s", broken, test.broken)
			}
			checkFindings(t, report, test.findings)
		})
	}
}

func TestConditionsOfSamples(t *testing.T) {
	model := compile(t, ruled+`
    - "!has(self.spec.min) || self.spec.min < 5"
    - "!has(refs.device) || refs.device.spec.speed > 5"
    - parent.spec.open
`)
	var documents []lint.Document
	for i, s := range []struct{ id, data string }{
		{"site/s", "spec: {open: true}"}, {"site/s/device/d", "spec: {speed: 1, model: a}"},
		{"site/s/port/p", "\nspec: {min: 7}"}, {"site/s/port/q", "spec: {device: d}"}, {"site/s/port/r", "spec: {min: x}"}, {"site/t/port/u", "spec: {device: d}"},
	} {
		parsed, err := yaml.Parse("", []byte(s.data), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, lint.Document{ID: dovetail.ID(s.id), Data: parsed[0], Position: dovetail.Position{File: "d.yaml", Line: i + 1}})
	}
	report := lint.Lint(model)
	report.Examine(model, documents)
	var found []string
	for _, f := range report.Findings {
		if f.Problem == lint.BreaksRule {
			found = append(found, string(f.Document)+" "+f.At)
		}
	}
	if want := []string{"site/s/port/p d.yaml:3", "site/s/port/q d.yaml:4"}; !slices.Equal(found, want) {
		t.Errorf("%v", found)
	}
	if report.Conditions[0].Breaking != 1 || report.Conditions[1].Breaking != 1 || report.Conditions[2].Breaking != 0 {
		t.Errorf("%+v", report.Conditions)
	}
}

// Whatever rules compare, a document that is said to break one breaks it, and of those that are said to be always or never
// fulfilled, or superfluous, no document says otherwise.
func TestConditionFindingsAreTrue(t *testing.T) {
	members := []string{"self.spec.i", "self.spec.j", "self.spec.n", "self.spec.b", "self.spec.t", "self.spec.any", "self.spec.o.m", "oldSelf.spec.i"}
	rapid.Check(t, func(r *rapid.T) {
		var condition func(depth int) string
		condition = func(depth int) string {
			member := rapid.SampledFrom(members)
			if depth > 0 {
				switch rapid.IntRange(0, 3).Draw(r, "operator") {
				case 0:
					return "(" + condition(depth-1) + " && " + condition(depth-1) + ")"
				case 1:
					return "(" + condition(depth-1) + " || " + condition(depth-1) + ")"
				case 2:
					return "!(" + condition(depth-1) + ")"
				}
			}
			switch m := member.Draw(r, "member"); rapid.IntRange(0, 3).Draw(r, "form") {
			case 0:
				return "has(" + m + ")"
			case 1:
				return m + rapid.SampledFrom([]string{" == ", " != "}).Draw(r, "equal") + rapid.SampledFrom([]string{"1", "'a'", "true", "null", "0.5", "self.spec.i", "self.spec.any"}).Draw(r, "with")
			case 2:
				return rapid.SampledFrom([]string{"self.spec.i", "self.spec.j", "self.spec.n"}).Draw(r, "left") + rapid.SampledFrom([]string{" < ", " >= "}).Draw(r, "order") +
					rapid.SampledFrom([]string{"1", "2", "0.5", "self.spec.i", "self.spec.n", "oldSelf.spec.j"}).Draw(r, "right")
			default:
				return m
			}
		}
		text := fmt.Sprintf(`
- name: k
  schema:
    %s
    properties:
      spec:
        type: object
        %s
        properties: {i: {type: integer, %s}, j: {type: integer}, n: {type: number}, b: {type: boolean}, t: {type: string, %s}}
  rules:
`, rapid.SampledFrom([]string{"", "required: [spec]", "if: {required: [metadata]}\n    then: {required: [spec]}"}).Draw(r, "root"),
			rapid.SampledFrom([]string{"", "required: [i]", "required: [j, n]"}).Draw(r, "required"), rapid.SampledFrom([]string{"", "minimum: 1", "maximum: 1", "multipleOf: 2"}).Draw(r, "bound"),
			rapid.SampledFrom([]string{"", "enum: [a, b]", "minLength: 1", "const: a"}).Draw(r, "text"))
		for range rapid.IntRange(1, 2).Draw(r, "rules") {
			text += fmt.Sprintf("    - %q\n", condition(2))
		}
		model, err := schema.Compile([]schema.Source{{Name: "s.yaml", Data: []byte(text)}})
		if err != nil {
			r.Skip(err) // the same rule twice, or types that do not go together
		}
		k, _ := model.Kind("k")
		report := lint.Lint(model)
		for i, c := range report.Conditions {
			if c.BrokenBy == nil {
				continue
			}
			e, err := k.Rules[i].Check(context.Background(), schema.RuleInput{ID: c.BrokenBy.ID, Data: c.BrokenBy.Data, Before: c.BrokenBy.Before})
			if errs := k.Validate(c.BrokenBy.Data); e == nil || err != nil || errs.Total() > 0 {
				r.Errorf("%s does not break %s\n%s", c.BrokenBy, c.Expr, text)
			}
		}
		for range 20 {
			in := schema.RuleInput{ID: "k/k", Data: randomData(r), Before: randomData(r)}
			if errs := k.Validate(in.Data); errs.Total() > 0 {
				continue
			}
			if errs := k.Validate(in.Before); errs.Total() > 0 {
				continue
			}
			held := make(map[string]bool)
			for _, rule := range k.Rules {
				e, err := rule.Check(context.Background(), in)
				if err != nil {
					r.Fatal(err)
				}
				held[rule.Position.String()] = e == nil
			}
			for _, f := range report.Findings {
				_, other, _ := strings.Cut(strings.TrimSuffix(f.Message, " too"), "breaks the rule at ")
				if f.Problem == lint.AlwaysHolds && !held[f.At] || f.Problem == lint.NeverHolds && held[f.At] || f.Problem == lint.Superfluous && !held[f.At] && held[other] {
					r.Errorf("%s is not true of %s after %s\n%s", f.Message, in.Data.JSON(), in.Before.JSON(), text)
				}
			}
		}
	})
}

// randomData has some of the members that the rules read.
func randomData(r *rapid.T) *value.Value {
	spec := value.NewMap()
	draw := func(name string, from ...string) {
		if text := rapid.SampledFrom(append(from, "")).Draw(r, name); text != "" {
			v, err := value.ParseJSON([]byte(text), value.Limits{})
			if err != nil {
				r.Fatal(err)
			}
			spec.Set(name, v)
		}
	}
	draw("i", "-1", "0", "1", "2", "3", "4")
	draw("j", "-1", "0", "1", "2", "3", "4")
	draw("n", "-1", "0", "0.25", "0.5", "0.75", "1", "1.5", "2", "3.1")
	draw("b", "true", "false")
	draw("t", `"a"`, `"b"`, `"c"`, `""`)
	draw("any", `"a"`, `"b"`, "1", "0.5", "true", "false", "null", "[]", "{}", "[1]")
	draw("o", `"a"`, "{}", `{"m":1}`, `{"m":true}`, `{"m":"a"}`, "[]", "null")
	if len(spec.Members) == 0 && rapid.Bool().Draw(r, "empty") {
		return value.NewMap()
	}
	return value.NewMap(value.Member{Name: "spec", Value: spec})
}
