package httpapi_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// emcoRoute is one entry of routes.yaml: a kind with its verbs, or an action.
type emcoRoute struct {
	resource   string
	collection string
	item       string // for an action its own path
	methods    map[string][]int
	filePart   string // "" when bodies are not multipart
}

func emcoRoutes(t *testing.T) (routes, actions []emcoRoute) {
	t.Helper()
	text, err := os.ReadFile("testdata/emco/routes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	values, err := yaml.Parse("routes.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	codes := func(v *value.Value) (all []int) {
		for _, item := range v.Items {
			n, err := strconv.Atoi(item.Text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, n)
		}
		return all
	}
	str := func(v *value.Value, name string) string {
		text, _ := v.Get(name).Str()
		return text
	}
	for _, v := range values[0].Get("routes").Items {
		r := emcoRoute{resource: str(v, "resource"), collection: str(v, "collection"), item: str(v, "path-template"), filePart: str(v, "file-part"), methods: map[string][]int{}}
		for _, m := range v.Get("methods").Members {
			r.methods[m.Name] = codes(m.Value)
		}
		routes = append(routes, r)
	}
	for _, v := range values[0].Get("actions").Items {
		actions = append(actions, emcoRoute{item: str(v, "path"), methods: map[string][]int{str(v, "method"): codes(v.Get("success"))}})
	}
	return routes, actions
}

func newEMCO(t *testing.T) *server {
	t.Helper()
	sources, err := schema.ReadDir("../../../../ref-schemas/examples/emco")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(t, model)
	return &server{t: t, store: s, api: httpapi.New(s, httpapi.Options{})}
}

var variable = regexp.MustCompile(`\{[^}]*\}`)

// fill gives every variable a name as the system's examples have them, with underscores.
func fill(template string) string {
	return variable.ReplaceAllStringFunc(template, func(v string) string { return "my_" + strings.ToLower(v[1:len(v)-1]) })
}

// emco is a server of the example with the routes of the system it is made after.
type emco struct {
	*server
	routes []emcoRoute
}

// parents creates the documents on the way to a path.
func (e *emco) parents(template string) {
	e.t.Helper()
	pattern := func(template string) string { return variable.ReplaceAllString(template, "{}") }
	var above []string
	kinds := make(map[string]string)
	for _, r := range e.routes {
		if n := strings.Count(r.item, "/"); strings.HasPrefix(pattern(template), pattern(r.item)+"/") {
			item := strings.Join(strings.Split(template, "/")[:n+1], "/")
			above, kinds[item] = append(above, item), r.resource
		}
	}
	if version, _, below := strings.Cut(template, "/deployment"); below { // whose intents may refer to it
		above = append(above, version+"/apps/{app}")
	}
	slices.Sort(above)
	for _, item := range slices.Compact(above) {
		if w := e.do(call{method: "PUT", path: fill(item), body: `{` + strings.TrimPrefix(specOf(kinds[item]), ",") + `}`}); w.Code != 200 && w.Code != 201 {
			e.t.Fatalf("PUT %s: %d %s", fill(item), w.Code, w.Body)
		}
	}
}

// specOf is a member spec, behind a comma, for kinds whose schema asks for one.
func specOf(kind string) string {
	switch kind {
	case "hpaIntent":
		return `,"spec":{"app":"my_app"}`
	case "hpaResource":
		return `,"spec":{"allocatable":true,"resource":{"name":"cpu","requests":1}}`
	case "inboundClientsIntent":
		return `,"spec":{"app":"my_app","appLabel":"app=x","serviceName":"x","namespaces":[],"cidrs":[]}`
	}
	return ""
}

// send sends data as the kind wants it: the metadata part has no content type.
func (e *emco) send(verb string, r emcoRoute, path, data string, files ...file) int {
	e.t.Helper()
	if r.filePart == "" {
		w := e.do(call{method: verb, path: path, header: map[string]string{"Content-Type": "application/json"}, body: data})
		return w.Code
	}
	return e.sendForm(verb, path, append([]file{{name: "metadata", data: data}}, files...)...).Code
}

func (e *emco) expect(verb, path string, got int, want []int) {
	e.t.Helper()
	if !slices.Contains(want, got) {
		e.t.Errorf("%s %s: got %d, want one of %v", verb, path, got, want)
	}
}

// Every route of the older system is served, with its verbs and one of its success codes.
func TestEMCORoutes(t *testing.T) {
	t.Parallel()
	routes, actions := emcoRoutes(t)
	if len(routes) < 50 || len(actions) < 30 {
		t.Fatalf("%d routes, %d actions", len(routes), len(actions))
	}
	for _, r := range routes {
		t.Run(r.item, func(t *testing.T) {
			t.Parallel()
			e := &emco{newEMCO(t), routes}
			e.parents(r.item)
			e.walk(r)
		})
	}
	for _, a := range actions {
		t.Run(a.item, func(t *testing.T) {
			t.Parallel()
			e := &emco{newEMCO(t), routes}
			e.parents(a.item)
			path := fill(a.item)
			for verb, want := range a.methods {
				if verb == "GET" {
					e.expect(verb, path, e.do(call{method: verb, path: path}).Code, want)
					continue
				}
				for _, body := range []string{`{"metadata":{"name":""}}`, ""} {
					w := e.do(call{method: verb, path: path, body: body})
					if w.Code == 409 && strings.Contains(w.Body.String(), `"reason":"STATE"`) {
						continue // the route is there, and knows that the state does not allow it
					}
					e.expect(verb, path, w.Code, want)
				}
			}
		})
	}
}

func (e *emco) walk(r emcoRoute) {
	e.t.Helper()
	item, collection := fill(r.item), fill(r.collection)
	name := item[strings.LastIndexByte(item, '/')+1:]
	data := named(name)
	if spec := specOf(r.resource); spec != "" {
		data = strings.Replace(data, `,"spec":{}`, spec, 1)
	}
	switch r.resource {
	case "clusterLabel":
		data = `{"metadata":{"name":""},"clusterLabel":"` + name + `"}`
	case "compositeApp.compositeAppVersion":
		parts := strings.Split(item, "/")
		data = `{"metadata":{"name":"` + parts[len(parts)-2] + `"},"spec":{"compositeAppVersion":"` + name + `"}}`
	}
	upload := file{name: r.filePart, filename: "x.tgz", mediaType: "application/octet-stream", data: "\x1f\x8b"}
	for _, step := range []struct {
		verb, method, path string
		send               bool
	}{
		{"POST", "POST", collection, true}, {"POST-ITEM", "POST", item, true}, {"LIST", "GET", collection, false}, {"GET", "GET", item, false},
		{"PUT", "PUT", item, true}, {"DELETE", "DELETE", item, false}, {"PUT", "PUT", item, true}, {"DELETE-COLLECTION", "DELETE", collection, false},
	} {
		want, served := r.methods[step.verb]
		switch {
		case !served:
		case step.send:
			e.expect(step.method, step.path, e.send(step.method, r, step.path, data, upload), want)
		default:
			e.expect(step.method, step.path, e.do(call{method: step.method, path: step.path}).Code, want)
		}
	}
	if r.filePart != "" && r.methods["POST"] != nil {
		e.do(call{method: "DELETE", path: item})
		e.expect("POST without a file", collection, e.send("POST", r, collection, data), r.methods["POST"])
	}
}
