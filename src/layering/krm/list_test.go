package krm_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// object makes a ConfigMap with annotations, each given as "name: value", and members.
func object(name string, members string, annotations ...string) string {
	text := "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: " + name + "\n"
	if len(annotations) > 0 {
		text += "    annotations:\n"
	}
	for _, a := range annotations {
		if name, _, _ := strings.Cut(a, ":"); !strings.Contains(name, "/") {
			a = "layering.dovetail.dev/" + a
		}
		text += "      " + a + "\n"
	}
	return text + members
}

const (
	configured = "functionConfig:\n  apiVersion: layering.dovetail.dev/v1\n  kind: Layering\n  spec: {layerOrder: [base, site]}\n"
	child      = "parent-selector: '{is: base}'"
	merges     = "actions: '[{method: merge, path: .}]'"
)

func run(t *testing.T, text string) *krm.Outcome {
	t.Helper()
	values, err := yaml.Parse("", []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"+text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	before := string(values[0].JSON())
	out, err := krm.Run(values[0], nil, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if string(values[0].JSON()) != before {
		t.Error("the list was changed")
	}
	return out
}

func TestItems(t *testing.T) {
	base := object("base", "  data: {a: 1, b: 2}\n", "layer: base", `abstract: "true"`, "labels: '{is: base}'")
	tests := []struct {
		name, items string
		want        string // the items
	}{
		{"none", "", "[]"},
		{"not layered", object("a", "  data: {x: y}\n") + "- {some: thing}\n",
			`[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"y"}},{"some":"thing"}]`},
		{"inherits", base + object("a", "  data: {b: 3}\n", "layer: site", child, merges),
			`[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":1,"b":3}}]`},
		{"inherits annotations and labels, and not those of tools",
			"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: base, namespace: n, labels: {is: base}, annotations: {team: shop, layering.dovetail.dev/layer: base, config.kubernetes.io/index: '0'}}\n" +
				"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a, finalizers: [f], annotations: {layering.dovetail.dev/layer: site, layering.dovetail.dev/parent-selector: 'is: base', layering.dovetail.dev/actions: '[{method: merge, path: .}]', config.kubernetes.io/index: '1', own/x: y}}\n",
			`[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"base","namespace":"n","labels":{"is":"base"},"annotations":{"team":"shop","config.kubernetes.io/index":"0"}}},` +
				`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"is":"base"},"finalizers":["f"],"annotations":{"team":"shop","own/x":"y","config.kubernetes.io/index":"1"}}}]`},
		{"actions name members of the object", base + object("a", "  data: {b: 3}\n", "layer: site", child, "actions: '[{method: replace, path: .data.b}, {method: delete, path: $.data.a}]'"),
			`[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"b":3}}]`},
		{"replaces", object("one", "  data: {a: 1}\n", "layer: base", "labels: '{is: base}'", "name: x") +
			object("two", "  data: {b: 2}\n", "layer: site", child, merges, "name: x", `replacement: "true"`),
			`[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"},"data":{"a":1,"b":2}}]`},
		{"substitutes", object("a", "  data: {x: V}\n", "layer: site", "substitutions: '[{src: {schema: core/ConfigMap/v1, name: b, path: .data.y}, dest: {path: .data.x}}]'") +
			object("b", "  data: {y: z}\n", "layer: site"),
			`[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"z"}},{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"y":"z"}}]`},
		{"groups and versions", "- apiVersion: gateway.networking.k8s.io/v1beta1\n  kind: HTTPRoute\n  metadata: {name: r, annotations: {layering.dovetail.dev/layer: site}}\n",
			`[{"apiVersion":"gateway.networking.k8s.io/v1beta1","kind":"HTTPRoute","metadata":{"name":"r"}}]`},
		{"documents", "- schema: example/Kind/v1\n  metadata: {schema: metadata/Document/v1, name: d, layeringDefinition: {layer: site}, annotations: {config.kubernetes.io/path: d.yaml}}\n  data: {a: 1}\n" +
			"- schema: example/Kind/v1\n  metadata: {schema: metadata/Document/v1, name: e, layeringDefinition: {layer: site, abstract: true}}\n  data: {a: 1}\n",
			`[{"schema":"example/Kind/v1","metadata":{"schema":"metadata/Document/v1","name":"d","layeringDefinition":{"layer":"site"},"annotations":{"config.kubernetes.io/path":"d.yaml"}},"data":{"a":1}}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			items := "items:\n" + test.items
			if test.items == "" {
				items = "items: []\n"
			}
			out := run(t, configured+items)
			if len(out.Errors) > 0 {
				t.Fatal(out.Errors)
			}
			if got := string(out.List.Get("items").JSON()); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestResults(t *testing.T) {
	at := "config.kubernetes.io/path: a.yaml"
	tests := []struct {
		name, text string
		want       []string // severity, class, reference, field, file
	}{
		{"a selector that matches nothing", configured + "items:\n" + object("a", "", "layer: site", child, merges, at, "config.kubernetes.io/index: '2'"),
			[]string{`warning InvalidDocumentParent v1/ConfigMap/a metadata.annotations.layering.dovetail.dev/parent-selector a.yaml#2`}},
		{"an unknown annotation", configured + "items:\n" + object("a", "", "layr: site", "layer: site", at),
			[]string{"error InvalidDocumentFormat v1/ConfigMap/a metadata.annotations.layering.dovetail.dev/layr a.yaml did you mean layering.dovetail.dev/layer?"}},
		{"no layer", configured + "items:\n" + object("a", "", `abstract: "true"`),
			[]string{"error InvalidDocumentFormat v1/ConfigMap/a metadata.annotations.layering.dovetail.dev/layer "}},
		{"no YAML", configured + "items:\n" + object("a", "", "layer: site", "actions: 'a: b: c'"),
			[]string{"error InvalidDocumentFormat v1/ConfigMap/a metadata.annotations.layering.dovetail.dev/actions "}},
		{"no value", configured + "items:\n" + object("a", "", "layer: site", "labels: ''"),
			[]string{"error InvalidDocumentFormat v1/ConfigMap/a metadata.annotations.layering.dovetail.dev/labels "}},
		{"no text", configured + "items:\n" + object("a", "", "layer: 5"),
			[]string{"error InvalidDocumentFormat v1/ConfigMap/a metadata.annotations.layering.dovetail.dev/layer "}},
		{"a wrong action", configured + "items:\n" + object("a", "", "layer: site", child, "actions: '[{method: patch, path: .}]'"),
			[]string{"error InvalidDocumentFormat v1/ConfigMap/a metadata.annotations.layering.dovetail.dev/actions[0].method "}},
		{"no such layer", configured + "items:\n" + object("a", "", "layer: rack"),
			[]string{"error InvalidDocumentLayer v1/ConfigMap/a metadata.annotations.layering.dovetail.dev/layer "}},
		{"no policy", "items:\n" + object("a", "", "layer: rack"), []string{"error LayeringPolicyNotFound v1/ConfigMap/a  "}},
		{"a document", configured + "items:\n- schema: example/Kind/v1\n  metadata: {schema: metadata/Document/v1, name: d, lables: {a: b}, layeringDefinition: {layer: site}, annotations: {config.kubernetes.io/path: d.yaml}}\n  data: {}\n",
			[]string{"error InvalidDocumentFormat example/v1/Kind/d metadata.lables d.yaml did you mean labels"}},
		{"a configuration", "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data: {layerOrder: site}\nitems: []\n",
			[]string{"error  v1/ConfigMap/c data "}},
		{"a spec", "functionConfig:\n  apiVersion: v1\n  kind: Layering\n  metadata: {name: c}\n  spec: {layerorder: [site]}\nitems: []\n",
			[]string{"error  v1/Layering/c spec.layerorder  did you mean layerOrder"}},
		{"layers", "functionConfig:\n  apiVersion: v1\n  kind: Layering\n  metadata: {name: c}\n  spec: {layerOrder: [site, site]}\nitems: []\n",
			[]string{"error InvalidDocumentFormat v1/Layering/c spec.layerOrder[1] "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, test.text)
			results := out.List.Get("results")
			if results == nil || len(results.Items) != len(test.want) {
				t.Fatalf("results %v", results.JSON())
			}
			for i, r := range results.Items {
				text := func(path ...string) string { s, _ := r.At(path...).Str(); return s }
				file := text("file", "path")
				if index := r.At("file", "index"); index != nil {
					file += "#" + index.Text
				}
				ref := text("resourceRef", "apiVersion") + "/" + text("resourceRef", "kind") + "/" + text("resourceRef", "name")
				got := strings.Join([]string{text("severity"), text("tags", "class"), ref, text("field", "path"), file}, " ")
				want, hint, _ := strings.Cut(test.want[i], " did you mean ")
				if strings.TrimSpace(got) != strings.TrimSpace(want) || !strings.Contains(text("message"), hint) || text("message") == "" {
					t.Errorf("%s: %s; want %s", got, text("message"), test.want[i])
				}
				if refused := text("severity") == "error"; refused != (len(out.Errors) > 0) {
					t.Errorf("%d errors", len(out.Errors))
				}
			}
		})
	}
}

// TestRefusedItemsStay shows that what cannot be rendered is given back as it was.
func TestRefusedItemsStay(t *testing.T) {
	out := run(t, configured+"items:\n"+object("a", "  data: {x: y}\n", "layer: rack"))
	want := `[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{"layering.dovetail.dev/layer":"rack"}},"data":{"x":"y"}}]`
	if got := string(out.List.Get("items").JSON()); got != want || len(out.Errors) != 1 {
		t.Errorf("%s, %v", got, out.Errors)
	}
}

func TestOtherDocuments(t *testing.T) {
	others, err := rendering.Parse("site.yaml", []byte("schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [site]}\n---\n"+
		"schema: example/Versions/v1\nmetadata: {schema: metadata/Document/v1, name: versions, layeringDefinition: {layer: site}}\ndata: {web: '1.2'}\n"))
	if err != nil {
		t.Fatal(err)
	}
	values, err := yaml.Parse("", []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"+
		object("a", "", "layer: site", "substitutions: '[{src: {schema: example/Versions/v1, name: versions, path: .web}, dest: {path: .data.version}}]'")), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := krm.Run(values[0], others, rendering.Options{})
	if err != nil || len(out.Errors) > 0 {
		t.Fatal(err, out.Errors)
	}
	if got := string(out.List.Get("items").JSON()); got != `[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"version":"1.2"}}]` {
		t.Error(got)
	}
}

func TestNoResourceList(t *testing.T) {
	for _, text := range []string{"{}", "[]", "apiVersion: v1\nkind: List\nitems: []", "apiVersion: v1\nkind: ResourceList\nitems: []"} {
		values, err := yaml.Parse("", []byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := krm.Run(values[0], nil, rendering.Options{}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzRun has the function answer, or refuse, whatever it is given.
func FuzzRun(f *testing.F) {
	f.Add(configured + "items:\n" + object("a", "  data: {b: 3}\n", "layer: site", child, merges))
	f.Add("items:\n- schema: x\n  metadata: {schema: metadata/}\n- apiVersion: 1\n  metadata: {annotations: {layering.dovetail.dev/layer: []}}\n")
	f.Add(layersOf("[{name: a}, {name: b}]", "[{$patch: delete, name: a}, {$patch: replace, name: b}, {name: c}]", merges, "merge-keys: '{.spec: name, \".spec[*].a\": b}'"))
	f.Add("items: {a: b}\nfunctionConfig: []\n")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := yaml.Parse("", []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"+text), value.Limits{Values: 10_000})
		if err != nil || len(values) != 1 {
			return
		}
		if items := values[0].Get("items"); items != nil { // in files
			documents, err := krm.Read("", items.Items)
			if err == nil {
				_, err = rendering.Render(documents, rendering.Options{})
			}
			if e := dovetail.AsError(err); e != nil && e.Code == dovetail.CodeInternal {
				t.Error(err)
			}
		}
		out, err := krm.Run(values[0], nil, rendering.Options{})
		if err == nil && (len(out.Errors) > 0) != strings.Contains(string(out.List.Get("results").JSON()), `"severity":"error"`) {
			t.Errorf("%v, but %s", out.Errors, out.List.JSON())
		}
	})
}

// Items that SOPS encrypted are refused if they are layered, and stay as they are otherwise: what is encrypted is no text.
func TestEncryptedItems(t *testing.T) {
	const encrypted = "  data: {a: 'ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]'}\n  sops: {mac: 'ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]', lastmodified: '2026-01-01T00:00:00Z', age: []}\n"
	out := run(t, configured+"items:\n"+object("a", encrypted, "layer: base"))
	if len(out.Errors) != 1 || !strings.Contains(out.Errors[0].Error(), "/sops: ") || !strings.Contains(out.Errors[0].Error(), "is encrypted with SOPS") {
		t.Errorf("%v", out.Errors)
	}
	if out := run(t, configured+"items:\n"+object("a", encrypted)); len(out.Errors) > 0 || !strings.Contains(string(out.List.Get("items").JSON()), "ENC[") {
		t.Errorf("%v", out.Errors)
	}
}
