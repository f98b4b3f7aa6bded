package rendering_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

const strictPolicy = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: policy}\ndata: {layerOrder: [global, site]}\n---\n"

// TestStrict puts members into the metadata of an application document that make no sense there.
func TestStrict(t *testing.T) {
	const sealed = "metadata:\n  schema: metadata/Control/v1\n  name: c\n"
	for _, c := range []struct {
		name, metadata string
		want           string // position and message; "" is accepted
	}{
		{name: "nothing more"},
		{name: "a misspelled member", metadata: "  subsitutions: []\n", want: `9:3 /metadata/subsitutions: metadata has the unknown member "subsitutions"; did you mean substitutions?`},
		{name: "a member of the layering definition", metadata: "  parentSelector: {a: b}\n", want: `9:3 /metadata/parentSelector: metadata has the unknown member "parentSelector"`},
		{name: "a misspelled storage policy", metadata: "  storagePolcy: encrypted\n", want: `9:3 /metadata/storagePolcy: metadata has the unknown member "storagePolcy"; did you mean storagePolicy?`},
		{name: "a storage policy among labels", metadata: "  labels: {storagePolicy: encrypted}\n", want: "9:27 /metadata/labels/storagePolicy: the storagePolicy stands among the labels"},
		{name: "an empty selector", metadata: "  layeringDefinition: {layer: site, parentSelector: {}, actions: [{method: merge, path: .}]}\n", want: "9:53 /metadata/layeringDefinition/parentSelector: the parentSelector is empty"},
		{name: "no actions", metadata: "  layeringDefinition: {layer: site, parentSelector: {a: b}, actions: []}\n", want: "9:70 /metadata/layeringDefinition/actions: actions are empty"},
		{name: "actions without a selector", metadata: "  layeringDefinition: {layer: site, actions: [{method: merge, path: .}]}\n", want: "9:46 /metadata/layeringDefinition/actions: there are actions"},
		{name: "a substitution into nothing", metadata: "  substitutions: [{src: {schema: a/B/v1, name: x, path: .}, dest: []}]\n", want: "9:67 /metadata/substitutions/0/dest: dest is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			metadata := c.metadata
			if !strings.Contains(metadata, "layeringDefinition") {
				metadata += "  layeringDefinition: {layer: site}\n"
			}
			_, err := rendering.Parse("", []byte(strictPolicy+"schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: a\n"+metadata+"data: {}\n"))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	for _, c := range []struct{ name, text, want string }{
		{name: "another member of a control document", text: sealed + "  owner: me\n"},
		{name: "a misspelled one", text: sealed + "  storagePolicy1: encrypted\n", want: `5:3 /metadata/storagePolicy1: metadata has the unknown member "storagePolicy1"`},
		{name: "a storage policy of another name", text: sealed + "  policy: encrypted\n", want: `5:11 /metadata/policy: the member "policy" may be a misspelt storagePolicy`},
		{name: "one without a blank", text: sealed + "  storagePolicy:encrypted:\n", want: `the member "storagePolicy:encrypted" may be a misspelt storagePolicy`},
		{name: "one in the layering definition", text: sealed + "  layeringDefinition: {layer: site, storagePolicy: encrypted}\n", want: "the storagePolicy stands among the layeringDefinition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rendering.Parse("", []byte("schema: example/Control/v1\n"+c.text+"data: {}\n"))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestRestore reads what an earlier version accepted.
func TestRestore(t *testing.T) {
	values, err := yaml.Parse("", []byte("schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: a, owner: me, layeringDefinition: {layer: site, parentSelector: {}, actions: []}}\ndata: {}\n"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rendering.Restore(values[0]); err != nil {
		t.Error(err)
	}
	if _, err := rendering.Read("", values); err == nil {
		t.Error("it is accepted today")
	}
}

// TestTwins refuses documents of one name in two layers of which none replaces the other.
func TestTwins(t *testing.T) {
	twin := func(layer, more string) string {
		return "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: a, labels: {in: " + layer + "}" + more + ", layeringDefinition: {layer: " + layer + "}}\ndata: {}\n---\n"
	}
	documents, err := rendering.Parse("", []byte(strictPolicy+twin("global", "")+twin("site", "")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = rendering.Render(documents, rendering.Options{})
	if e := dovetail.AsError(err); e == nil || e.Reason != rendering.ClassInvalidDocumentReplacement || !strings.Contains(e.Message, "same schema and name in global") {
		t.Errorf("got %v", err)
	}
}
