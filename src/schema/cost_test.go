package schema_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
)

// pairs is a schema of n nested pairs of alternatives: it looks at a value 2^n times.
func pairs(keyword string, n int) string {
	text := `{"type":"string"}`
	for range n {
		text = `{"` + keyword + `":[` + text + `,` + text + `]}`
	}
	return text
}

// twice is a schema that looks at a value n levels deep 2^n times.
const twice = `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","allOf":[{"properties":{"a":{"$ref":"#/$defs/n"}}},{"additionalProperties":{"$ref":"#/$defs/n"}}]}}}`

func TestSchemasThatMultiplyWork(t *testing.T) {
	const tooOften = "more than 1000 schemas look at the same value"
	// The same by references: fifty short definitions, each twice the one before.
	references := `{"$ref":"#/$defs/d50","$defs":{"d0":{"type":"string"}`
	for i := range 50 {
		before := `{"$ref":"#/$defs/d` + strconv.Itoa(i) + `"}`
		references += `,"d` + strconv.Itoa(i+1) + `":{"anyOf":[` + before + `,` + before + `]}`
	}
	references += "}}"
	tests := []struct {
		name, schema, data string
		refused, wrong     string // how the message begins that refuses the schema, or the data
	}{
		{name: "few pairs", schema: pairs("anyOf", 4), data: `{}`, wrong: "fits none of the forms"},
		{name: "anyOf", schema: pairs("anyOf", 10), refused: tooOften},
		{name: "allOf", schema: pairs("allOf", 10), refused: tooOften},
		{name: "oneOf", schema: pairs("oneOf", 10), refused: tooOften},
		{name: "below a member", schema: `{"properties":{"a":` + pairs("anyOf", 10) + `}}`, refused: tooOften},
		{name: "written out", schema: pairs("anyOf", 14), refused: "has more than 10000 objects and booleans"},
		{name: "references", schema: references, refused: tooOften},
		{name: "a circle", schema: `{"anyOf":[{"$ref":"#"},{}]}`, refused: "refers to itself in a circle"},
		{name: "recursion that doubles, in flat data", schema: twice, data: `{"a":{"a":1}}`, wrong: "must be an object"},
		{name: "recursion that doubles, in deep data", schema: twice, data: nested(40), wrong: "cannot be checked, because that takes more than"},
		{name: "recursion", schema: `{"type":"object","additionalProperties":{"$ref":"#"}}`, data: nested(90)},
		{name: "recursion in a list of forms", schema: `{"anyOf":[{"type":"object","additionalProperties":{"$ref":"#"}},{"type":"string"}]}`, data: nested(90)},
		{name: "dynamic recursion", data: nested(90), schema: `{"$schema":"https://json-schema.org/draft/2020-12/schema","$dynamicAnchor":"n","$ref":"#/$defs/tree",
			"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}}}`},
		{name: "a long list", schema: `{"items":{"enum":["x","y"]}}`, data: "[" + strings.Repeat(`"x",`, 200_000) + `"x"]`},
		{name: "many alternatives of a long list", schema: `{"items":{"anyOf":[` + strings.Repeat(`{"const":1},`, 900) + `{"const":1}]}}`,
			data: "[" + strings.Repeat(`"x",`, 200_000) + `"x"]`, wrong: "cannot be checked, because that takes more than"},
		{name: "many alternatives of the first of a long list", data: "[" + strings.Repeat(`"x",`, 200_000) + `"x"]`,
			schema: `{"prefixItems":[{"anyOf":[` + strings.Repeat(`{"const":1},`, 900) + `{"const":"x"}]}],"items":{"const":"x"}}`},
		{name: "many alternatives of a short list", schema: `{"items":{"anyOf":[` + strings.Repeat(`{"const":1},`, 900) + `{"const":2}]}}`, data: `[1,2,1]`},
		{name: "a long enum", schema: `{"anyOf":[{"enum":[` + longEnum() + `]},{"type":"object"}]}`, data: `0`},
		{name: "a long enum for a long list", schema: `{"items":{"enum":[` + longEnum() + `]}}`,
			data: "[" + strings.Repeat(`"y",`, 50_000) + `"y"]`, wrong: "cannot be checked, because that takes more than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var schemas schema.JSONSchemas
			own, problems := schemas.Compile(parseValue(t, strings.ReplaceAll(tt.schema, "{\"$ref\"", `{"$schema":"https://json-schema.org/draft/2020-12/schema","$ref"`)))
			model, err := schema.Compile(sourcesOf("resources:\n- name: a\n  schema: " + strings.ReplaceAll(tt.schema, "\n", " ") + "\n"))
			if tt.refused != "" {
				if len(problems) != 1 || !strings.HasPrefix(problems[0].Message, tt.refused) || problems[0].Remedy == "" {
					t.Errorf("refused with %v", problems)
				}
				if err == nil || !strings.Contains(err.Error(), "a.yaml:3:") || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("refused with %v", err)
				}
				return
			}
			if err != nil || own == nil {
				t.Fatal(err, problems)
			}
			data := parseValue(t, tt.data)
			var got []string
			for _, e := range kept(kindOf(t, model, "a").Validate(data)) {
				got = append(got, strings.TrimPrefix(e.Message, "the data "))
			}
			for _, v := range own.Check(data) {
				got = append(got, v.Message)
			}
			if tt.wrong == "" && len(got) > 0 || tt.wrong != "" && len(got) < 2 {
				t.Errorf("got %q", got)
			}
			for _, message := range got {
				if !strings.HasPrefix(message, tt.wrong) {
					t.Errorf("got %q, want %q", message, tt.wrong)
				}
			}
		})
	}
}

func nested(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "{}" + strings.Repeat("}", depth)
}

func longEnum() string {
	text := "0"
	for i := range 20_000 {
		text += ",\"" + strconv.Itoa(i) + `"`
	}
	return text
}

func TestCompileEndsWithTheRequest(t *testing.T) {
	text := "resources:\n"
	for i := range 50 {
		text += "- name: k" + strconv.Itoa(i) + "\n  schema: {type: object}\n"
	}
	gone, calls := errors.New("gone"), 0
	_, err := schema.CompileUntil(func() error {
		if calls++; calls > 10 {
			return gone
		}
		return nil
	}, sourcesOf(text))
	if err != gone || calls != 11 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
