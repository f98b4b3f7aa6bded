package schema_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestKindOf(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml"))
	for _, c := range []struct {
		name, id, want, remedy string
	}{
		{"top", "project/p", "project", ""},
		{"dotted", "project/p/app/a/version/1", "version", ""},
		{"below a dotted kind", "project/p/app/a/version/1/part/x", "part", ""},
		{"below a first half", "project/p/x/1/below/b", "below", ""},
		{"a first half that is a parent", "project/p/x/1", "x", ""},
		{"escaped", "project/a%2Fb/cloud/project", "cloud", ""},
		{"a first half that is none", "project/p/app/a", "", "the key elements of version are project, app, version"},
		{"without its parent", "cloud/c", "", "the key elements of cloud are project, cloud"},
		{"below another parent", "provider/p/cloud/c", "", "the key elements of cloud are project, cloud"},
		{"misspelt", "projekt/p", "", `did you mean "project"?`},
		{"unknown", "zzzz/p", "", `no kind has an element "zzzz"`},
		{"too long", "project/p/x/1/y/2/z", "", ""},
		{"empty", "", "", ""},
		{"odd", "project", "", ""},
		{"a name as prefix", "projectx/p", "", `did you mean "project"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, err := model.KindOf(dovetail.ID(c.id))
			if c.want != "" {
				if err != nil || kind.Name != c.want {
					t.Fatalf("got %v, %v, want %s", kind, err, c.want)
				}
				return
			}
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Fatalf("got %v, %v", kind, err)
			}
			if remedy := dovetail.AsError(err).Remedy; c.remedy != "" && remedy != c.remedy {
				t.Errorf("the remedy is %q, want %q", remedy, c.remedy)
			}
		})
	}
}

func TestFind(t *testing.T) {
	model := compileExample(t)
	for _, c := range []struct{ name, want, remedy string }{
		{"app", "app", ""},
		{"apps", "app", ""},
		{"composite-apps", "compositeAppVersion", ""},
		{"compositeApp", "compositeAppVersion", ""},
		{"composite-app", "compositeAppVersion", ""},
		{"compositeApps", "compositeAppVersion", ""},
		{"deploymentintentgroups", "deploymentIntentGroup", ""},
		{"compositeApp.compositeAppVersion", "compositeAppVersion", ""},
		{"DeploymentIntentGroup", "deploymentIntentGroup", ""},
		{"agents", "agent", ""},
		{"policy/agents", "agent", ""},
		{"clm-controllers", "controller", ""},
		{"ca-certs", "", "use the name of one of them"},
		{"ap", "", `did you mean "app"?`},
		{"nothing-like-it", "", "`dovetail schema show` lists the kinds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, err := model.Find(c.name)
			if c.want != "" {
				if err != nil || kind.Name != c.want {
					t.Fatalf("got %v, %v, want %s", kind, err, c.want)
				}
				return
			}
			if dovetail.CodeOf(err) != dovetail.CodeInvalid || dovetail.AsError(err).Remedy != c.remedy {
				t.Errorf("got %v, want %s", err, c.remedy)
			}
		})
	}
}

func TestParentID(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml")+`
  - name: module
    abstract: true
  - name: agent
    parent: module
  - name: tool
    parent: agent
`)
	for _, c := range []struct{ name, id, want string }{
		{"top", "project/p", ""},
		{"child", "project/p/cloud/c", "project/p"},
		{"dotted", "project/p/app/a/version/1", "project/p"},
		{"below a dotted kind", "project/p/app/a/version/1/part/x", "project/p/app/a/version/1"},
		{"below a first half", "project/p/x/1/below/b", "project/p"},
		{"below an abstract kind at the top", "module/m/agent/a", ""},
		{"below that", "module/m/agent/a/tool/t", "module/m/agent/a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, err := model.KindOf(dovetail.ID(c.id))
			if err != nil {
				t.Fatal(err)
			}
			if got := kind.ParentID(dovetail.ID(c.id)); got != dovetail.ID(c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestID(t *testing.T) {
	kind := kindOf(t, compile(t, readText(t, "rules.yaml")), "version")
	for _, c := range []struct {
		name   string
		values []string
		want   dovetail.ID
		errors int
	}{
		{"valid", []string{"p", "a", "1"}, "project/p/app/a/version/1", 0},
		{"escaped", []string{"p/q", "a b", "%"}, "project/p%2Fq/app/a%20b/version/%25", 0},
		{"too few", []string{"p", "a"}, "", 1},
		{"too many", []string{"p", "a", "1", "2"}, "", 1},
		{"invalid values", []string{"", "..", strings.Repeat("x", 300)}, "", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, err := kind.ID(c.values...)
			if c.errors == 0 {
				if err != nil || id != c.want {
					t.Errorf("got %q, %v, want %q", id, err, c.want)
				}
				return
			}
			if id != "" || dovetail.CodeOf(err) != dovetail.CodeInvalid || len(parts(err)) != c.errors {
				t.Errorf("got %q, %v, want %d errors", id, err, c.errors)
			}
		})
	}
}

// The first half of a dotted entry means its kind to users, also when it is another kind's parent.
func TestKindByEitherHalf(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml"))
	for _, name := range []string{"x", "y"} {
		if kind := kindOf(t, model, name); kind.Name != "y" || kind.Abstract {
			t.Errorf("%s is %s", name, kind.Name)
		}
	}
	if below := kindOf(t, model, "below"); below.Parent.Name != "x" || !below.Parent.Abstract {
		t.Errorf("the parent is %s", below.Parent.Name)
	}
	if _, ok := model.Kind("nothing"); ok {
		t.Error("found nothing")
	}
}
