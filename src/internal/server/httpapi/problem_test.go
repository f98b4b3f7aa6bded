package httpapi_test

import (
	"regexp"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// hash is the one thing in an answer that depends on the text of the test schema.
var hash = regexp.MustCompile(`"schema":"[0-9a-f]+"`)

func TestProblems(t *testing.T) {
	tests := []struct {
		name string
		call call
	}{
		{"exists", call{method: "POST", path: "/v2/projects", body: named("p1")}},
		{"missing-parent", call{method: "POST", path: "/v2/projects/p9/logical-clouds", body: named("l")}},
		{"missing-reference", call{method: "PUT", path: app, body: `{"spec":{"controller":"c9"}}`}},
		{"in-use", call{method: "DELETE", path: "/v2/controllers/c1"}},
		{"stale", call{method: "PUT", path: app, header: map[string]string{"If-Match": `"uid4-9"`}, body: `{}`}},
		{"not-found", call{method: "GET", path: "/v2/projects/p9"}},
		{"no-route", call{method: "GET", path: "/v2/projects/p1/composite-app/CA/v3/aps"}},
		{"no-route-at-the-root", call{method: "GET", path: "/v2/projekts/p1"}},
		{"no-route-outside", call{method: "GET", path: "/admin"}},
		{"method", call{method: "POST", path: app}},
		{"invalid-json", call{method: "PUT", path: app, body: "{\n  \"a\": tru\n}"}},
		{"invalid-yaml", call{method: "PUT", path: app, header: map[string]string{"Content-Type": "text/yaml"}, body: "a: [1\nb: 2"}},
		{"unprocessable", call{method: "PUT", path: "/v2/projects/p1/quotas/q", body: `{"metadata":{"name":"q"},` + "\n" + `"spec":{"cpu":-1}}`}},
		{"other-names", call{method: "PUT", path: "/v2/projects/p1/composite-apps/CA/v3", body: `{"metadata":{"name":"CB"},"spec":{"compositeAppVersion":"v4"}}`}},
		{"no-name", call{method: "POST", path: "/v2/projects/p1/labels", body: `{"metadata":{"name":""}}`}},
		{"media-type", call{method: "PUT", path: "/v2/projects/p1/bundles/b", header: map[string]string{"Content-Type": "text/plain"}, body: `{}`}},
		{"not-acceptable", call{method: "GET", path: app, header: map[string]string{"Accept": "image/png, application/json;q=0"}}},
		{"batch", call{method: "POST", path: "/v2/batch", body: `[{"kind":"apps"},{"kind":"project","metadata":{"name":"x"}},` + "\n" +
			`{"op":"delete","id":"controllerGroup/orchestrator/controller/c1"},{"kind":"logicalCloud","key":{"project":"none"},"metadata":{"name":"l"}}]`}},
		{"batch-refused", call{method: "POST", path: "/v2/batch", body: `[{"op":"create","kind":"project","metadata":{"name":"p1"}},` + "\n" +
			`{"op":"delete","id":"controllerGroup/orchestrator/controller/c1"},{"kind":"logicalCloud","key":{"project":"none"},"metadata":{"name":"l"}},` + "\n" +
			`{"kind":"quota","key":{"project":"p1"},"data":{"metadata":{"name":"q"},"spec":{"cpu":1.5}}}]`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			w := s.do(tt.call)
			if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
				t.Fatalf("%d %s: %s", w.Code, got, w.Body)
			}
			golden(t, tt.name, hash.ReplaceAll(w.Body.Bytes(), []byte(`"schema":"hash"`)))
		})
	}
}
