package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
)

func TestBodyOfDeletion(t *testing.T) {
	remove := func(path string, body httpapi.Schema) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodDelete, Path: path, Body: body, BodyOptional: true, Needs: httpapi.Requires([]string{"project"}, dovetail.RightDelete),
			Handle: func(context.Context, *httpapi.Call) (*httpapi.Reply, error) { return &httpapi.Reply{}, nil }}
	}
	service := httpapi.Service{Name: "removing", Endpoints: []httpapi.Endpoint{remove("/api/without", nil), remove("/api/with", httpapi.Schema{"type": "object"})}}
	tests := []struct {
		name    string
		path    string
		body    string
		chunked bool
		status  int
		says    string
	}{
		{name: "no body", path: app, status: 204},
		{name: "no body, of unknown length", path: app, chunked: true, status: 204},
		{name: "a version", path: app, body: `{"revision":1}`, status: 400, says: `"detail":"DELETE /v2/projects/{project}/composite-apps/{compositeApp}/{compositeAppVersion}/apps/{app} takes no body","instance"`},
		{name: "an empty object", path: app, body: `{}`, status: 400, says: "takes no body"},
		{name: "of unknown length", path: app, body: `{}`, chunked: true, status: 400, says: "takes no body"},
		{name: "a dry run", path: app + "?dryRun=true", body: `{}`, status: 400, says: "takes no body"},
		{name: "a transaction", path: "/v2/idempotency-keys/k", body: `{}`, status: 400, says: "DELETE /v2/idempotency-keys/{key} takes no body"},
		{name: "a service without a body", path: "/api/without", body: `{}`, status: 400, says: "DELETE /api/without takes no body"},
		{name: "a service with a body", path: "/api/with", body: `{}`, status: 204},
		{name: "a service without the body that it may have", path: "/api/with", status: 204},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{Services: []httpapi.Service{service}})
			s.seed()
			before := s.must(200, "GET", app, "").Header().Get("ETag")
			r := httptest.NewRequest(http.MethodDelete, tt.path, strings.NewReader(tt.body))
			if tt.chunked {
				r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
			}
			w := httptest.NewRecorder()
			s.api.ServeHTTP(w, r)
			check(t, w, tt.status, nil, "")
			if !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("got %s, want %q in it", w.Body, tt.says)
			}
			if tt.status == http.StatusBadRequest {
				if after := s.must(200, "GET", app, "").Header().Get("ETag"); after != before {
					t.Errorf("refused, and the version is %s instead of %s", after, before)
				}
			}
		})
	}
}
