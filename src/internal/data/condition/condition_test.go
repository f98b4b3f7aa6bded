package condition_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// TestWithoutCompiler compiles ref-schemas in a program that links no compiler: rules are refused, and never ignored.
func TestWithoutCompiler(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{name: "without rules", text: "resources: [{name: port}]"},
		{name: "with a rule", text: "resources: [{name: port, rules: [self.spec.min <= self.spec.max]}]",
			want: `import _ "github.com/dovetail-store/dovetail/src/schema/cel"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(test.text)}})
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" &&
				(dovetail.CodeOf(err) != dovetail.CodeSchema || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want a remedy with %s", err, test.want)
			}
		})
	}
}
