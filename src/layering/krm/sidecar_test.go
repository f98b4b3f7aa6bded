package krm_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// folder are files by their names. Those that begin with ! are only found when they are opened.
type folder map[string]string

func (f folder) read() ([]*rendering.Document, error) {
	known := make(map[string]*krm.File)
	var files []*krm.File
	for name, text := range f {
		file := &krm.File{Name: strings.TrimPrefix(name, "!"), Text: []byte(text)}
		file.Values, file.Err = yaml.Parse(file.Name, file.Text, value.Limits{})
		if known[file.Name] = file; file.Name == name {
			files = append(files, file)
		}
	}
	slices.SortFunc(files, func(a, b *krm.File) int { return strings.Compare(a.Name, b.Name) })
	return krm.ReadAll(files, opened(known))
}

// opened are files that can be opened. A base has those below its name.
type opened map[string]*krm.File

func (o opened) Open(from *krm.File, name string) (*krm.File, error) {
	if file := o[path.Join(path.Dir(from.Name), name)]; file != nil {
		return file, nil
	}
	return nil, dovetail.Errorf(dovetail.CodeInvalid, "it does not exist")
}

func (o opened) Base(_ *krm.File, base krm.Base) ([]*krm.File, error) {
	var files []*krm.File
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if strings.HasPrefix(name, base.Name+":") {
			files = append(files, o[name])
		}
	}
	if len(files) == 0 {
		return nil, dovetail.Errorf(dovetail.CodeUnavailable, "it cannot be reached")
	}
	return files, nil
}

// layeringOf is a Layering with entries, whose lists begin in line 6.
func layeringOf(entries string) string {
	return "apiVersion: layering.dovetail.dev/v1\nkind: Layering\nmetadata: {name: l}\nspec:\n  layerOrder: [base, site]\n" + entries
}

const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web, image: 'web:1'}, {name: log, image: 'log:1'}]}}}\n"

