package parameters_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

var env = inventory.Environment{Cluster: "c", Name: "e"}

func TestTargets(t *testing.T) {
	tests := []struct {
		name   string
		target parameters.Target
		called string
		object string
		level  parameters.Level
	}{
		{"environment", parameters.Target{Environment: env, Context: parameters.Deployment}, "deploy-ui-override", "cloud", parameters.LevelEnvironment},
		{"namespace", parameters.Target{Environment: env, Context: parameters.Runtime, DeployPostfix: "core"}, "core-runtime-ui-override", "core", parameters.LevelNamespace},
		{"application", parameters.Target{Environment: env, Context: parameters.Deployment, DeployPostfix: "core-x", Application: "my-app"},
			"core-x-my-app-deploy-ui-override", "core-x", parameters.LevelApplication},
		{"pipeline", parameters.Target{Environment: env, Context: parameters.Pipeline, DeployPostfix: "core"}, "core-pipeline-ui-override", "core", parameters.LevelNamespace},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if name := test.target.Name(); name != test.called || !parameters.IsOverride(name) {
				t.Errorf("the name is %s", name)
			}
			if test.target.Object() != test.object || test.target.Level() != test.level {
				t.Errorf("%s, %s", test.target.Object(), test.target.Level())
			}
			if err := test.target.Check(); err != nil {
				t.Error(err)
			}
			back, ok := parameters.OverrideTarget(env, test.target.Context, test.object, test.called)
			if !ok || back != test.target {
				t.Errorf("%s is read as %+v", test.called, back)
			}
			if found, ok := parameters.FindTarget(env, test.called, []string{"core", "core-x"}); !ok || found != test.target {
				t.Errorf("%s is found as %+v", test.called, found)
			}
			if above := test.target.Above(); above[len(above)-1] != test.target || above[0].Level() != parameters.LevelEnvironment {
				t.Errorf("above are %+v", above)
			}
		})
	}
	for _, wrong := range []parameters.Target{{Context: parameters.Pipeline, DeployPostfix: "a", Application: "b"}, {Context: parameters.Deployment, Application: "b"}, {Context: parameters.Deployment, DeployPostfix: "a", Application: "../b"}} {
		if err := wrong.Check(); dovetail.CodeOf(err) != dovetail.CodeInvalid || dovetail.AsError(err).Remedy == "" {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	for _, name := range []string{"override", "deploy-override", "ui-overrides", "x-ui-override-1", "xui-override"} {
		if parameters.IsOverride(name) {
			t.Errorf("%s is an override", name)
		}
		if _, ok := parameters.FindTarget(env, name, []string{"x"}); ok {
			t.Errorf("%s has a target", name)
		}
	}
	if _, ok := parameters.FindTarget(env, "other-deploy-ui-override", []string{"core"}); ok {
		t.Error("the override of a namespace that there is not has a target")
	}
}

func TestForRole(t *testing.T) {
	for _, test := range []struct {
		postfix string
		role    parameters.Role
		want    string
	}{{"app", "", "app"}, {"app", parameters.Origin, "app-origin"}, {"app-origin", parameters.Origin, "app-origin"}, {"app-origin", parameters.Peer, "app-origin-peer"}} {
		if got := parameters.ForRole(test.postfix, test.role); got != test.want {
			t.Errorf("%s as %s is %s", test.postfix, test.role, got)
		}
	}
}

func TestArrange(t *testing.T) {
	tests := []struct {
		name    string
		context parameters.Context
		object  string
		links   string // name:order
		want    string
	}{
		{"nothing", parameters.Deployment, "core", "", ""},
		{"gaps are closed", parameters.Deployment, "core", "b:7 a:3", "a b"},
		{"overrides go last", parameters.Deployment, "core", "core-my-app-deploy-ui-override:0 a:1 core-deploy-ui-override:2 b:3", "a b core-deploy-ui-override core-my-app-deploy-ui-override"},
		{"that of the environment before", parameters.Deployment, "core", "core-deploy-ui-override:0 deploy-ui-override:1 a:2", "a deploy-ui-override core-deploy-ui-override"},
		{"applications stay in their order", parameters.Runtime, "core", "core-z-runtime-ui-override:1 core-a-runtime-ui-override:2", "core-z-runtime-ui-override core-a-runtime-ui-override"},
		{"ties stay", parameters.Pipeline, "cloud", "b:0 a:0 pipeline-ui-override:0", "b a pipeline-ui-override"},
		{"that of another context is last of all", parameters.Pipeline, "cloud", "deploy-ui-override:0 pipeline-ui-override:1", "pipeline-ui-override deploy-ui-override"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var links []parameters.Link
			for _, text := range strings.Fields(test.links) {
				name, order, _ := strings.Cut(text, ":")
				link := parameters.Link{Name: name}
				if _, err := fmt.Sscan(order, &link.Order); err != nil {
					t.Fatal(err)
				}
				links = append(links, link)
			}
			var got []string
			for i, link := range parameters.Arrange(test.context, test.object, links) {
				if link.Order != i {
					t.Errorf("%s has the order %d at %d", link.Name, link.Order, i)
				}
				got = append(got, link.Name)
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("%v, want %s", got, test.want)
			}
		})
	}
}

// Arranging twice is arranging once, and what is no override keeps its order.
func TestArrangeIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c", "deploy-ui-override", "core-deploy-ui-override", "core-x-deploy-ui-override", "core-y-deploy-ui-override"}),
			rapid.ID[string]).Draw(t, "names")
		links := make([]parameters.Link, len(names))
		for i, name := range names {
			links[i] = parameters.Link{ID: fmt.Sprint(i), Name: name, Order: i}
		}
		once := parameters.Arrange(parameters.Deployment, "core", append([]parameters.Link{}, links...))
		twice := parameters.Arrange(parameters.Deployment, "core", append([]parameters.Link{}, once...))
		seenOverride, last := false, -1
		for i := range once {
			if once[i] != twice[i] || once[i].Order != i {
				t.Fatalf("%v, then %v", once, twice)
			}
			if parameters.IsOverride(once[i].Name) {
				seenOverride = true
				continue
			}
			was, err := strconv.Atoi(once[i].ID)
			if err != nil {
				t.Fatal(err)
			}
			if seenOverride || was < last {
				t.Fatalf("%v of %v", once, names)
			}
			last = was
		}
	})
}
