package httpapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

func loadOpenAPI(t *testing.T, s *server) *openapi3.T {
	t.Helper()
	text := s.must(200, "GET", "/openapi.json", "").Body.Bytes()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestOpenAPI(t *testing.T) {
	s := newServer(t, httpapi.Options{Version: "v1.2.3"})
	doc := loadOpenAPI(t, s)
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "v1.2.3" {
		t.Errorf("OpenAPI %s of version %s", doc.OpenAPI, doc.Info.Version)
	}
	for path, verbs := range map[string]string{
		"/v2/projects":                                                               "GET POST",
		"/v2/projects/{project}":                                                     "DELETE GET PATCH PUT",
		"/v2/projects/{project}/hpa-intents":                                         "DELETE GET POST",
		"/v2/projects/{project}/policy-intents/{policyIntent}":                       "DELETE GET PATCH POST PUT",
		"/v2/projects/{project}/logical-clouds/{logicalCloud}/enrollment/start":      "POST",
		"/v2/projects/{project}/logical-clouds/{logicalCloud}/status":                "GET PUT",
		"/v2/projects/{project}/bundles/{bundle}/content/{part}":                     "GET",
		"/v2/projects/{project}/composite-apps/{compositeApp}/{compositeAppVersion}": "DELETE GET PATCH PUT",
		"/v2/batch":  "POST",
		"/v2/watch":  "GET",
		"/livez":     "GET",
		"/v2/schema": "GET",
	} {
		item := doc.Paths.Value(path)
		if item == nil {
			t.Errorf("%s is not described", path)
			continue
		}
		if got := verbsOf(item); got != verbs {
			t.Errorf("%s: got %s, want %s", path, got, verbs)
		}
	}
	quota := doc.Components.Schemas["data-quota"]
	if quota == nil || quota.Value.Properties["spec"].Value.Properties["cpu"].Value.Min == nil {
		t.Error("the reference inside the schema of quota leads nowhere")
	}
}

func verbsOf(item *openapi3.PathItem) string {
	return strings.Join(slices.Sorted(maps.Keys(item.Operations())), " ")
}
