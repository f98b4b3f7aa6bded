package layering_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering"
)

// TestLimits refuses documents that grow with every step, before they fill the memory.
func TestLimits(t *testing.T) {
	tests := []struct {
		name, data, first, second, message string
	}{
		{name: "values", data: "{}", first: "{path: .a}", second: "{path: .b}", message: "more than 2000000 values"},
		{name: "texts", data: "AAAAAAAA", first: "{path: ., pattern: A}", second: "{path: ., pattern: never}", message: "bytes after replacing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString(policy)
			for i := range 40 {
				fmt.Fprintf(&b, "---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: d%d\n  layeringDefinition: {layer: site}\n", i)
				if i > 0 {
					fmt.Fprintf(&b, "  substitutions:\n    - src: {schema: example/Kind/v1, name: d%d, path: .}\n      dest: [%s, %s]\n", i-1, test.first, test.second)
				}
				fmt.Fprintf(&b, "data: %s\n", test.data)
			}
			documents, err := layering.Parse("", []byte(b.String()))
			if err != nil {
				t.Fatal(err)
			}
			_, err = layering.Render(documents, layering.Options{})
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("%v, want %s", err, test.message)
			}
		})
	}
}
