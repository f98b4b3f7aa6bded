package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

func quoted(text string) []byte {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return data
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name, schema, data string
		want               []string // path and message
	}{
		{"valid", `{type: object}`, `{}`, nil},
		{"type", `{properties: {a: {type: integer}}}`, `{"a":"x"}`, []string{"/a must be an integer, not a string"}},
		{"types", `{properties: {a: {type: [array, "null"]}}}`, `{"a":{}}`, []string{"/a must be null or a list, not an object"}},
		{"required", `{required: [a, b]}`, `{}`, []string{` the member "a" is missing`, ` the member "b" is missing`}},
		{"additional", `{properties: {a: {additionalProperties: false}}}`, `{"a":{"x":1,"y/z":2}}`, []string{"/a/x is not a known member", "/a/y~1z is not a known member"}},
		{"enum", `{properties: {a: {enum: [x, 1, null]}}}`, `{"a":"y"}`, []string{`/a must be one of "x", 1, null`}},
		{"const", `{properties: {a: {const: x}}}`, `{"a":"y"}`, []string{`/a must be "x"`}},
		{"lengths", `{properties: {a: {minLength: 1}, b: {maxLength: 2}}}`, `{"a":"","b":"xyz"}`,
			[]string{"/a must have at least 1 character, not 0", "/b must have at most 2 characters, not 3"}},
		{"pattern", `{properties: {a: {pattern: '^x'}}}`, `{"a":"y"}`, []string{`/a must match the regular expression "^x"`}},
		{"format", `{properties: {a: {format: uuid}}}`, `{"a":"y"}`, []string{`/a must have the format uuid`}},
		{"numbers", `{properties: {a: {minimum: 1}, b: {maximum: 2.5}, c: {exclusiveMinimum: 0}, d: {exclusiveMaximum: 0}, e: {multipleOf: 2}}}`,
			`{"a":0,"b":3,"c":0,"d":0,"e":3}`,
			[]string{"/a must be at least 1", "/b must be at most 2.5", "/c must be more than 0", "/d must be less than 0", "/e must be a multiple of 2"}},
		{"items", `{properties: {a: {minItems: 1}, b: {maxItems: 1}, c: {uniqueItems: true}, d: {items: {type: string}}}}`,
			`{"a":[],"b":[1,2],"c":[1,2,1],"d":["x",1]}`,
			[]string{"/a must have at least 1 item, not 0", "/b must have at most 1 item, not 2",
				"/c must have different items, but those at 0 and 2 are equal", "/d/1 must be a string, not a number"}},
		{"members", `{properties: {a: {minProperties: 1}, b: {maxProperties: 0}, c: {propertyNames: {maxLength: 1}}}}`, `{"a":{},"b":{"x":1},"c":{"xy":1}}`,
			[]string{"/a must have at least 1 member, not 0", "/b must have at most 0 members, not 1", `/c the name of its member "xy" is not allowed`}},
		{"names of members, in several places", `{properties: {a: {additionalProperties: {propertyNames: {maxLength: 1}}}}}`, `{"a":{"b":{"xy":1},"c":{"xy":1}}}`,
			[]string{`/a the name of its member "xy" is not allowed`}},
		{"anyOf", `{properties: {a: {anyOf: [{type: string}, {type: integer}]}}}`, `{"a":[]}`,
			[]string{"/a fits none of the forms that are allowed here: must be a string, not a list; or must be an integer, not a list"}},
		{"anyOf below", `{properties: {a: {anyOf: [{required: [x]}, {properties: {y: {type: string}}, required: [y]}]}}}`, `{"a":{"y":1}}`,
			[]string{`/a fits none of the forms that are allowed here: the member "x" is missing; or /y must be a string, not a number`}},
		{"oneOf, two", `{properties: {a: {oneOf: [{type: string}, {minLength: 1}]}}}`, `{"a":"x"}`,
			[]string{"/a fits more than one of the forms of which exactly one is allowed"}},
		{"oneOf, none", `{properties: {a: {oneOf: [{type: string}]}}}`, `{"a":1}`,
			[]string{"/a fits none of the forms that are allowed here: must be a string, not a number"}},
		{"not", `{properties: {a: {not: {type: string}}}}`, `{"a":"x"}`, []string{"/a is of a form that is not allowed here"}},
		{"false", `{properties: {a: false}}`, `{"a":"x"}`, []string{"/a is not allowed here"}},
		{"dependent", `{dependentRequired: {a: [b]}}`, `{"a":1}`, []string{` the member "b" is missing, which "a" needs`}},
		{"reference", `{$defs: {name: {type: string}}, properties: {a: {$ref: '#/$defs/name'}}}`, `{"a":1}`, []string{"/a must be a string, not a number"}},
		{"allOf", `{allOf: [{required: [a]}, {required: [a]}, {required: [b]}]}`, `{}`, []string{` the member "a" is missing`, ` the member "b" is missing`}},
		{"if", `{if: {required: [a]}, then: {required: [b]}}`, `{"a":1}`, []string{` the member "b" is missing`}},
		{"rule without words", `{properties: {a: {contains: {type: string}}}}`, `{"a":[1]}`, []string{`/a does not follow the schema's rule "contains"`}},
		{"older draft", `{$schema: 'http://json-schema.org/draft-07/schema#', definitions: {n: {type: string}}, properties: {a: {$ref: '#/definitions/n'}}}`,
			`{"a":1}`, []string{"/a must be a string, not a number"}},
		{"big number", `{properties: {a: {type: integer, maximum: 9007199254740993}}}`, `{"a":9007199254740994}`, []string{"/a must be at most 9007199254740993"}},
		{"not an object", `{type: object}`, `[]`, []string{" must be an object, not a list"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind := kindOf(t, compile(t, "resources:\n- name: a\n  schema: "+c.schema+"\n"), "a")
			var got []string
			for _, e := range kept(kind.Validate(parseJSON(t, c.data))) {
				if e.Code != dovetail.CodeUnprocessable || e.Remedy == "" {
					t.Errorf("incomplete error %+v", e)
				}
				got = append(got, e.Position.Path+" "+e.Message)
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestValidateGivesPositions(t *testing.T) {
	kind := kindOf(t, compile(t, "resources:\n- name: a\n  schema: {properties: {spec: {properties: {n: {type: integer}}}}}\n"), "a")
	documents, err := yaml.Parse("d.yaml", []byte("metadata:\n  name: x\nspec:\n  n: five\n"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got := kept(kind.Validate(documents[0]))
	want := dovetail.Position{Line: 4, Column: 6, Path: "/spec/n"}
	if len(got) != 1 || got[0].Position != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestValidateBoundsItsErrors(t *testing.T) {
	kind := kindOf(t, compile(t, "resources:\n- name: a\n  schema: {items: {type: string}}\n"), "a")
	got := kind.Validate(parseJSON(t, "["+strings.Repeat("1,", 499)+"1]"))
	if len(got.Kept()) != 100 || got.Total() != 500 {
		t.Errorf("%d errors of %d", len(got.Kept()), got.Total())
	}
}

func TestDataSchema(t *testing.T) {
	model := compile(t, "resources:\n- name: a\n  schema: {type: object, required: [b]}\n- name: b\n")
	if got := string(kindOf(t, model, "a").DataSchema()); got != `{"type":"object","required":["b"]}` {
		t.Errorf("got %s", got)
	}
	b := kindOf(t, model, "b")
	if got := b.DataSchema(); got != nil || kept(b.Validate(parseJSON(t, "[]"))) != nil {
		t.Errorf("got %s for none", got)
	}
}
