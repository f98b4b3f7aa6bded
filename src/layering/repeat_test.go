package layering_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// TestRepeated sends writes again under their idempotency keys, after others have made newer revisions.
func TestRepeated(t *testing.T) {
	s := newServer(t, apitest.OpenBolt(t))
	const path, policy = "/api/v1.0/buckets/a/documents", "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [site]}\n---\n"
	of := func(n string) string {
		return policy + "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: d, layeringDefinition: {abstract: false, layer: site}}\ndata: {n: " + n + "}\n"
	}
	yaml := []string{"Content-Type", "application/x-yaml"}
	put := func(n string) func(*apitest.Server) {
		return func(c *apitest.Server) { c.Must(200, "PUT", path, of(n), yaml...) }
	}
	s.http.CheckRepeated(t, []apitest.Repeated{
		{Name: "put", Method: "PUT", Path: path, Body: of("1"), Header: yaml, Status: 200, Between: put("2"), Other: of("3")},
		{Name: "rollback", Method: "POST", Path: "/api/v1.0/rollback/1", Header: yaml, Status: 201, Between: put("4")},
		{Name: "tag", Method: "POST", Path: "/api/v1.0/revisions/1/tags/good", Body: "{by: me}", Header: yaml, Status: 201, Other: "{by: you}"},
		{Name: "untag", Method: "DELETE", Path: "/api/v1.0/revisions/1/tags/good", Header: yaml, Status: 204,
			Between: func(c *apitest.Server) { c.Must(201, "POST", "/api/v1.0/revisions/1/tags/good", "{by: me}", yaml...) }},
		{Name: "validation", Method: "POST", Path: "/api/v1.0/revisions/1/validations/v", Body: "{status: success, validator: {name: v}}", Header: yaml, Status: 201,
			Other: "{status: failure, validator: {name: v}}"},
	})
	// A write that changed nothing changes nothing later, either.
	key := append([]string{"Idempotency-Key", "same"}, yaml...)
	s.http.Must(200, "PUT", path, of("4"), key...)
	put("5")(s.http)
	before := s.must(200, "GET", "/api/v1.0/revisions", "").text
	s.http.Must(200, "PUT", path, of("4"), key...)
	if after := s.must(200, "GET", "/api/v1.0/revisions", "").text; after != before {
		t.Errorf("a repetition made a revision: %s", after)
	}
	s.http.CheckRepeated(t, []apitest.Repeated{{Name: "delete all", Method: "DELETE", Path: "/api/v1.0/revisions", Header: yaml, Status: 204, Between: put("6")}})
	s.must(200, "GET", "/api/v1.0/revisions/1", "")
}
