package rendering_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/layeringtest"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

const vectors = "testdata/deckhand"

// asOlder are the options under which the cases hold in which the older engine does not do as its
// documentation says.
var asOlder = map[string]rendering.Options{
	"015-index-merge-element":              {ArrayIndex: rendering.MergeElement},
	"016-index-merge-keeps-other-elements": {ArrayIndex: rendering.MergeElement},
	"058-err-parent-other-schema":          {StrictParents: true},
	"059-err-parent-same-layer":            {StrictParents: true},
}

// notAsOlder are the cases in which we accept what the older engine refuses.
var notAsOlder = map[string]string{
	"108-err-no-storage-policy": "documents without a storage policy are kept in clear text",
}

// TestCases runs the conformance vectors; their README explains the fields.
func TestCases(t *testing.T) {
	cases := readYAML(t, filepath.Join(vectors, "cases.yaml"))[0].Get("cases").Items
	if len(cases) != 111 {
		t.Fatalf("%d cases, want 111", len(cases))
	}
	for _, c := range cases {
		id := c.Get("id").Text
		t.Run(id, func(t *testing.T) {
			values := readYAML(t, filepath.Join(vectors, "cases", id, "documents.yaml"))
			if class := c.At("expected_error", "error"); class != nil && notAsOlder[id] == "" {
				for values := range layeringtest.Orders(values) {
					wantRefusal(t, values, asOlder[id], class.Text)
				}
				return
			}
			var want []*value.Value
			if file := c.Get("expected"); file != nil {
				want = readYAML(t, filepath.Join(vectors, "cases", file.Text))
			} else {
				want = layeringtest.Applications(values)
			}
			for documents := range layeringtest.Orders(read(t, values)) {
				wantRendering(t, documents, asOlder[id], want)
			}
		})
	}
}

// repaired are the values of the two sites in which the older engine shows the first or the twelfth of
// its quirks: it deleted another value that is equal to the one at the path, and substitutions into
// one document changed the source. By document and JSON pointer, what is right; "" if there is nothing.
var repaired = map[string]map[string]map[string]string{
	"airskiff": {
		"armada/Chart/v1 openstack-mariadb in type": {
			"/values/labels/server":                    `{"node_selector_key":"openstack-control-plane","node_selector_value":"enabled"}`,
			"/values/labels/prometheus_mysql_exporter": "",
		},
		"armada/Chart/v1 openstack-rabbitmq in type": {
			"/values/labels/server":                       `{"node_selector_key":"openstack-control-plane","node_selector_value":"enabled"}`,
			"/values/labels/prometheus_rabbitmq_exporter": "",
		},
		"pegleg/AccountCatalogue/v1 ucp_service_accounts in type": passwordsOnlyInCharts,
		"pegleg/EndpointCatalogue/v1 ucp_endpoints in type":       {"/ucp/physicalprovisioner/port/api/nodeport": "31900"},
	},
	"airsloop": {
		"armada/Chart/v1 ucp-maas in type":                        {"/values/endpoints/physicalprovisioner/port/api/nodeport": "31900"},
		"pegleg/AccountCatalogue/v1 ucp_service_accounts in type": passwordsOnlyInCharts,
		"pegleg/EndpointCatalogue/v1 ucp_endpoints in type":       {"/ucp/physicalprovisioner/port/api/nodeport": "31900"},
	},
}

var passwordsOnlyInCharts = map[string]string{
	"/ucp/keystone/oslo_messaging/admin/password":    "",
	"/ucp/keystone/oslo_messaging/keystone/password": "",
	"/ucp/barbican/oslo_messaging/admin/password":    "",
}

