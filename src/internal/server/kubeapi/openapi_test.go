package kubeapi_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// TestOpenAPI: the description of a group is OpenAPI 3, also where JSON Schemas of data are not; clients read all of it or nothing.
func TestOpenAPI(t *testing.T) {
	for _, tt := range []struct{ name, refSchema, group, spec string }{
		{name: "a shop", refSchema: "testdata/shop.yaml", group: "shop", spec: "dev.dovetail.shop.v1.App"},
		{name: "odd schemas", refSchema: "testdata/odd.yaml", group: "odd", spec: "dev.dovetail.odd.v1.Odd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server, _ := serve(t, apitest.OpenBolt(t), tt.refSchema)
			text := server.Must(200, "GET", "/openapi/v3/apis/"+tt.group+".dovetail.dev/v1", "").Text
			document, err := openapi3.NewLoader().LoadFromData([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := document.Validate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s := document.Components.Schemas[tt.spec]; s == nil || s.Value.Properties["spec"] == nil {
				t.Errorf("the spec of %s is not described: %s", tt.spec, text)
			}
		})
	}
}
