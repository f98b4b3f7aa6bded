package schema_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

const cabled = `
- name: site
  schema: {properties: {spec: {type: object, properties: {open: {type: boolean}}}}}
- name: device
  parent: site
  schema: {properties: {spec: {type: object, properties: {speed: {type: integer}}}}}
- name: port
  parent: site
  schema: {properties: {spec: {type: object, properties: {min: {type: integer}, max: {type: integer}}}}}
  references:
    - {name: device, at: spec.device}
    - {name: device, at: "spec.uplinks[*]"}
    - {name: port, at: spec.peer.port}
  rules:
    - {expr: self.spec.min <= self.spec.max, message: min is above max}
    - "!has(refs.device) || refs.device.spec.speed > 1"
    - refs.uplinks.all(d, d.spec.speed > 1)
    - {expr: self.spec.max >= oldSelf.spec.max, message: max cannot go down}
    - parent.spec.open
    - key.port != 'x' && key.site != 'x'
`

func TestRules(t *testing.T) {
	kind, _ := compile(t, cabled).Kind("port")
	data := func(text string) *value.Value {
		v, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	open, slow := data(`{"spec": {"open": true}}`), data(`{"spec": {"speed": 1}}`)
	for _, test := range []struct {
		name string
		in   schema.RuleInput
		want []string
	}{
		{name: "fulfilled", in: schema.RuleInput{ID: "site/a/port/b", Data: data(`{"spec": {"min": 1, "max": 2}}`), Parent: open}},
		{name: "several", in: schema.RuleInput{ID: "site/a/port/x", Data: data(`{"spec": {"min": 3, "max": 2}}`), Before: data(`{"spec": {"min": 3, "max": 3}}`), Parent: data(`{"spec": {"open": false}}`),
			Refs: []schema.TargetOfRule{{Rule: kind.References[1], Data: slow}, {Rule: kind.References[0], Data: slow}}},
			want: []string{"breaks a rule of port: min is above max", `breaks the rule "!has(refs.device) || refs.device.spec.speed > 1" of port`, `breaks the rule "refs.uplinks.all(d, d.spec.speed > 1)" of port`,
				"breaks a rule of port: max cannot go down", `breaks the rule "parent.spec.open" of port`, `breaks the rule "key.port != 'x' && key.site != 'x'" of port`}},
		{name: "not evaluated", in: schema.RuleInput{ID: "site/a/port/b", Data: data(`{"spec": {"min": 3}}`), Parent: open},
			want: []string{`the rule "self.spec.min <= self.spec.max" of port cannot be evaluated: it reads a member that is not there: ask with has() first`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, rule := range kind.Rules {
				broken, err := rule.Check(context.Background(), test.in)
				if err != nil {
					t.Fatal(err)
				}
				if broken == nil {
					continue
				}
				if broken.Code != dovetail.CodeUnprocessable || broken.Reason != schema.ReasonRule || broken.Key != test.in.ID {
					t.Errorf("%+v", broken)
				}
				got = append(got, broken.Message)
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestWhatRulesRead(t *testing.T) {
	kind, _ := compile(t, cabled).Kind("port")
	for i, want := range []string{"false false [false false false]", "false false [true false false]", "false false [false true false]", "true false [false false false]", "false true [false false false]"} {
		r := kind.Rules[i]
		var targets []bool
		for _, reference := range kind.References {
			targets = append(targets, r.ReadsTargets(reference))
		}
		if got := fmt.Sprint(r.OnUpdates, r.ReadsParent(), targets); got != want {
			t.Errorf("%s: %s", r, got)
		}
	}
}

func ExampleRule_Check() {
	model, err := schema.Compile([]schema.Source{{Name: "range.yaml", Data: []byte(`
resources:
  - name: range
    rules: [{expr: self.spec.min <= self.spec.max, message: min is above max}]
`)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	kind, _ := model.Kind("range")
	data, _ := value.ParseJSON([]byte(`{"spec": {"min": 3, "max": 2}}`), value.Limits{})
	broken, err := kind.Rules[0].Check(context.Background(), schema.RuleInput{ID: "range/a", Data: data})
	fmt.Println(broken, err)
	// Output: breaks a rule of range: min is above max; `dovetail explain range` shows its rules <nil>
}
