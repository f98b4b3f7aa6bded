package activator_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/activator"
	"github.com/dovetail-store/dovetail/src/value"
)

var update = flag.Bool("update", false, "write the golden files")

var installable = []activator.Selected{
	{Package: "foo-package", Image: "quay.io/example/foo@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Source: "cat", Version: "1.2.0", Channel: "stable"},
	{Package: "bar-package", Image: "oci://registry.example:5000/charts/bar:1.1.0", Source: "cat", Version: "1.1.0-rc.1", Channel: "fast"},
}

// definitions are the schemas of published CustomResourceDefinitions, by apiVersion and kind. Members that a definition does not have, which an
// API server would drop, are refused.
func definitions(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	files, err := filepath.Glob("testdata/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	schemas := make(map[string]*jsonschema.Schema)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents, err := yaml.Parse(file, text, value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		spec := documents[0].Get("spec")
		for _, version := range spec.Get("versions").Items {
			closed := version.At("schema", "openAPIV3Schema")
			for _, m := range closed.Get("properties").Members {
				if m.Name == "spec" {
					closeMaps(m.Value)
				}
			}
			compiler := jsonschema.NewCompiler()
			if err := compiler.AddResource(file, value.ToAny(closed)); err != nil {
				t.Fatal(err)
			}
			name := spec.Get("group").Text + "/" + version.Get("name").Text + " " + spec.At("names", "kind").Text
			if schemas[name], err = compiler.Compile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	return schemas
}

// closeMaps lets objects have no members but those that are named.
func closeMaps(schema *value.Value) {
	if properties := schema.Get("properties"); properties != nil && properties.Kind == value.Map {
		if schema.Get("x-kubernetes-preserve-unknown-fields") == nil {
			schema.Set("additionalProperties", value.NewBool(false))
		}
		for _, m := range properties.Members {
			closeMaps(m.Value)
		}
	}
	if items := schema.Get("items"); items != nil && items.Kind == value.Map {
		closeMaps(items)
	}
}

// TestManifests compares what each class makes with golden files, and validates it by the published types.
func TestManifests(t *testing.T) {
	schemas := definitions(t)
	all := activator.Parameters{"namespace": "apps", "control-namespace": "tools", "service-account": "installer", "project": "team", "server": "https://10.0.0.1", "interval": "1h30m"}
	of := func(names ...string) activator.Parameters {
		some := make(activator.Parameters)
		for _, name := range names {
			some[name] = all[name]
		}
		return some
	}
	for _, tt := range []struct {
		class      activator.Class
		parameters activator.Parameters
		objects    int
	}{
		{activator.ClusterExtension, of("namespace", "service-account"), 2},
		{activator.Application, of("namespace", "control-namespace", "project", "server"), 2},
		{activator.HelmRelease, of("namespace", "control-namespace", "service-account", "interval"), 4},
		{activator.OCIRepository, of("control-namespace", "interval"), 2},
	} {
		for name, parameters := range map[string]activator.Parameters{"given": tt.parameters, "default": nil} {
			t.Run(string(tt.class)+" "+name, func(t *testing.T) {
				if _, err := activator.Entities(tt.class, installable); err != nil {
					t.Fatal(err)
				}
				text, err := activator.Objects(tt.class, installable, parameters)
				if err != nil {
					t.Fatal(err)
				}
				documents, err := yaml.Parse("manifests", text, value.Limits{})
				if err != nil || len(documents) != tt.objects {
					t.Fatalf("%d objects, %v", len(documents), err)
				}
				for _, object := range documents {
					schema := schemas[object.Get("apiVersion").Text+" "+object.Get("kind").Text]
					if schema == nil {
						t.Fatalf("no definition of %s", object.JSON())
					}
					if err := schema.Validate(value.ToAny(object)); err != nil {
						t.Errorf("%s: %v", object.JSON(), err)
					}
				}
				golden := filepath.Join("testdata/manifests", string(tt.class)+"-"+name+".yaml")
				if *update {
					if err := os.WriteFile(golden, text, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if want, err := os.ReadFile(golden); err != nil || string(text) != string(want) {
					t.Errorf("got\n%s\nwant\n%s%v", text, want, err)
				}
			})
		}
	}
}

// TestManifestsRefused: parameters and images that cannot be are named, all of them.
func TestManifestsRefused(t *testing.T) {
	for _, tt := range []struct {
		name       string
		class      activator.Class
		selections []activator.Selected
		parameters activator.Parameters
		reason     string
		mentions   []string
	}{
		{"a parameter that is misspelt", activator.Application, installable, activator.Parameters{"namespce": "x"}, activator.ReasonParameter, []string{"activator.dovetail.dev/namespce", "control-namespace, namespace, project, server"}},
		{"parameters of another class", activator.Operator, installable, activator.Parameters{"namespace": "x", "interval": "1h"}, activator.ReasonParameter, []string{"namespace", "interval", "which has none"}},
		{"values", activator.HelmRelease, installable, activator.Parameters{"namespace": "A", "interval": "often", "service-account": "-"}, activator.ReasonParameter, []string{`namespace cannot be "A"`, `interval cannot be "often"`, `service-account cannot be "-"`}},
		{"a server without TLS", activator.Application, installable, activator.Parameters{"server": "http://x"}, activator.ReasonParameter, []string{"server"}},
		{"images", activator.OCIRepository, []activator.Selected{{Package: "a", Image: "foo:1"}, {Package: "b", Image: "host/foo"}, installable[0]}, nil, activator.ReasonImageInvalid, []string{"foo:1 of a", "host/foo of b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := activator.Objects(tt.class, tt.selections, tt.parameters)
			if err == nil {
				t.Fatal("accepted")
			}
			e := dovetail.AsError(err)
			for _, part := range tt.mentions {
				if e.Reason != tt.reason || !strings.Contains(e.Message, part) {
					t.Errorf("%s: %v lacks %s", e.Reason, e, part)
				}
			}
		})
	}
}

func TestLock(t *testing.T) {
	want := `resolution: web
inputDigest: sha256:1
packages:
  - name: foo-package
    version: 1.2.0
    source: cat
    channel: stable
  - name: bar-package
    version: 1.1.0-rc.1
    source: cat
    channel: fast
    image: i
`
	if got := string(activator.Lock("web", "sha256:1", []activator.Selected{{Package: "foo-package", Source: "cat", Version: "1.2.0", Channel: "stable"}, {Package: "bar-package", Source: "cat", Version: "1.1.0-rc.1", Channel: "fast", Image: "i"}})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestHeldManifests makes one file of the objects that versions hold, and names all that is wrong with them.
func TestHeldManifests(t *testing.T) {
	const (
		config = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"apps"},"data":{"k":"v"}}`
		deploy = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":1}}`
	)
	selected := func(pkg, manifests string) activator.Selected {
		return activator.Selected{Package: pkg, Version: "1.0.0", Manifests: manifests}
	}
	tests := []struct {
		name       string
		selections []activator.Selected
		want, err  string
	}{
		{"two", []activator.Selected{selected("p", "["+config+"]"), selected("q", "["+deploy+"]")},
			"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: apps\ndata:\n  k: v\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  replicas: 1\n", ""},
		{"nothing selected", nil, "", ""},
		{"none held", []activator.Selected{selected("p", ""), selected("q", "[]")}, "", "p 1.0.0 holds none; those of q 1.0.0 are no list of objects"},
		{"no object", []activator.Selected{selected("p", `[{"kind":"ConfigMap","metadata":{"name":"a"}},7]`)}, "", "object 1 of p 1.0.0 lacks apiVersion, kind or metadata.name; object 2 of p 1.0.0 lacks"},
		{"one object of two packages", []activator.Selected{selected("p", "["+deploy+"]"), selected("q", "["+strings.Replace(deploy, "apps/v1", "apps/v1beta2", 1)+"]")}, "", "p and q both hold Deployment.apps a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entities, err := activator.Entities(activator.Manifests, tt.selections)
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range entities {
				if e.Manifests == "" || i > 0 && e.Manifests == entities[0].Manifests {
					t.Errorf("the digests of %v do not tell manifests apart", entities)
				}
			}
			text, err := activator.Objects(activator.Manifests, tt.selections, nil)
			if tt.err == "" && (err != nil || string(text) != tt.want) {
				t.Errorf("got\n%s%v\nwant\n%s", text, err, tt.want)
			}
			if tt.err != "" && (err == nil || dovetail.AsError(err).Reason != activator.ReasonManifests || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %v, want %s", err, tt.err)
			}
		})
	}
	if _, err := activator.Objects(activator.Manifests, nil, activator.Parameters{"namespace": "n"}); err == nil || dovetail.AsError(err).Reason != activator.ReasonParameter {
		t.Errorf("a parameter that the class does not have: %v", err)
	}
}
