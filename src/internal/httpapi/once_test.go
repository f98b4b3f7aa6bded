package httpapi_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/httpapi"
)

// A write that is sent again with its Idempotency-Key is answered as it was, byte for byte.
func TestIdempotencyKey(t *testing.T) {
	tests := []struct {
		name         string
		method, path string
		body         string
		between      call
		status       int
	}{
		{name: "create", method: "POST", path: "/v2/projects", body: named("p2"), between: call{method: "DELETE", path: "/v2/projects/p2"}, status: 201},
		{name: "put that creates", method: "PUT", path: "/v2/projects/p2", body: named("p2"), status: 200},
		{name: "put that replaces", method: "PUT", path: "/v2/projects/p1", body: `{"metadata":{"name":"p1"},"spec":{"a":1}}`,
			between: call{method: "PATCH", path: "/v2/projects/p1", body: `{"spec":{"a":2}}`}, status: 200},
		{name: "patch", method: "PATCH", path: "/v2/projects/p1", body: `{"spec":{"a":1}}`, status: 200},
		{name: "delete", method: "DELETE", path: app, status: 204},
		{name: "status", method: "PUT", path: "/v2/projects/p1/status", body: `{"phase":"x"}`, status: 200},
		{name: "batch", method: "POST", path: "/v2/batch", body: `[{"kind":"project","metadata":{"name":"p2"}},{"kind":"project","metadata":{"name":"p3"}}]`, status: 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			write := call{method: tt.method, path: tt.path, body: tt.body, header: map[string]string{"Idempotency-Key": "k"}}
			first := s.do(write)
			check(t, first, tt.status, map[string]string{"Idempotency-Replayed": ""}, "")
			if tt.between.method != "" {
				s.do(tt.between)
			}
			again := s.do(write)
			check(t, again, tt.status, map[string]string{"Idempotency-Replayed": "true", "Etag": first.Header().Get("Etag"),
				"Location": first.Header().Get("Location")}, first.Body.String())
		})
	}
}

func TestIdempotencyKeyOfAnotherRequest(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	header := map[string]string{"Idempotency-Key": "k"}
	check(t, s.do(call{method: "POST", path: "/v2/projects", body: named("p1"), header: header}), 201, nil, "")
	check(t, s.do(call{method: "POST", path: "/v2/projects", body: named("p2"), header: header}), 422, nil, "")
	check(t, s.do(call{method: "GET", path: "/v2/projects/p2"}), 404, nil, "")
}
