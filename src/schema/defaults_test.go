package schema_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// withDefaults is a schema of one kind with a JSON Schema.
func withDefaults(text string) string {
	return "resources:\n- name: site\n  defaults: true\n  schema: " + text + "\n"
}

func TestFill(t *testing.T) {
	const port = `{type: object, properties: {speed: {type: integer, default: 10}, duplex: {default: full}}}`
	tests := []struct{ name, schema, data, want string }{
		{"absent", `{properties: {spec: {properties: {a: {default: 1}}}}}`, `{"spec":{}}`, `{"spec":{"a":1}}`},
		{"absent object", `{properties: {spec: {properties: {a: {default: 1}}}}}`, `{}`, `{}`},
		{"object with a default", `{properties: {spec: {default: {}, properties: {a: {default: 1}}}}}`, `{}`, `{"spec":{"a":1}}`},
		{"given", `{properties: {spec: {properties: {a: {default: 1}}}}}`, `{"spec":{"a":2}}`, `{"spec":{"a":2}}`},
		{"null is a value", `{properties: {spec: {properties: {a: {default: 1}}}}}`, `{"spec":{"a":null}}`, `{"spec":{"a":null}}`},
		{"another type", `{properties: {spec: {properties: {a: {default: 1}}}}}`, `{"spec":[{}]}`, `{"spec":[{}]}`},
		{"items", `{properties: {ports: {items: ` + port + `}}}`, `{"ports":[{},{"speed":1}]}`, `{"ports":[{"speed":10,"duplex":"full"},{"speed":1,"duplex":"full"}]}`},
		{"members", `{properties: {ports: {additionalProperties: ` + port + `}}}`, `{"ports":{"a":{}}}`, `{"ports":{"a":{"speed":10,"duplex":"full"}}}`},
		{"reference", `{$defs: {port: ` + port + `}, properties: {uplink: {$ref: "#/$defs/port"}}}`, `{"uplink":{}}`, `{"uplink":{"speed":10,"duplex":"full"}}`},
		{"reference to a default", `{$defs: {n: {default: 3}}, properties: {n: {$ref: "#/$defs/n"}}}`, `{}`, `{"n":3}`},
		{"default beside a reference", `{$defs: {n: {default: 3}}, properties: {n: {$ref: "#/$defs/n", default: 4}}}`, `{}`, `{"n":4}`},
		{"all of", `{allOf: [{properties: {a: {default: 1}}}, {properties: {a: {default: 2}, b: {default: 3}}}]}`, `{}`, `{"a":1,"b":3}`},
		{"alternatives", `{anyOf: [{properties: {a: {default: 1}}}, {}]}`, `{}`, `{}`},
		{"default in a default", `{properties: {a: {default: {x: 1}, properties: {y: {default: {}, properties: {z: {default: 2}}}}}}}`, `{}`, `{"a":{"x":1,"y":{"z":2}}}`},
		{"recursive", `{$defs: {node: {properties: {n: {default: 0}, next: {$ref: "#/$defs/node"}}}}, $ref: "#/$defs/node"}`, `{"next":{"next":{}}}`, `{"next":{"next":{"n":0},"n":0},"n":0}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kind := kindOf(t, compile(t, withDefaults(test.schema)), "site")
			data := parseJSON(t, test.data)
			filled, err := kind.Fill(data)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(filled.JSON()); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if string(data.JSON()) != test.data {
				t.Errorf("the data is %s now", data.JSON())
			}
			again, err := kind.Fill(filled)
			if err != nil || again != filled {
				t.Errorf("filled again: %s, %v", again.JSON(), err)
			}
		})
	}
}

func TestFillIsBounded(t *testing.T) {
	kind := kindOf(t, compile(t, withDefaults(`{properties: {l: {items: {properties: {d: {default: [`+strings.Repeat("0,", 899)+`0]}}}}}}`)), "site")
	if _, err := kind.Fill(parseJSON(t, `{"l":[`+strings.Repeat("{},", 99)+`{}]}`)); err != nil {
		t.Error(err)
	}
	if _, err := kind.Fill(parseJSON(t, `{"l":[`+strings.Repeat("{},", 119)+`{}]}`)); dovetail.CodeOf(err) != dovetail.CodeTooLarge {
		t.Errorf("got %v", err)
	}
}

// Whatever is filled stays as it is when it is filled again, and keeps all that was there.
func TestFillOfAnyData(t *testing.T) {
	kind := kindOf(t, compile(t, withDefaults(`{$defs: {node: {properties: {a: {default: {b: [{}]}, properties: {b: {items: {$ref: "#/$defs/leaf"}}}}, b: {$ref: "#/$defs/node"}}}, leaf: {properties: {a: {default: 1}}}}, $ref: "#/$defs/node"}`)), "site")
	rapid.Check(t, func(t *rapid.T) {
		data := anyData(t, 4)
		filled, err := kind.Fill(data)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := kind.Fill(filled); err != nil || again != filled {
			t.Fatalf("%s becomes %s, %v", filled.JSON(), again.JSON(), err)
		}
		if !holds(filled, data) {
			t.Fatalf("%s is lost in %s", data.JSON(), filled.JSON())
		}
	})
}

func anyData(t *rapid.T, depth int) *value.Value {
	data := value.NewMap()
	if depth == 0 {
		return data
	}
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.ID[string]).Draw(t, "names") {
		of := anyData(t, depth-1)
		if rapid.Bool().Draw(t, "list") {
			of = value.NewList(of)
		}
		data.Set(name, of)
	}
	return data
}

// holds reports whether all of b is in a.
func holds(a, b *value.Value) bool {
	if a == nil || a.Kind != b.Kind || len(a.Items) != len(b.Items) {
		return false
	}
	for i, item := range b.Items {
		if !holds(a.Items[i], item) {
			return false
		}
	}
	for _, m := range b.Members {
		if !holds(a.Get(m.Name), m.Value) {
			return false
		}
	}
	return a.Text == b.Text
}

func TestDefaultsInHashAndDiff(t *testing.T) {
	const text = "resources:\n- name: site\n  schema: {properties: {a: {default: 1}}}\n"
	without, with := compile(t, text), compile(t, text+"  defaults: true\n")
	if differences := schema.Diff(without, with); len(differences) != 1 || differences[0].Change != schema.DefaultsChanged {
		t.Errorf("%+v", differences)
	}
	if without.Hash() == with.Hash() {
		t.Error("the hash is the same")
	}
	if filled, err := kindOf(t, without, "site").Fill(parseJSON(t, "{}")); err != nil || string(filled.JSON()) != "{}" {
		t.Errorf("%s, %v", filled.JSON(), err)
	}
}
