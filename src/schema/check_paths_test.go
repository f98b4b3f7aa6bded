package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
)

// A path at which nothing can be is refused by every field that names paths.
func TestPathsThatNothingHas(t *testing.T) {
	const data = `
  schema:
    properties:
      spec:
        properties:
          serial: {type: string}
          ports: {type: array, items: {additionalProperties: false, properties: {name: {type: string}}}}
          anything: {type: object}
  references: [{name: rack, at: spec.place.rack}]
`
	for _, test := range []struct {
		name, path string
		strict     bool
		want       string // "" where it is accepted
	}{
		{name: "a member that is named", path: "spec.serial", strict: true},
		{name: "a member of items", path: "spec.ports[*].name", strict: true},
		{name: "a member of anything", path: "spec.anything.x.y", strict: true},
		{name: "a member of a slot", path: "spec.place.rack", strict: true},
		{name: "a label", path: "metadata.labels.x", strict: true},
		{name: "an unknown member", path: "spec.vendor"},
		{name: "an unknown member at the top", path: "vendor.x"},
		{name: "an unknown member of a strict kind", path: "spec.vendor", strict: true, want: `no device has spec.vendor: the kind is strict, and its JSON Schema does not name "vendor"`},
		{name: "an unknown member at the top of a strict kind", path: "vendor.x", strict: true, want: "no device has vendor.x"},
		{name: "a misspelt spec", path: "sepc.serial", want: `did you mean "spec"?`},
		{name: "a misspelt member", path: "spec.serail", want: `did you mean "serial"?`},
		{name: "a misspelt member of a strict kind", path: "spec.serail", strict: true, want: `did you mean "serial"?`},
		{name: "a misspelt member of items", path: "spec.ports[*].naem", want: `did you mean "name"?`},
	} {
		fields := []string{"unique: [%s]", "index: [%s]", "immutable: [%s]", "columns: [{name: X, path: %s}]", "queries: {x: {selector: %s}}"}
		for _, field := range fields {
			if strings.Contains(test.path, "[*]") && strings.HasPrefix(field, "queries") {
				continue // it takes no such path
			}
			t.Run(test.name+" in "+strings.SplitN(field, ":", 2)[0], func(t *testing.T) {
				text := "resources:\n- name: rack\n- name: device\n  " + fmt.Sprintf(field, "'"+test.path+"'") + "\n" + fmt.Sprintf("  strict: %t", test.strict) + data
				_, err := schema.Compile([]schema.Source{{Name: "s.yaml", Data: []byte(text)}})
				if test.want == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "s.yaml:4:") {
					t.Errorf("%v", err)
				}
			})
		}
	}
}
