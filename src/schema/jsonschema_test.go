package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestJSONSchemas(t *testing.T) {
	tests := []struct {
		name, schema, data string
		want               string // of the data, a line each
		refused            string // of the schema
		loose              string
	}{
		{name: "fits", schema: `{"type":"object"}`, data: `{}`},
		{name: "all violations in the order of paths", schema: `{"properties":{"a":{"type":"integer"},"b":{"minimum":3}},"required":["c"]}`, data: `{"b":1,"a":"x"}`,
			want: "/: the member \"c\" is missing\n/a: must be an integer, not a string\n/b: must be at least 3\n"},
		{name: "draft 4 by default", schema: `{"minimum":3,"exclusiveMinimum":true,"const":9}`, data: `3`, want: "/: must be more than 3\n"},
		{name: "general draft", schema: `{"$schema":"http://json-schema.org/schema#","exclusiveMinimum":true,"minimum":3}`, data: `3`, want: "/: must be more than 3\n"},
		{name: "another draft", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","const":9}`, data: `3`, want: "/: must be 9\n"},
		{name: "unknown draft", schema: `{"$schema":"http://example.net/schema"}`, refused: "/$schema: \"http://example.net/schema\" is not a known draft\n"},
		{name: "formats are hints", schema: `{"format":"email"}`, data: `"no address"`},
		{name: "wrong schema", schema: `{"type":"thing"}`, refused: "/type: fits none of the forms"},
		{name: "reference", schema: `{"properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"string"}}}`, data: `{"a":1}`, want: "/a: must be a string, not a number\n"},
		{name: "loose reference", schema: `{"properties":{"a":{"$ref":"#/definitions/x"},"b":{"type":"string"}}}`, data: `{"a":1,"b":2}`,
			want: "/b: must be a string, not a number\n", loose: "/properties/a/$ref: \"#/definitions/x\" does not lead to a schema"},
		{name: "reference outside", schema: `{"properties":{"a":{"$ref":"http://example.net/x"}}}`, data: `{"a":1}`, loose: "/properties/a/$ref: \"http://example.net/x\" does not lead to a schema"},
		{name: "look-around", schema: `{"pattern":"(?=x)"}`, refused: "/pattern: must be a regular expression"},
	}
	var schemas schema.JSONSchemas // one for all: what is wrong with one must not hurt the next
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			compiled, problems := schemas.Compile(parseValue(t, test.schema))
			if got := violationLines(problems); test.refused == "" && got != "" || !strings.HasPrefix(got, test.refused) {
				t.Fatalf("refused with %q, want %q", got, test.refused)
			}
			if compiled == nil {
				return
			}
			if got := violationLines(compiled.Check(parseValue(t, test.data))); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if got := violationLines(compiled.Loose()); test.loose == "" && got != "" || !strings.HasPrefix(got, test.loose) {
				t.Errorf("loose %q, want %q", got, test.loose)
			}
		})
	}
}

func violationLines(all []schema.Violation) string {
	var b strings.Builder
	for _, v := range all {
		fmt.Fprintf(&b, "/%s: %s\n", strings.Join(v.Path, "/"), v.Message)
	}
	return b.String()
}

func parseValue(t *testing.T, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
