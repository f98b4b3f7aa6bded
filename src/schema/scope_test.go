package schema_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

var someNames = []string{"a", "b", "c"}

// schemaOf draws a JSON Schema that often looks at a part of the data only.
func schemaOf(t *rapid.T, depth int) *value.Value {
	if depth == 0 || rapid.IntRange(0, 9).Draw(t, "any") == 0 {
		return value.NewBool(rapid.IntRange(0, 9).Draw(t, "true") > 0)
	}
	schema := value.NewMap()
	for _, keyword := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"type", "properties", "required", "items", "additionalProperties", "maxLength",
		"maxItems", "maxProperties", "enum"}), rapid.ID[string]).Draw(t, "keywords") {
		var v *value.Value
		switch keyword {
		case "type":
			v = value.NewString(rapid.SampledFrom([]string{"object", "array", "string", "number"}).Draw(t, "type"))
		case "properties":
			v = value.NewMap()
			for _, name := range someNames[:rapid.IntRange(0, 2).Draw(t, "properties")] {
				v.Set(name, schemaOf(t, depth-1))
			}
		case "required":
			v = value.NewList(value.NewString(rapid.SampledFrom(someNames).Draw(t, "required")))
		case "enum":
			v = value.NewList(freeData(t, 2), freeData(t, 1))
		case "items", "additionalProperties":
			v = schemaOf(t, depth-1)
		default:
			v = value.NewNumber(1)
		}
		schema.Set(keyword, v)
	}
	return schema
}

func freeData(t *rapid.T, depth int) *value.Value {
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case depth == 0 || kind < 2:
		return rapid.SampledFrom([]*value.Value{value.NewString("x"), value.NewString("xy"), value.NewNumber(1), {}}).Draw(t, "scalar")
	case kind == 2:
		list := value.NewList()
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			list.Items = append(list.Items, freeData(t, depth-1))
		}
		return list
	}
	object := value.NewMap()
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(someNames), rapid.ID[string]).Draw(t, "members") {
		object.Set(name, freeData(t, depth-1))
	}
	return object
}

// TestWhatASchemaLooksAt checks data against a schema, and against the same one with a rule that always holds, but that
// has all of the data looked at: what is wrong is the same.
func TestWhatASchemaLooksAt(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		plain := schemaOf(r, 3)
		if plain.Kind != value.Map {
			plain = value.NewMap()
		}
		data := freeData(r, 4)
		full := plain.Clone()
		full.Set("not", value.NewBool(false))
		validate := func(schema *value.Value) []*dovetail.Error {
			text := append([]byte(`{"resources": [{"name": "a", "schema": `), schema.JSON()...)
			return kept(kindOf(t, compile(t, string(append(text, "}]}"...))), "a").Validate(data))
		}
		got, want := validate(plain), validate(full)
		if !slices.EqualFunc(got, want, func(a, b *dovetail.Error) bool { return a.Position == b.Position && a.Message == b.Message }) {
			r.Fatalf("%s of %s: %v, want %v", plain.JSON(), data.JSON(), got, want)
		}
	})
}
