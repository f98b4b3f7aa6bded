package httpapi_test

import (
	"encoding/json"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
)

// A write that breaks rules is refused with all of them, and the description of the API lists the rules.
func TestRules(t *testing.T) {
	model, err := schema.Compile([]schema.Source{{Name: "ranges.yaml", Data: []byte(`
resources:
- name: range
  schema: {type: object, properties: {spec: {type: object, properties: {min: {type: integer}, max: {type: integer}}}}}
  rules:
    - {expr: self.spec.min <= self.spec.max, message: min is above max}
    - {expr: self.spec.max >= oldSelf.spec.max}
- name: open
  rules: ["true"]
`)}})
	if err != nil {
		t.Fatal(err)
	}
	st := newStore(t, model)
	s := &server{t: t, store: st, api: httpapi.New(st, httpapi.Options{Now: noon})}
	s.must(201, "POST", "/v2/ranges", `{"metadata":{"name":"r"},"spec":{"min":1,"max":5}}`)
	check(t, s.do(call{method: "PUT", path: "/v2/ranges/r", body: `{"metadata":{"name":"r"},"spec":{"min":4,"max":3}}`}), 422, nil, `{"type":"about:blank","title":"Unprocessable Entity","status":422,`+
		`"detail":"the transaction was refused: 2 errors","instance":"/v2/ranges/r","code":"unprocessable","reason":"RULE","errors":[`+
		`{"code":"unprocessable","reason":"RULE","message":"breaks a rule of range: min is above max","remedy":"`+"`dovetail explain range`"+` shows its rules","id":"range/r"},`+
		`{"code":"unprocessable","reason":"RULE","message":"breaks the rule \"self.spec.max >= oldSelf.spec.max\" of range","remedy":"`+"`dovetail explain range`"+` shows its rules","id":"range/r"}]}`)
	check(t, s.do(call{method: "PATCH", path: "/v2/ranges/r", body: `{"spec":{"min":null}}`, header: map[string]string{"Content-Type": "application/merge-patch+json"}}), 422, nil, "")
	s.must(200, "PUT", "/v2/ranges/r", `{"metadata":{"name":"r"},"spec":{"min":4,"max":6}}`)

	doc := loadOpenAPI(t, s)
	for name, want := range map[string]string{
		"data-range": `[{"expr":"self.spec.min \u003c= self.spec.max","message":"min is above max"},{"expr":"self.spec.max \u003e= oldSelf.spec.max","onUpdates":true}]`,
		"data-open":  `[{"expr":"true"}]`,
	} {
		described := doc.Components.Schemas[name]
		if described == nil {
			t.Errorf("%s is not described", name)
			continue
		}
		if got, err := json.Marshal(described.Value.Extensions["x-dovetail-rules"]); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