func TestFilesWithoutAnnotations(t *testing.T) {
	tests := []struct {
		name  string
		files folder
		want  string // the rendered documents, by the policy
	}{
		{"objects", folder{"l.yaml": layeringOf("  objects:\n  - {file: base/web.yaml, layer: base, abstract: true, labels: {is: base}}\n  - {file: web.yaml, layer: site, parentSelector: {is: base}}\n"),
			"!base/web.yaml": deployment, "web.yaml": strings.Replace(strings.Replace(deployment, "name: web}\n", "name: web, namespace: shop}\n", 1), "web:1", "web:2", 1)},
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"},{"name":"log","image":"log:1"}]}}}}`},
		{"some objects of a file", folder{"l.yaml": layeringOf("  objects:\n  - {file: all.yaml, object: {kind: ConfigMap}, layer: site, labels: {is: map}}\n  - {file: all.yaml, object: {name: web}, layer: base}\n"),
			"!all.yaml": deployment + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"},
			deploymentJSON + ` {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"b"}}`},
		{"two namespaces", folder{"l.yaml": layeringOf("  objects:\n  - {file: all.yaml, layer: site}\n"),
			"!all.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: b}\n"},
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"a"}} {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"b"}}`},
		{"values", folder{"l.yaml": layeringOf("  values:\n  - {file: a.yaml, name: a, layer: base, abstract: true, labels: {is: a}}\n  - {file: b.yaml, name: b, layer: site, parentSelector: {is: a}}\n"),
			"a.yaml": "x: {on: yes, port: 22:22, gone: 1}\nl: [1, 2]\n", "!b.yaml": "x: {gone: null, own: {$patch: delete}}\nl: [3]\n"},
			`{"x":{"on":true,"port":"22:22","gone":null,"own":{"$patch":"delete"}},"l":[3]}`},
		{"values that are nothing", folder{"l.yaml": layeringOf("  values:\n  - {file: a.yaml, name: a, layer: base}\n"), "!a.yaml": "# no values\n"}, `{}`},
		{"values with actions, of a member data", folder{"l.yaml": layeringOf("  values:\n  - {file: a.yaml, name: a, layer: base, abstract: true, labels: {is: a}}\n" +
			"  - {file: b.yaml, name: b, layer: site, parentSelector: {is: a}, mergeKeys: {.data.l: id}, actions: [{method: merge, path: .data}, {method: delete, path: .x}]}\n"),
			"a.yaml": "data: {l: [{id: 1, a: 1}]}\nx: 1\n", "!b.yaml": "data: {l: [{id: 1, b: 2}]}\ny: 1\n"}, `{"data":{"l":[{"id":1,"a":1,"b":2}]}}`},
		{"values for each other", folder{"l.yaml": layeringOf("  values:\n  - {file: a.yaml, name: a, layer: base}\n" +
			"  - {file: b.yaml, name: b, layer: site, substitutions: [{src: {schema: helm/Values/v1, name: a, path: .image.tag}, dest: {path: .tag}}]}\n"),
			"!a.yaml": "image: {tag: '1.4'}\n", "!b.yaml": "tag: none\n"}, `{"image":{"tag":"1.4"}} {"tag":"1.4"}`},
		{"a base", folder{"l.yaml": layeringOf("  bases:\n  - {name: b, git: 'https://git.example.com/b.git', tag: v1, path: layers}\n  values: [{file: v.yaml, name: v, layer: site, parentSelector: {is: base}}]\n"),
			"!v.yaml": "b: 2\n", "!b:l.yaml": "apiVersion: layering.dovetail.dev/v1\nkind: Layering\nspec: {values: [{file: 'b:v.yaml', name: base, layer: base, abstract: true, labels: {is: base}}]}\n", "!b:v.yaml": "a: 1\nb: 1\n"}, `{"a":1,"b":2}`},
		{"several Layerings", folder{"a/l.yaml": layeringOf(""), "b/l.yaml": strings.Replace(layeringOf("  values:\n  - {file: v.yaml, name: v, layer: site}\n"), "  layerOrder: [base, site]\n", "", 1), "!b/v.yaml": "a: 1\n"}, `{"a":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			documents, err := tt.files.read()
			if err != nil {
				t.Fatal(err)
			}
			rendered, err := rendering.Render(documents, rendering.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range rendered.Documents {
				got = append(got, string(r.Whole(r.Data()).JSON()))
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

const deploymentJSON = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:1"},{"name":"log","image":"log:1"}]}}}}`

// TestOriginsInSeveralFiles shows that values of a file and what a Layering says are found in their own files.
func TestOriginsInSeveralFiles(t *testing.T) {
	documents, err := folder{"l.yaml": layeringOf("  values:\n  - {file: a.yaml, name: a, layer: base}\n" +
		"  - {file: b.yaml, name: b, layer: site, substitutions: [{src: {schema: helm/Values/v1, name: a, path: .tag}, dest: {path: .tag}}]}\n"),
		"!a.yaml": "tag: '1.4'\n", "!b.yaml": "tag: none\n\nx: 1\n"}.read()
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := rendered.Explain(documents[len(documents)-1].ID, ".", false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		line := fmt.Sprintf("%s %s:%d", e.Path, e.Origin.File, e.Origin.Line)
		if s := e.Origin.Source; s != nil {
			line += fmt.Sprintf(" of %s:%d", s.Origin.File, s.Origin.Line)
		}
		got = append(got, line)
	}
	if got := strings.Join(got, ", "); got != ".tag l.yaml:8 of a.yaml:1, .x b.yaml:3" {
		t.Error(got)
	}
}

func TestEntriesThatAreRefused(t *testing.T) {
	const web = "  objects:\n  - {file: web.yaml, layer: site}\n"
	annotated := strings.Replace(deployment, "{name: web}\n", "{name: web, annotations: {layering.dovetail.dev/layer: site}}\n", 1)
	tests := []struct {
		name  string
		files folder
		want  string // position and a part of the message of each error
	}{
		{"a member", folder{"l.yaml": layeringOf("  objects:\n  - {file: web.yaml, layr: site}\n"), "web.yaml": deployment}, "l.yaml:7:22 /spec/objects/0/layr: did you mean layer?"},
		{"a list", folder{"l.yaml": layeringOf("  objcts:\n  - {file: web.yaml, layer: site}\n")}, "l.yaml:6:3 /spec/objcts: did you mean objects?"},
		{"no file", folder{"l.yaml": layeringOf("  objects:\n  - {layer: site}\n")}, "l.yaml:7:5 /spec/objects/0/file: file is missing"},
		{"a file that does not exist", folder{"l.yaml": layeringOf(web)}, "l.yaml:7:12 /spec/objects/0/file: it does not exist"},
		{"itself", folder{"l.yaml": layeringOf("  objects:\n  - {file: l.yaml, layer: site}\n")}, "l.yaml:7:12 /spec/objects/0/file: names the file that it stands in"},
		{"no layer", folder{"l.yaml": layeringOf("  objects:\n  - {file: web.yaml}\n"), "!web.yaml": deployment}, "l.yaml:7:5 /spec/objects/0/layer: layer is missing"},
		{"an action", folder{"l.yaml": layeringOf("  objects:\n  - {file: web.yaml, layer: site, parentSelector: {a: b}, actions: [{method: mrge, path: .}]}\n"), "!web.yaml": deployment},
			"l.yaml:7:78 /spec/objects/0/actions/0/method: there is no method"},
		{"a selector", folder{"l.yaml": layeringOf("  objects:\n  - {file: web.yaml, layer: site, parentSelector: {}}\n"), "!web.yaml": deployment}, "l.yaml:7:51 /spec/objects/0/parentSelector: is empty"},
		{"labels", folder{"l.yaml": layeringOf("  objects:\n  - {file: web.yaml, layer: site, labels: [a]}\n"), "!web.yaml": deployment}, "l.yaml:7:43 /spec/objects/0/labels: must be a map"},
		{"an object with annotations", folder{"l.yaml": layeringOf(web), "!web.yaml": annotated}, "web.yaml:1:1: and l.yaml:7:5 /spec/objects/0 says"},
		{"no object", folder{"l.yaml": layeringOf(web), "!web.yaml": "a: 1\n"}, "web.yaml:1:1: no Kubernetes object, but l.yaml:7:5 /spec/objects/0"},
		{"an object without an entry", folder{"l.yaml": layeringOf("  objects:\n  - {file: web.yaml, object: {name: web}, layer: site}\n"), "!web.yaml": deployment + "---\n" + strings.Replace(deployment, "name: web", "name: b", 1)},
			"web.yaml:6:1: no entry of l.yaml"},
		{"an entry without an object", folder{"l.yaml": layeringOf(web + "  - {file: web.yaml, object: {name: wbe}, layer: site}\n"), "!web.yaml": deployment}, "l.yaml:8:5 /spec/objects/1: no object of web.yaml is"},
		{"two entries", folder{"l.yaml": layeringOf(web + "  - {file: web.yaml, object: {name: web}, layer: site}\n"), "!web.yaml": deployment}, "web.yaml:1:1: are both about this object"},
		{"values twice", folder{"l.yaml": layeringOf("  values:\n  - {file: v.yaml, name: a, layer: site}\n  - {file: v.yaml, name: b, layer: site}\n"), "!v.yaml": "a: 1\n"}, "l.yaml:8:12 /spec/values/1/file: has an entry at l.yaml:7:12"},
		{"values without a name", folder{"l.yaml": layeringOf("  values:\n  - {file: v.yaml, layer: site}\n"), "v.yaml": "a: 1\n"}, "l.yaml:7:5 /spec/values/0/name: name is missing"},
		{"values that are a list", folder{"l.yaml": layeringOf("  values:\n  - {file: v.yaml, name: v, layer: site}\n"), "!v.yaml": "[1]\n"}, "v.yaml:1:1: values are a map, not a list"},
		{"values of two documents", folder{"l.yaml": layeringOf("  values:\n  - {file: v.yaml, name: v, layer: site}\n"), "!v.yaml": "a: 1\n---\nb: 1\n"}, "v.yaml:3:1: has one YAML document, not 2"},
		{"values that are no YAML", folder{"l.yaml": layeringOf("  values:\n  - {file: v.yaml, name: v, layer: site}\n"), "!v.yaml": "a: {{ .Values.x }}\n"}, "v.yaml:1:5 /a: "},
		{"a base that cannot be read", folder{"l.yaml": layeringOf("  bases: [{name: b, git: x}]\n")}, "l.yaml:6:11 /spec/bases/0: the base b cannot be used: it cannot be reached"},
		{"a base that is nowhere", folder{"l.yaml": layeringOf("  bases: [{name: b, path: x}]\n")}, "l.yaml:6:11 /spec/bases/0: write either git or oci"},
		{"a base that is in two places", folder{"l.yaml": layeringOf("  bases: [{name: b, git: x, oci: y, tag: z}]\n")}, "l.yaml:6:11 /spec/bases/0: write either git or oci"},
		{"a base with a branch and a tag", folder{"l.yaml": layeringOf("  bases: [{name: b, git: x, branch: y, tag: z}]\n")}, "l.yaml:6:45 /spec/bases/0/tag: on a branch, or has a tag"},
		{"an artifact without a tag", folder{"l.yaml": layeringOf("  bases: [{name: b, oci: x}]\n")}, "l.yaml:6:11 /spec/bases/0: tag of the artifact is missing"},
		{"an artifact with a branch", folder{"l.yaml": layeringOf("  bases: [{name: b, oci: x, branch: y}]\n")}, "l.yaml:6:37 /spec/bases/0/branch: has no branch"},
		{"a path that leads out of a base", folder{"l.yaml": layeringOf("  bases: [{name: b, git: x, path: ../y}]\n")}, "l.yaml:6:35 /spec/bases/0/path: leads out"},
		{"a misspelt base", folder{"l.yaml": layeringOf("  bases: [{name: b, gti: x}]\n")}, "l.yaml:6:21 /spec/bases/0/gti: did you mean git?"},
		{"two bases", folder{"l.yaml": layeringOf("  bases: [{name: '!', git: x}, {name: '!', git: y}]\n")}, `l.yaml:6:32 /spec/bases/1: there are two bases "!" | l.yaml:6:11 /spec/bases/0: cannot be used`},
		{"a file that no entry names", folder{"l.yaml": layeringOf(""), "v.yaml": "a: 1\n"}, "v.yaml:1:1 /a: unknown member | v.yaml:1:1 /schema: missing | v.yaml:1:1: no data | v.yaml:1:1 /metadata: missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.files.read()
			if err == nil {
				t.Fatal("accepted")
			}
			all := dovetail.AsError(err).Errors
			if all == nil {
				all = []*dovetail.Error{dovetail.AsError(err)}
			}
			wants := strings.Split(tt.want, " | ")
			if len(wants) != len(all) {
				t.Fatalf("%d errors: %v", len(all), err)
			}
			for i, want := range wants {
				at, message, _ := strings.Cut(want, ": ")
				if e := all[i]; e.Position.String() != at || !strings.Contains(e.Message+"; "+e.Remedy, message) {
					t.Errorf("got %s: %s; %s\nwant %s", e.Position, e.Message, e.Remedy, want)
				}
			}
		})
	}
}
