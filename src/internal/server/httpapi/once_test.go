package httpapi_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
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

// What became of a request can be asked for by its key, and one that was not done can be aborted.
func TestOutcomeOfKey(t *testing.T) {
	const committed = `{"state":"committed","results":[{"index":1,"effect":"created","id":"project/p1","kind":"project","etag":"\"`
	write := func(verb, path, body, key string) call {
		return call{method: verb, path: path, body: body, header: map[string]string{"Idempotency-Key": key}}
	}
	s := newServer(t, httpapi.Options{})
	for _, step := range []struct {
		call
		status int
		body   string
	}{
		{call{method: "GET", path: "/v2/idempotency-keys/k"}, 404, `"code":"not-found"`},
		{write("POST", "/v2/batch", `{"kind":"project","metadata":{"name":"p1"}}`, "k"), 200, ""},
		{call{method: "GET", path: "/v2/idempotency-keys/k"}, 200, committed},
		{call{method: "DELETE", path: "/v2/idempotency-keys/k"}, 200, committed},
		{call{method: "DELETE", path: "/v2/idempotency-keys/a%2Fb"}, 200, `{"state":"aborted"}`},
		{call{method: "GET", path: "/v2/idempotency-keys/a%2Fb"}, 200, `{"state":"aborted"}`},
		{write("PUT", "/v2/projects/p2", named("p2"), "a/b"), 409, `"reason":"ABORTED"`},
		{call{method: "GET", path: "/v2/projects/p2"}, 404, ""},
		{write("POST", "/v2/documents", `[{"id":"project/p3","kind":"project","data":{},"uid":"x","revision":7,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}]`, "i"), 200, `"results"`},
		{write("POST", "/v2/documents", `[{"id":"project/p3","kind":"project","data":{},"uid":"x","revision":7,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}]`, "i"), 200, `"results"`},
		{write("POST", "/v2/documents", `[{"id":"project/p3","kind":"project","data":{},"uid":"y","revision":7,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}]`, "i"), 422, ""},
		{call{method: "GET", path: "/v2/idempotency-keys/" + strings.Repeat("k", 256)}, 400, ""},
	} {
		if w := s.do(step.call); w.Code != step.status || !strings.Contains(w.Body.String(), step.body) {
			t.Errorf("%s %s: %d %s", step.method, step.path, w.Code, w.Body)
		}
	}
}