// TestSites renders two complete sites.
func TestSites(t *testing.T) {
	for _, site := range []string{"airskiff", "airsloop"} {
		t.Run(site, func(t *testing.T) {
			values := readYAML(t, filepath.Join(vectors, "real-sites", site, "documents.yaml"))
			want := readYAML(t, filepath.Join(vectors, "real-sites", site, "expected.yaml"))
			for id, values := range repaired[site] {
				for pointer, text := range values {
					repair(t, want, id, pointer, text)
				}
			}
			documents := read(t, values)
			before := value.NewList(values...).JSON()
			for _, o := range []rendering.Options{{}, {ArrayIndex: rendering.MergeElement, StrictParents: true}} {
				for documents := range layeringtest.Orders(documents) {
					wantRendering(t, documents, o, want)
				}
			}
			if !bytes.Equal(value.NewList(values...).JSON(), before) {
				t.Error("rendering changed the documents")
			}
		})
	}
}

// repair changes one value of what the older engine rendered. That it is another one there is a part
// of the test.
func repair(t *testing.T, rendered []*value.Value, id, pointer, text string) {
	t.Helper()
	i := slices.IndexFunc(rendered, func(v *value.Value) bool {
		return v.Get("schema").Text+" "+v.At("metadata", "name").Text+" in "+v.At("metadata", "layeringDefinition", "layer").Text == id
	})
	parts, _ := value.SplitPointer(pointer)
	name := parts[len(parts)-1]
	owner, ok := rendered[i].Get("data").Find(value.Pointer(parts[:len(parts)-1]...))
	if !ok {
		t.Fatalf("%s has no %s", id, pointer)
	}
	was := owner.Get(name)
	if text == "" {
		if !owner.Delete(name) {
			t.Errorf("%s: nothing to repair at %s", id, pointer)
		}
		return
	}
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil || value.Equal(was, v) {
		t.Errorf("%s: nothing to repair at %s: %v", id, pointer, err)
	}
	owner.Set(name, v)
}

// wantRendering renders documents and compares the application documents with the wanted ones.
func wantRendering(t *testing.T, documents []*rendering.Document, o rendering.Options, want []*value.Value) {
	t.Helper()
	rendered, err := rendering.Render(documents, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []*rendering.Rendered
	for _, r := range rendered.Documents {
		if !r.Control {
			got = append(got, r)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rendered documents, want %d", len(got), len(want))
	}
	for _, w := range want {
		i := slices.IndexFunc(got, func(r *rendering.Rendered) bool {
			return r.Schema == w.Get("schema").Text && r.Name == w.At("metadata", "name").Text &&
				r.Layer == w.At("metadata", "layeringDefinition", "layer").Text
		})
		switch {
		case i < 0:
			t.Errorf("%s is not there", w.Get("metadata").JSON())
		case !value.Equal(got[i].Data(), w.Get("data")):
			t.Errorf("%s is\n%s\nwant\n%s", got[i].ID, got[i].Data().JSON(), w.Get("data").JSON())
		}
	}
}

// wantRefusal renders documents and wants the refusal, and its first error, to be of a class.
func wantRefusal(t *testing.T, values []*value.Value, o rendering.Options, class string) {
	t.Helper()
	_, err := render(values, o)
	if err == nil {
		t.Fatalf("rendered, want %s", class)
	}
	for _, e := range []*dovetail.Error{dovetail.AsError(err), parts(err)[0]} {
		if e.Reason != class {
			t.Errorf("%s: %v; want %s", e.Reason, e, class)
		}
	}
}

func render(values []*value.Value, o rendering.Options) (*rendering.Rendering, error) {
	documents, err := rendering.Read("", values)
	if err != nil {
		return nil, err
	}
	return rendering.Render(documents, o)
}

func read(t testing.TB, values []*value.Value) []*rendering.Document {
	t.Helper()
	documents, err := rendering.Read("", values)
	if err != nil {
		t.Fatal(err)
	}
	return documents
}

func parts(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		return []*dovetail.Error{e}
	}
	return e.Errors
}

func readYAML(t testing.TB, file string) []*value.Value {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	values, err := yaml.Parse(file, data, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func yamlOf(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
