package emcostore_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/emcostore"
	"github.com/dovetail-store/dovetail/src/schema"
)

// TestNewRefuses gives ref-schemas under which the services cannot work.
func TestNewRefuses(t *testing.T) {
	const records = "  - name: emcoRecord\n"
	for _, test := range []struct{ name, schema, want string }{
		{"without records", "resources:\n  - name: project\n", "the ref-schema has no kind emcoRecord"},
		{"with actions for workers", "resources:\n" + records +
			"  - name: clusterProvider\n  - name: cluster\n    parent: clusterProvider\n    lifecycle:\n      initial: Created\n      actions:\n        apply: {from: [Created], to: Applied, work: true}\n",
			"the action apply of a cluster is for a worker"},
	} {
		t.Run(test.name, func(t *testing.T) {
			model, err := schema.Compile([]schema.Source{{Name: "kinds.yaml", Data: []byte(test.schema)}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := emcostore.New[Key](nil, model, emcostore.Options{}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
