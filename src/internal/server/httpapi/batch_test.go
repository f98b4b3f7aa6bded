package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

func TestBatch(t *testing.T) {
	tests := []struct {
		name        string
		query       string
		contentType string
		body        string
		status      int
		want        string
	}{
		{name: "children before parents", body: `[{"kind":"logicalCloud","key":{"project":"p2"},"metadata":{"name":"l"}},{"kind":"project","metadata":{"name":"p2"}}]`, status: 200,
			want: `{"results":[{"index":1,"effect":"created","id":"project/p2/logicalCloud/l","kind":"logicalCloud","etag":"\"uid5-1\""},` +
				`{"index":2,"effect":"created","id":"project/p2","kind":"project","etag":"\"uid6-1\""}]}`},
		{name: "yaml documents", contentType: "application/yaml", body: "kind: projects\nmetadata: {name: p2}\n---\nkind: compositeApp\nkey: {project: p2}\nmetadata: {name: A}\nspec: {compositeAppVersion: v1}\n", status: 200,
			want: `{"results":[{"index":1,"effect":"created","id":"project/p2","kind":"project","etag":"\"uid5-1\""},` +
				`{"index":2,"effect":"created","id":"project/p2/compositeApp/A/compositeAppVersion/v1","kind":"compositeAppVersion","etag":"\"uid6-1\""}]}`},
		{name: "cascade", body: `{"operations":[{"op":"delete","id":"controllerGroup/orchestrator/controller/c1","cascade":true}]}`, status: 200,
			want: `{"results":[{"index":1,"effect":"deleted","id":"controllerGroup/orchestrator/controller/c1","kind":"controller"},` +
				`{"effect":"deleted","id":"project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx","kind":"app","because":{"of":"controllerGroup/orchestrator/controller/c1","relation":"referrer"}}]}`},
		{name: "unchanged, patched, with status", body: `[{"kind":"project","metadata":{"name":"p1"},"spec":{}},` +
			`{"op":"patch","id":"controllerGroup/orchestrator/controller/c1","data":{"spec":{"host":"h"}}},` +
			`{"op":"status","id":"project/p1/compositeApp/CA/compositeAppVersion/v3","status":{"phase":"x"}}]`, status: 200,
			want: `{"results":[{"index":1,"effect":"unchanged","id":"project/p1","kind":"project","etag":"\"uid1-1\""},` +
				`{"index":2,"effect":"updated","id":"controllerGroup/orchestrator/controller/c1","kind":"controller","etag":"\"uid2-2\""},` +
				`{"index":3,"effect":"updated","id":"project/p1/compositeApp/CA/compositeAppVersion/v3","kind":"compositeAppVersion","etag":"\"uid3-2\""}]}`},
		{name: "to try", query: "?dryRun=true", body: `[{"kind":"project","metadata":{"name":"p2"}}]`, status: 200,
			want: `{"results":[{"index":1,"effect":"created","id":"project/p2","kind":"project"}]}`},
		{name: "with warnings", body: `[{"op":"patch","id":"project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx","data":{"spec":{"logicalCloud":"l"}}}]`, status: 200,
			want: `{"results":[{"index":1,"effect":"updated","id":"project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx","kind":"app","etag":"\"uid4-2\"",` +
				`"warnings":["project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx refers to project/p1/logicalCloud/l, which does not exist"]}]}`},
		{name: "applied", body: `[{"op":"apply","fieldManager":"ann","kind":"project","metadata":{"name":"p1","labels":{"by":"ann"}}},{"op":"apply","fieldManager":"ann","kind":"project","metadata":{"name":"p2"}}]`, status: 200,
			want: `{"results":[{"index":1,"effect":"updated","id":"project/p1","kind":"project","etag":"\"uid1-2\""},{"index":2,"effect":"created","id":"project/p2","kind":"project","etag":"\"uid5-1\""}]}`},
		{name: "applied without a manager", body: `[{"op":"apply","kind":"project","metadata":{"name":"p1"}}]`, status: 400},
		{name: "nothing", body: `[]`, status: 200, want: `{"results":[]}`},
		{name: "no body", status: 400},
		{name: "no manifests", body: `[1]`, status: 400},
		{name: "one document twice", body: `[{"kind":"project","metadata":{"name":"p2"}},{"kind":"project","metadata":{"name":"p2"}}]`, status: 400},
		{name: "wrong type", contentType: "text/csv", body: `a`, status: 415},
		{name: "several parts", contentType: "multipart/form-data; boundary=x", body: `a`, status: 415},
		{name: "stale", body: `[{"kind":"project","ifMatch":"uid1-7","metadata":{"name":"p1"}}]`, status: 412},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			w := s.do(call{method: "POST", path: "/v2/batch" + tt.query, header: map[string]string{"Content-Type": tt.contentType}, body: tt.body})
			check(t, w, tt.status, nil, tt.want)
		})
	}
}

// What a read answers can be sent back as it is.
func TestBatchTakesEnvelopes(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	for _, format := range []string{"application/json", "application/yaml"} {
		envelope := s.do(call{method: "GET", path: app + "?view=document", header: map[string]string{"Accept": format}})
		check(t, envelope, 200, map[string]string{"Content-Type": format}, "")
		w := s.do(call{method: "POST", path: "/v2/batch", header: map[string]string{"Content-Type": format}, body: envelope.Body.String()})
		check(t, w, 200, nil, `{"results":[{"index":1,"effect":"unchanged","id":"project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx","kind":"app","etag":"\"uid4-1\""}]}`)
	}
}

// A batch answer shows the first errors once each, and counts the others.
func TestBatchOfManyErrors(t *testing.T) {
	tests := []struct {
		name  string
		body  string
		total int
	}{
		{name: "empty manifests", body: "[" + strings.Repeat("{},", 99_999) + "{}]", total: 200_000},
		{name: "no manifests", body: "[" + strings.Repeat("1,", 99_999) + "1]", total: 100_000},
		{name: "creations of what exists", body: "[" + strings.Repeat(`{"op":"create","kind":"project","metadata":{"name":"p1"}},`, 9_999) + `{"kind":"project","metadata":{"name":"p9"}}]`, total: 9_998}, // whether the first exists does not matter any more
		{name: "missing parents", body: manifests(10_000, `{"kind":"logicalCloud","key":{"project":"none"},"metadata":{"name":"l%d"}}`), total: 10_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			w := s.do(call{method: "POST", path: "/v2/batch", body: tt.body})
			var problem struct {
				Code   string
				Total  int
				Errors []struct{ Message string }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || w.Code < 400 {
				t.Fatalf("%d %v", w.Code, err)
			}
			if len(problem.Errors) != dovetail.MaxErrors || problem.Total != tt.total {
				t.Errorf("%d errors of %d, want %d of %d", len(problem.Errors), problem.Total, dovetail.MaxErrors, tt.total)
			}
			if w.Body.Len() > 100<<10 {
				t.Errorf("the answer has %d bytes", w.Body.Len())
			}
		})
	}
}

// manifests writes a list of n manifests that differ in their number.
func manifests(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return "[" + strings.Join(all, ",") + "]"
}
