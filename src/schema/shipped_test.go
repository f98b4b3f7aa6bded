package schema_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/api"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	root    = "../.."
	example = root + "/ref-schemas/examples/emco"
)

// The built-in schema is the aggregate of what the services own.
func TestShippedAggregate(t *testing.T) {
	var files []string
	for _, pattern := range []string{"/src/*/ref-schemas/v1.yaml", "/src/internal/*/*/ref-schemas/v1.yaml"} {
		found, err := filepath.Glob(root + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d ref-schemas, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	var names []string
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	want, err := schema.Aggregate(readSources(t, root, names...))
	if err != nil {
		t.Fatal(err)
	}
	const file = root + "/ref-schemas/dovetail.yaml"
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("ref-schemas/dovetail.yaml is stale: run `make ref-schemas`\n%s", want)
	}
}

func TestEmbeddedSchema(t *testing.T) {
	sources, err := schema.ReadFS(refschemas.FS)
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	if warnings := model.Warnings(); len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
	for _, k := range model.Kinds() {
		if k.Description == "" {
			t.Errorf("%s has no description", k.Name)
		}
	}
	namespace, err := model.Find("namespace")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"cluster", "environment", "deployPostfix"}; !slices.Equal(namespace.Elements, want) {
		t.Errorf("the key of a namespace is %v, want %v", namespace.Elements, want)
	}
}

func compileExample(t *testing.T) *schema.Model {
	t.Helper()
	sources, err := schema.ReadDir(example)
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	if warnings := model.Warnings(); len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
	return model
}

// The example has the kinds, parents and references of the schema it is made from.
func TestExampleHasTheSchemaOfEMCO(t *testing.T) {
	got, want := compileExample(t).Names(), compileEMCO(t, "ref-schema.yaml").Names()
	if len(got) != len(want) {
		t.Fatalf("%d names, want %d", len(got), len(want))
	}
	for i := range got {
		a, b := got[i], want[i]
		if a.Name != b.Name || a.Parent != b.Parent || a.KeyID != b.KeyID || !slices.Equal(a.ReferencedBy, b.ReferencedBy) {
			t.Errorf("got %+v, want %+v", a, b)
		}
	}
}

// conventional are the success codes where a kind does not say otherwise.
var conventional = map[string][]string{"POST": {"201"}, "LIST": {"200"}, "GET": {"200"}, "PUT": {"200", "201"}, "DELETE": {"204"}}

// Every route of EMCO is served by the example, with its verbs and success codes.
func TestExampleServesTheRoutesOfEMCO(t *testing.T) {
	model := compileExample(t)
	routes := readYAML(t, "emco/routes.yaml").Get("routes").Items
	if len(routes) != 54 {
		t.Fatalf("%d routes, want 54", len(routes))
	}
	for _, want := range routes {
		item := schemaPath(want, str(want, "path-template"))
		t.Run(item, func(t *testing.T) {
			got := routeAt(model, item)
			if got == nil {
				t.Fatal("not served")
			}
			if entry := str(want, "resource"); got.Kind.Entry != entry {
				t.Errorf("the kind is %s, want %s", got.Kind.Entry, entry)
			}
			if path := schemaPath(want, str(want, "collection")); path != "" && got.Path != path {
				t.Errorf("the collection is %s, want %s", got.Path, path)
			}
			if service := str(want, "service"); len(got.Kind.Collections) == 1 && got.Kind.Service != service {
				t.Errorf("the service is %s, want %s", got.Kind.Service, service)
			}
			checkFixed(t, got, want.Get("fixed-keys"))
			checkMethods(t, got, want.Get("methods"))
			checkContent(t, got, want)
		})
	}
}

// schemaPath rewrites a path of routes.yaml: without the API's root, and with the variables called as
// the key elements.
func schemaPath(route *value.Value, path string) string {
	path = strings.TrimPrefix(path, api.Root)
	if vars := route.Get("path-vars"); vars != nil {
		for _, m := range vars.Members {
			path = strings.ReplaceAll(path, "{"+m.Name+"}", "{"+m.Value.Text+"}")
		}
	}
	return path
}

func routeAt(model *schema.Model, item string) *schema.Route {
	for _, k := range model.Kinds() {
		if k.Abstract {
			continue
		}
		for _, r := range k.Routes() {
			if r.Item == item {
				return &r
			}
		}
	}
	return nil
}

func checkFixed(t *testing.T, got *schema.Route, want *value.Value) {
	t.Helper()
	if want == nil {
		want = value.NewMap()
	}
	if len(got.Fixed) != len(want.Members) {
		t.Errorf("fixed is %v, want %s", got.Fixed, want.JSON())
	}
	for _, m := range want.Members {
		if got.Fixed[m.Name] != m.Value.Text {
			t.Errorf("fixed is %v, want %s", got.Fixed, want.JSON())
		}
	}
}

func checkMethods(t *testing.T, got *schema.Route, want *value.Value) {
	t.Helper()
	for _, m := range want.Members {
		codes := conventional[m.Name]
		if code, special := got.Collection.Methods[m.Name]; special {
			codes = []string{strconv.Itoa(code)}
		}
		if allowed := strs(m.Value); !slices.Equal(codes, allowed) {
			t.Errorf("%s answers %v, want %v", m.Name, codes, allowed)
		}
	}
	for verb := range got.Collection.Methods {
		if want.Get(verb) == nil {
			t.Errorf("%s has a code, but is no method there", verb)
		}
	}
}

func checkContent(t *testing.T, got *schema.Route, want *value.Value) {
	t.Helper()
	var parts []schema.ContentPart
	if name := str(want, "file-part"); name != "" {
		parts = []schema.ContentPart{{Name: name, Multiple: name == "files"}}
	}
	if !slices.Equal(got.Kind.Content, parts) {
		t.Errorf("content is %v, want %v", got.Kind.Content, parts)
	}
}

// Every action of EMCO is one of the example's, except the one that is not below an item.
func TestExampleHasTheActionsOfEMCO(t *testing.T) {
	model := compileExample(t)
	actions := map[string]int{}
	for _, k := range model.Kinds() {
		for _, r := range k.Routes() {
			for _, a := range k.Actions {
				actions[a.Method+" "+withoutNames(r.Item)+"/"+a.Path] = a.Code
			}
		}
	}
	wanted := readYAML(t, "emco/routes.yaml").Get("actions").Items
	for _, want := range wanted {
		name := str(want, "method") + " " + withoutNames(strings.TrimPrefix(str(want, "path"), api.Root))
		t.Run(name, func(t *testing.T) {
			if name == "GET /health" {
				t.Skip("the API's own, not a part of the schema")
			}
			codes := strs(want.Get("success"))
			if code := strconv.Itoa(actions[name]); !slices.Equal(codes, []string{code}) {
				t.Errorf("answers %s, want %v", code, codes)
			}
		})
	}
	if len(actions) != len(wanted)-1 {
		t.Errorf("%d actions, want %d", len(actions), len(wanted)-1)
	}
}

// withoutNames replaces the variables of a path by "{}".
func withoutNames(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}
