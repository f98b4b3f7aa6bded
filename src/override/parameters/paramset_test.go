package parameters_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

func paths(errs []*dovetail.Error) string {
	var all []string
	for _, e := range errs {
		all = append(all, e.Position.Path)
	}
	return strings.Join(all, " ")
}

func TestCheckParamSet(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"whole", `{name: x, parameters: {a: 1}, applications: [{appName: a, parameters: {b: 1}}]}`, ""},
		{"empty", `{}`, ""},
		{"nulls", `{parameters: null, applications: null}`, ""},
		{"an application without parameters", `{applications: [{appName: a}]}`, ""},
		{"parameters of a kind", `{parameters: [], applications: {}}`, "/parameters /applications"},
		{"applications", `{applications: [x, {parameters: {}}, {appName: ""}, {appName: a, parameters: 1}, {appName: a}]}`,
			"/applications/0/appName /applications/1/appName /applications/2/appName /applications/3/parameters /applications/4/appName"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var all dovetail.Errors
			parameters.CheckParamSet(read(t, test.text), &all)
			errs := all.Kept()
			if got := paths(errs); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			for _, e := range errs {
				if e.Code != dovetail.CodeInvalid || e.Reason != parameters.ReasonStructure || e.Remedy == "" {
					t.Errorf("%+v", e)
				}
			}
		})
	}
	var all dovetail.Errors
	parameters.CheckParamSet(read(t, `[1]`), &all)
	if errs := all.Kept(); paths(errs) != "" || len(errs) != 1 {
		t.Errorf("a list: %v", errs)
	}
}

// The rows of the table of levels, each with what it forbids.
func TestCheckLevel(t *testing.T) {
	const onlyParameters, onlyApplications, both, nothing = `{parameters: {a: 1}, applications: []}`, `{parameters: {}, applications: [{appName: a, parameters: {b: 1}}]}`,
		`{parameters: {a: 1}, applications: [{appName: a}]}`, `{}`
	levels := map[parameters.Level]parameters.Target{parameters.LevelEnvironment: {}, parameters.LevelNamespace: {DeployPostfix: "n"}, parameters.LevelApplication: {DeployPostfix: "n", Application: "a"}}
	wants := map[parameters.Level]map[string]string{
		parameters.LevelEnvironment: {onlyParameters: "", onlyApplications: "/applications", both: "/applications", nothing: "/parameters"},
		parameters.LevelNamespace:   {onlyParameters: "", onlyApplications: "/applications", both: "/applications", nothing: "/parameters"},
		parameters.LevelApplication: {onlyParameters: "/parameters /applications", onlyApplications: "", both: "/parameters", nothing: "/applications"},
	}
	for level, want := range wants {
		for _, context := range parameters.Contexts() {
			for text, paths2 := range want {
				target := levels[level]
				target.Context = context
				if level == parameters.LevelApplication && context == parameters.Pipeline {
					paths2 = "/applications"
				}
				errs := parameters.CheckLevel(target, read(t, text))
				if got := paths(errs); got != paths2 {
					t.Errorf("%s, %s, %s: %q, want %q", level, context, text, got, paths2)
				}
				for _, e := range errs {
					if e.Code != dovetail.CodeUnprocessable || e.Reason != parameters.ReasonLevel {
						t.Errorf("%+v", e)
					}
				}
			}
		}
	}
}

func TestWith(t *testing.T) {
	environment, application := parameters.Target{Environment: env, Context: parameters.Deployment},
		parameters.Target{Environment: env, Context: parameters.Deployment, DeployPostfix: "n", Application: "a"}
	tests := []struct {
		name   string
		target parameters.Target
		before string
		want   string
	}{
		{"a new one", environment, "null", `{"name":"deploy-ui-override","parameters":{"x":1},"applications":[]}`},
		{"a new one of an application", application, "null", `{"name":"n-a-deploy-ui-override","parameters":{},"applications":[{"appName":"a","parameters":{"x":1}}]}`},
		{"all else stays", environment, `{version: 1, parameters: {old: 1}, name: other}`, `{"version":1,"parameters":{"x":1},"name":"other","applications":[]}`},
		{"other applications stay", application, `{parameters: {}, applications: [{appName: b}, {note: 1, appName: a, parameters: {old: 1}}]}`,
			`{"parameters":{},"applications":[{"appName":"b"},{"note":1,"appName":"a","parameters":{"x":1}}]}`},
		{"one more application", application, `{applications: [{appName: b}]}`, `{"applications":[{"appName":"b"},{"appName":"a","parameters":{"x":1}}],"parameters":{}}`},
		{"applications that are null", application, `{applications: null}`, `{"applications":[{"appName":"a","parameters":{"x":1}}],"parameters":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := read(t, test.before)
			text := string(before.JSON())
			set := parameters.With(before, test.target, read(t, `{x: 1}`))
			if got := string(set.JSON()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if string(before.JSON()) != text {
				t.Errorf("it was changed to %s", before.JSON())
			}
			if got := string(parameters.Of(set, test.target.Application).JSON()); got != `{"x":1}` {
				t.Errorf("read back: %s", got)
			}
		})
	}
	if v := parameters.Of(nil, "a"); v != nil {
		t.Errorf("of nothing: %s", v.JSON())
	}
}
