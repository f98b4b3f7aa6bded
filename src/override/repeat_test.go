package override_test

import (
	"encoding/json"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestRepeated sends writes again under their idempotency keys, after others have changed the same documents.
func TestRepeated(t *testing.T) {
	for name, open := range map[string]func(testing.TB) store.Backend{"bolt": apitest.OpenBolt, "mongo": mongotest.Open} {
		t.Run(name, func(t *testing.T) { checkRepeated(t, open(t)) })
	}
}

func checkRepeated(t *testing.T, backend store.Backend) {
	s := newStore(t, backend, inhabited())
	http := apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{override.New(override.Stored{Store: s}, override.Options{}).Service()}})
	of := "?environmentId=c1/e1&context=deployment&namespaceName=e1-core"
	set := func(n string) string {
		return `{"environmentId":"c1/e1","context":"deployment","namespaceName":"e1-core","parameters":{"n":` + n + `}}`
	}
	change := func(c *apitest.Server) { c.Must(200, "PUT", overrides, set("9"), "If-Match", "*") }
	http.CheckRepeated(t, []apitest.Repeated{
		{Name: "create", Method: "POST", Path: overrides, Body: set("1"), Status: 201, Between: change, Other: set("2")},
		{Name: "replace", Method: "PUT", Path: overrides, Body: set("3"), Header: []string{"If-Match", "*"}, Status: 200, Between: change, Other: set("4")},
		{Name: "remove", Method: "DELETE", Path: overrides + of, Header: []string{"If-Match", "*"}, Status: 204,
			Between: func(c *apitest.Server) { c.Must(201, "POST", overrides, set("5")) }},
		{Name: "create a ParamSet", Method: "POST", Path: "/api/paramset", Body: `{"name":"own","location":"environments/c1/e1/Inventory/parameters","parameters":{"a":1},"associations":[{"environmentId":"c1/e1","context":"deployment","associatedObject":"cloud"}]}`,
			Status: 201, Other: `{"name":"own","location":"environments/c1/e1/Inventory/parameters","parameters":{"a":2}}`},
	})
	var set1 struct{ ID string }
	if err := json.Unmarshal([]byte(http.Must(201, "POST", "/api/paramset", `{"name":"next","location":"environments/c1/e1/Inventory/parameters","parameters":{"a":1}}`).Text), &set1); err != nil {
		t.Fatal(err)
	}
	path := "/api/paramset/" + set1.ID
	replace := func(c *apitest.Server) { c.Must(200, "PUT", path, `{"parameters":{"a":7}}`, "If-Match", "*") }
	http.CheckRepeated(t, []apitest.Repeated{
		{Name: "replace a ParamSet", Method: "PUT", Path: path, Body: `{"parameters":{"a":2}}`, Header: []string{"If-Match", "*"}, Status: 200, Between: replace, Other: `{"parameters":{"a":3}}`},
		{Name: "associate", Method: "POST", Path: path + "/associations", Body: `{"environmentId":"c1/e1","context":"deployment","associatedObject":"cloud"}`, Status: 201,
			Between: replace, Other: `{"environmentId":"c1/e1","context":"pipeline","associatedObject":"cloud"}`},
		{Name: "delete a ParamSet", Method: "DELETE", Path: path + "?cascade=true", Header: []string{"If-Match", "*"}, Status: 204,
			Between: func(c *apitest.Server) {
				c.Must(201, "POST", "/api/paramset", `{"name":"next","location":"environments/c1/e1/Inventory/parameters","parameters":{"a":1}}`)
			}},
	})
	http.Must(200, "GET", path, "")
}
