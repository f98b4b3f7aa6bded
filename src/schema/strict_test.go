package schema_test

import (
	"slices"
	"testing"
)

func TestStrict(t *testing.T) {
	model := compile(t, `
- name: site
  strict: true
- name: rack
  parent: site
- name: loose
- name: shelf
  strict: true
  references:
  - {name: rack, at: spec.to, map: {rack: cabinet}}
  - {name: rack, at: 'spec.more[*]'}
  - {name: site, at: 'spec.names.*'}
  - {name: site, type: many, field: place}
  - {name: site, type: map, map: sites}
- name: typed
  strict: true
  references: [{name: site, at: spec.home}]
  schema:
    required: [spec]
    properties:
      kind: {type: string}
      spec:
        properties:
          size: {type: integer}
          free: {type: object}
          closed: {type: object, properties: {a: true}}
          map: {type: object, additionalProperties: {properties: {x: true}}}
          list: {type: array, items: {properties: {y: true}}}
          tree: {$ref: '#/$defs/tree'}
          refused: {properties: {z: true}, additionalProperties: false}
        patternProperties: {'^x-': {}}
        anyOf: [{properties: {one: true}}, {properties: {two: true}, required: [two]}]
    $defs:
      tree: {properties: {leaf: true, below: {$ref: '#/$defs/tree'}}}
`)
	for _, c := range []struct {
		name, kind, data string
		want             []string
	}{
		{"the convention", "site", `{"metadata":{"name":"n","description":"d","labels":{"a":"b"},"annotations":{"x/y":"z"},"userData1":"","userData2":""},"spec":{}}`, nil},
		{"the own element", "site", `{"site":"s","spec":{"site":"s"}}`, nil},
		{"other members", "site", `{"kind":"x","metadata":{"nme":"n"},"spec":{"size":1}}`,
			[]string{"/kind is not a known member", "/metadata/nme is not a known member", "/spec/size is not a known member"}},
		{"a kind that is not strict", "loose", `{"kind":"x","metadata":{"nme":"n"},"spec":{"size":1}}`, nil},
		{"what rules look for", "shelf", `{"spec":{"to":{"site":"s","cabinet":"r"},"more":[{"site":"s","rack":"r"}],"names":{"s1":{},"s2":null},"l":{"place":"p"},"sites":{"s":{"any":1}}}}`,
			[]string{"/spec/l is not a known member"}},
		{"beside what rules look for", "shelf", `{"spec":{"to":{"site":"s","rack":"r","cabinet":"r"},"more":[{"site":"s","rack":"r","note":1}],"place":["s"]}}`,
			[]string{"/spec/more/0/note is not a known member", "/spec/to/rack is not a known member"}},
		{"what the JSON Schema names", "typed", `{"kind":"k","spec":{"size":1,"free":{"any":{"thing":1}},"closed":{"a":{"b":1}},"map":{"m":{"x":1}},"list":[{"y":1}],
			"tree":{"leaf":1,"below":{"anything":1}},"x-y":{"z":1},"one":1,"two":2,"home":{"site":"s"},"refused":{"z":1}}}`,
			nil},
		{"what the JSON Schema does not name", "typed", `{"kid":"k","spec":{"siz":1,"two":2,"closed":{"b":1},"map":{"m":{"y":1}},"list":[{"x":1}],"tree":{"laef":1},"home":{"site":"s","x":1},"refused":{"y":1}}}`,
			[]string{"/kid is not a known member", "/spec/closed/b is not a known member", "/spec/home/x is not a known member",
				"/spec/list/0/x is not a known member", "/spec/map/m/y is not a known member", "/spec/refused/y is not a known member",
				"/spec/siz is not a known member", "/spec/tree/laef is not a known member"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind := kindOf(t, model, c.kind)
			if kind.Strict != (c.kind != "loose") {
				t.Errorf("strict is %v", kind.Strict)
			}
			errs := kind.Validate(parseJSON(t, c.data))
			if got := wrong(t, errs); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
