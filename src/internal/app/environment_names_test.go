package app

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// Every service reaches an environment by the same id, for every name that the rules for names allow.
func TestEnvironmentNames(t *testing.T) {
	server := start(t, nil)
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	for _, tt := range []struct{ name, environment string }{
		{"backslash", `a\b`},
		{"dots", "a.b..c"},
		{"spaces inside", "a b"},
		{"unicode", "größe-東京"},
		{"percent", "a%2Fb"},
		{"plus", "a+b"},
		{"quotes", `a"b'c`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server.must(t, 201, "POST", "/v2/clusters/c1/environments", fmt.Sprintf(`{"metadata":{"name":%q}}`, tt.environment))
			query := "?environmentId=" + url.QueryEscape("c1/"+tt.environment)
			server.must(t, 201, "POST", "/api/ui-override", fmt.Sprintf(`{"environmentId":%q,"context":"pipeline","parameters":{"a":1}}`, "c1/"+tt.environment))
			server.must(t, 200, "GET", "/api/ui-override"+query+"&context=pipeline", "")
			server.must(t, 200, "POST", "/api/sd/process"+query, `{"SD_SOURCE_TYPE":"json","SD_DATA":{"version":2.1,"applications":[{"version":"app:1","deployPostfix":"core"}]}}`)
			server.must(t, 200, "GET", "/api/sd"+query+"&kind=full", "")

			e, err := inventory.ParseEnvironment("c1/" + tt.environment)
			if err != nil {
				t.Fatal(err)
			}
			kind, id, one := instancerepo.Holder(instancerepo.Folder(e) + "/Inventory/env_definition.yml")
			if kind != "environment" || id != e.ID() || !one {
				t.Errorf("its definition in an instance repository is of %s %s", kind, id)
			}
			server.must(t, http.StatusOK, "GET", "/v2/clusters/c1/environments/"+url.PathEscape(tt.environment), "")
		})
	}
}
