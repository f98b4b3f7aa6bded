package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
)

// Where a part of the data is secret, annotations and user data are, too, since programs keep copies of the data there: nothing of the ref-schema may show them.
func TestAnnotationsOfSensitiveKinds(t *testing.T) {
	const copies = "/metadata/annotations /metadata/managedFields /metadata/userData1 /metadata/userData2"
	const base = "resources:\n  - name: a\n    %s\n"
	shows := []string{
		"columns: [{name: NOTE, path: metadata.annotations.note}]",
		"columns: [{name: META, path: metadata}]",
		"columns: [{name: USER, path: metadata.userData2}]",
		"index: [metadata.annotations.note]",
		"queries: {note: {selector: metadata.annotations.note}}",
	}
	tests := []struct {
		sensitive, places string
		refused           bool
	}{
		{"sensitive: [/spec/data]", "[" + copies + " /spec/data]", true},
		{"sensitive: [/spec/b, /a]", "[/a " + copies + " /spec/b]", true},
		{"sensitive: true", "[]", true},
		{"sensitive: false", "[]", false},
		{"description: has no secrets", "[]", false},
	}
	for _, test := range tests {
		t.Run(test.sensitive, func(t *testing.T) {
			model, err := schema.Compile([]schema.Source{{Name: "a.yaml", Data: fmt.Appendf(nil, base, test.sensitive)}})
			if err != nil {
				t.Fatal(err)
			}
			kind, _ := model.Kind("a")
			if got := fmt.Sprint(kind.Sensitive.Places()); got != test.places {
				t.Errorf("its places are %s, not %s", got, test.places)
			}
			if d := kind.Describe().Sensitive; test.places != "[]" && fmt.Sprint(d.Paths) != test.places {
				t.Errorf("they are described as %v", d)
			}
			for _, field := range shows {
				_, err := schema.Compile([]schema.Source{{Name: "a.yaml", Data: fmt.Appendf(nil, base, test.sensitive+"\n    "+field)}})
				if refused := err != nil && strings.Contains(err.Error(), "sensitive"); refused != test.refused || err != nil && !refused {
					t.Errorf("%s: %v", field, err)
				}
			}
		})
	}
}
