package parameters_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

func ExampleEffective() {
	generated := []parameters.Layer{{Source: parameters.Source{Name: "pipeline/parameters.yaml", File: true}, Values: example(`{"REPLICAS":1,"db":{"host":"old"}}`)}}
	override := []parameters.Layer{{Source: parameters.Source{Name: "pipeline-ui-override", Level: parameters.LevelEnvironment}, Values: example(`{"db":{"host":"new"}}`)}}
	set, err := parameters.Effective(nil, generated, override, parameters.OverlapRefused)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(set.Value.JSON()))
	for _, c := range set.Changes {
		fmt.Printf("%s: %s, was %s, by %s\n", c.Path, c.Value.JSON(), c.Previous.JSON(), c.Origin.Name)
	}
	for _, e := range parameters.Explain(&set.Merged, set.Layers) {
		fmt.Println(e.Path, e.Source.Name, e.Why)
	}
	// Output:
	// {"REPLICAS":1,"db":{"host":"new"}}
	// /db/host: "new", was "old", by pipeline-ui-override
	// /REPLICAS pipeline/parameters.yaml only
	// /db/host pipeline-ui-override override
}

func TestEffectiveFiles(t *testing.T) {
	tests := map[string]parameters.Target{
		"deployment/n/a/values/deployment-parameters.yaml deployment/n/a/values/credentials.yaml deployment/n/a/values/collision-deployment-parameters.yaml deployment/n/a/values/collision-credentials.yaml": {Context: parameters.Deployment, DeployPostfix: "n", Application: "a"},
		"runtime/n/a/parameters.yaml runtime/n/a/credentials.yaml": {Context: parameters.Runtime, DeployPostfix: "n", Application: "a"},
		"pipeline/parameters.yaml pipeline/credentials.yaml":       {Context: parameters.Pipeline},
	}
	for want, target := range tests {
		if got := strings.Join(parameters.EffectiveFiles(target), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if err := parameters.CheckEffective(target); err != nil {
			t.Error(err)
		}
	}
	for _, wrong := range []parameters.Target{{Context: parameters.Deployment}, {Context: parameters.Runtime, DeployPostfix: "n"}} {
		if err := parameters.CheckEffective(wrong); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

func TestEffective(t *testing.T) {
	tests := []struct {
		name      string
		inputs    []string
		files     []string
		overrides []string
		want      string
		changes   string // path=value<previous
	}{
		{name: "nothing to do", files: []string{`{a: 1}`}, want: `{"a":1}`},
		{name: "a value", files: []string{`{a: 1, b: 2}`}, overrides: []string{`{a: 3}`}, want: `{"a":3,"b":2}`, changes: "/a=3<1"},
		{name: "the same value", files: []string{`{a: 1}`}, overrides: []string{`{a: 1}`}, want: `{"a":1}`},
		{name: "a new one", files: []string{`{a: 1}`}, overrides: []string{`{b: 1}`}, want: `{"a":1,"b":1}`, changes: "/b=1<"},
		{name: "null", files: []string{`{a: 1}`}, overrides: []string{`{a: null}`}, want: `{"a":null}`, changes: "/a=null<1"},
		{name: "the last level wins", files: []string{`{a: 1}`}, overrides: []string{`{a: 2}`, `{a: 3}`}, want: `{"a":3}`, changes: "/a=3<1"},
		{name: "back to what was generated", files: []string{`{a: 1}`}, overrides: []string{`{a: 2}`, `{a: 1}`}, want: `{"a":1}`},
		{name: "a value for a map", files: []string{`{a: {b: 1}}`}, overrides: []string{`{a: 2}`}, want: `{"a":2}`, changes: `/a=2<{"b":1}`},
		{name: "a map for a value", files: []string{`{a: 1}`}, overrides: []string{`{a: {b: 1, c: 2}}`}, want: `{"a":{"b":1,"c":2}}`, changes: "/a/b=1<1@/a /a/c=2<1@/a"},
		{name: "inputs change nothing", inputs: []string{`{a: 9, z: 9}`}, files: []string{`{a: 1}`}, overrides: []string{`{a: 2}`}, want: `{"a":2}`, changes: "/a=2<1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, err := parameters.Effective(layersOf(t, test.inputs...), layersOf(t, test.files...), layersOf(t, test.overrides...), parameters.OverlapRefused)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(set.Value.JSON()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			var changes []string
			for _, c := range set.Changes {
				text := c.Path + "=" + string(c.Value.JSON()) + "<"
				if c.Previous != nil {
					text += string(c.Previous.JSON())
				}
				if c.PreviousPath != "" {
					text += "@" + c.PreviousPath
				}
				if !c.Origin.Override {
					t.Errorf("%s comes from %+v", c.Path, c.Origin)
				}
				changes = append(changes, text)
			}
			if got := strings.Join(changes, " "); got != test.changes {
				t.Errorf("changes %s, want %s", got, test.changes)
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	files := layersOf(t, `{a: 1, m: {x: 1, y: 1}, l: [1]}`, `{a: 1, m: {x: 2}}`, `{l: [2], m: 1}`)
	_, err := parameters.Effective(nil, files, nil, parameters.OverlapRefused)
	e := dovetail.AsError(err)
	if e == nil || e.Code != dovetail.CodeConflict || e.Reason != parameters.ReasonOverlap || paths(e.Errors) != "/a /l /m" {
		t.Fatalf("%v", err)
	}
	if !strings.Contains(e.Errors[2].Message, "a, b, c") {
		t.Errorf("the files are not named: %s", e.Errors[2].Message)
	}
	set, err := parameters.Effective(nil, files, nil, parameters.OverlapLaterWins)
	if err != nil || string(set.Value.JSON()) != `{"a":1,"m":1,"l":[2]}` {
		t.Errorf("%v", err)
	}
	if _, err := parameters.Effective(nil, files[:1], layersOf(t, `{a: 2}`, `{a: 3}`), parameters.OverlapRefused); err != nil {
		t.Errorf("overrides may overlap: %v", err)
	}
}

func TestExplain(t *testing.T) {
	set, err := parameters.Effective(layersOf(t, `{a: 1}`), layersOf(t, `{a: 2, b: 1, c: 1}`, `{b: 2}`), layersOf(t, `{a: 3}`), parameters.OverlapLaterWins)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range parameters.Explain(&set.Merged, set.Layers) {
		text := e.Path + " " + e.Why + ":"
		for _, said := range e.Chain {
			text += " " + string(said.Value.JSON())
			if said.Input {
				text += "?"
			}
			if said.Effective {
				text += "!"
			}
		}
		got = append(got, text)
	}
	want := "/a override: 1? 2 3!\n/b later: 1 2!\n/c only: 1!"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
}

func TestChain(t *testing.T) {
	site := parameters.Location{}
	set := read(t, `{parameters: {A: 1}, applications: [{appName: app, parameters: {B: 2}}]}`)
	associated := []parameters.Associated{
		{Context: parameters.Deployment, Object: "core", Order: 1, Name: "core-deploy-ui-override", Location: parameters.Location(env), ParamSet: read(t, `{parameters: {O: 1}}`)},
		{Context: parameters.Deployment, Object: "core", Order: 0, Name: "set", Location: site, ParamSet: set},
		{Context: parameters.Deployment, Object: "cloud", Order: 0, Name: "empty", Location: site, ParamSet: read(t, `{parameters: {}}`)},
		{Context: parameters.Deployment, Object: "cloud", Order: 1, Name: "set", Location: site, ParamSet: set},
		{Context: parameters.Runtime, Object: "core", Order: 0, Name: "other", Location: site, ParamSet: set},
		{Context: parameters.Deployment, Object: "core", Order: 2, Name: "core-app-deploy-ui-override", Location: parameters.Location(env),
			ParamSet: read(t, `{parameters: {}, applications: [{appName: app, parameters: {P: 1}}]}`)},
		{Context: parameters.Deployment, Object: "core", Order: 3, Name: "gone", Location: site},
	}
	names := func(layers []parameters.Layer) string {
		var all []string
		for _, l := range layers {
			all = append(all, fmt.Sprintf("%s/%s/%s", l.Level, l.Name, l.Values.JSON()))
		}
		return strings.Join(all, " ")
	}
	target := parameters.Target{Environment: env, Context: parameters.Deployment, DeployPostfix: "core", Application: "app"}
	inputs, overrides := parameters.Split(target, associated)
	if got, want := names(inputs), `environment/set/{"A":1} namespace/set/{"A":1} application/set/{"B":2}`; got != want {
		t.Errorf("inputs %s, want %s", got, want)
	}
	if got, want := names(overrides), `namespace/core-deploy-ui-override/{"O":1} application/core-app-deploy-ui-override/{"P":1}`; got != want {
		t.Errorf("overrides %s, want %s", got, want)
	}
	target.Application = ""
	if got, want := names(parameters.Chain(target, associated)), `namespace/set/{"A":1} namespace/core-deploy-ui-override/{"O":1}`; got != want {
		t.Errorf("chain %s, want %s", got, want)
	}
}

// The values that files of credentials give are listed, also where another value wins, and no others are.
func TestSecrets(t *testing.T) {
	layer := func(name string, file bool, text string) parameters.Layer {
		values, err := value.ParseStored([]byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return parameters.Layer{Source: parameters.Source{Name: name, File: file}, Values: values}
	}
	files := []parameters.Layer{
		layer("deployment/core/app/values/deployment-parameters.yaml", true, `{"A":1,"M":{"x":1}}`),
		layer("deployment/core/app/values/credentials.yaml", true, `{"TOKEN":"t","M":{"key":"k"}}`),
		layer("deployment/core/app/values/collision-credentials.yaml", true, `{"S":{"p":"p"}}`),
	}
	set, err := parameters.Effective(nil, files, []parameters.Layer{layer("credentials.yaml", false, `{"TOKEN":"mine","B":2}`)}, parameters.OverlapRefused)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(set.Secrets()); got != "[/M/key /TOKEN /S/p]" {
		t.Error(got)
	}
}
