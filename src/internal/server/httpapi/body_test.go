package httpapi_test

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

func TestBodyOfDeletion(t *testing.T) {
	remove := func(path string, body httpapi.Schema) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodDelete, Path: path, Body: body, BodyOptional: true, Needs: httpapi.Requires([]string{"project"}, dovetail.RightDelete),
			Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) { return &httpapi.Response{}, nil }}
	}
	service := httpapi.Service{Name: "removing", Endpoints: []httpapi.Endpoint{remove("/api/without", nil), remove("/api/with", httpapi.Schema{"type": "object"})}}
	tests := []struct {
		name    string
		path    string
		body    string
		chunked bool
		media   string
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
		{name: "a service with a body of unknown length that is empty", path: "/api/with", chunked: true, status: 204},
		{name: "a service with a body of two documents", path: "/api/with", body: "{}\n---\n{}\n", media: "application/yaml", status: 400, says: "the body has 2 YAML documents, not one"},
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
			if tt.media != "" {
				r.Header.Set("Content-Type", tt.media)
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

func TestQueryOfService(t *testing.T) {
	search := httpapi.Endpoint{Method: http.MethodGet, Path: "/api/search", Query: []httpapi.Parameter{{Name: "label", Repeats: true}, {Name: "order"}},
		Handle: func(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
			return &httpapi.Response{Status: 200, Body: call.Query}, nil
		}}
	s := newServer(t, httpapi.Options{Services: []httpapi.Service{{Name: "searching", Endpoints: []httpapi.Endpoint{search}}}})
	tests := []struct {
		name, query string
		status      int
		says        string
	}{
		{name: "what may be there several times", query: "label=a&label=b", status: 200, says: `{"label":["a","b"]}`},
		{name: "what has one value", query: "order=a&order=b", status: 400, says: `the query parameter \"order\" is there 2 times`},
		{name: "no text", query: "label=a&label=%ff", status: 400, says: `the query parameter \"label\" is \"\\xff\"`},
		{name: "a zero byte", query: "order=a%00", status: 400, says: `the query parameter \"order\"`},
		{name: "a misspelt one", query: "ordre=a", status: 400, says: "did you mean order?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if w := s.get("/api/search?" + tt.query); w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("%d %s, want %q", w.Code, w.Body, tt.says)
			}
		})
	}
}

// TestEmptyValuesOfDeletion takes what a program writes whose variable is not set for no choice of everything.
func TestEmptyValuesOfDeletion(t *testing.T) {
	s := queried(t)
	const clusters = "/v2/providers/p1/clusters"
	for _, tt := range []struct{ name, path, says string }{
		{"cascade of a document", "/v2/providers/p1?cascade=", "the query parameter cascade is empty"},
		{"cascade of a collection", clusters + "?cascade=", "the query parameter cascade is empty"},
		{"labels", clusters + "?cascade=true&labelSelector=", "the query parameter labelSelector is empty"},
		{"fields", clusters + "?cascade=true&fieldSelector=%20", "the query parameter fieldSelector is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.must(400, "DELETE", tt.path, "").Body.String(); !strings.Contains(got, tt.says) {
				t.Errorf("got %s, want %s", got, tt.says)
			}
		})
	}
	if got := namesOf(t, s.must(200, "GET", clusters, "").Body.Bytes()); got != "c0 c1 c2 c3 c4 c5" {
		t.Errorf("left are %s", got)
	}
}

// TestUnusedHeaders warns of headers that a method has no use for.
func TestUnusedHeaders(t *testing.T) {
	handle := func(context.Context, *httpapi.Request) (*httpapi.Response, error) { return &httpapi.Response{}, nil }
	plain := httpapi.Endpoint{Method: http.MethodPost, Path: "/api/plain", ReadOnly: true, Handle: handle}
	keyed := httpapi.Endpoint{Method: http.MethodPost, Path: "/api/keyed", Handle: handle}
	service := httpapi.Service{Name: "warning", Endpoints: []httpapi.Endpoint{plain, keyed}}
	for _, tt := range []struct{ name, verb, path, header, warning string }{
		{"a key", "POST", "/api/plain", "Idempotency-Key", `299 - "the header Idempotency-Key has no effect on POST /api/plain"`},
		{"a message", "POST", "/api/plain", "Dovetail-Message", `299 - "the header Dovetail-Message has no effect on POST /api/plain"`},
		{"a key that counts", "POST", "/api/keyed", "Idempotency-Key", ""},
		{"a key of a document", "DELETE", app, "Idempotency-Key", ""},
		{"a read, which changes nothing", "GET", app, "Idempotency-Key", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{Services: []httpapi.Service{service}})
			s.seed()
			w := s.do(call{method: tt.verb, path: tt.path, header: map[string]string{tt.header: "x"}})
			if w.Code/100 != 2 || w.Header().Get("Warning") != tt.warning {
				t.Errorf("%d %q, want %q", w.Code, w.Header().Get("Warning"), tt.warning)
			}
		})
	}
}

func TestBodyOfMethodWithout(t *testing.T) {
	post := httpapi.Endpoint{Method: http.MethodPost, Path: "/api/begin", Query: []httpapi.Parameter{{Name: "minimum"}},
		Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) { return &httpapi.Response{}, nil }}
	service := httpapi.Service{Name: "beginning", Endpoints: []httpapi.Endpoint{post}}
	const yaml, rotate = "application/yaml", "/v2/encryption/rotate"
	tests := []struct {
		name, verb, path string
		media, body      string
		status           int
		says             []string
	}{
		{name: "nothing", path: "/api/begin", status: 204},
		{name: "a line", path: "/api/begin", body: " \n", status: 204},
		{name: "an empty object", path: "/api/begin", body: "{}", status: 204},
		{name: "an empty object in YAML", path: "/api/begin", media: yaml, body: "---\n{}\n", status: 204},
		{name: "a query parameter", path: "/api/begin", body: "{\n \"minimun\": 2}", status: 400,
			says: []string{`the body has the unknown member \"minimun\"`, "did you mean the query parameter minimum?", `"line":2`, `"path":"/minimun"`}},
		{name: "a header", path: "/api/begin", body: `{"message":"m"}`, status: 400, says: []string{"did you mean the header Dovetail-Message?"}},
		{name: "every member", path: "/api/begin", body: `{"idempotencykey":"k","other":1}`, status: 400,
			says: []string{"did you mean the header Idempotency-Key?", `\"other\"`, "POST /api/begin takes no body"}},
		{name: "in YAML", path: "/api/begin", media: yaml, body: "a: 1\n---\nb: 2\n", status: 400, says: []string{`\"a\"`, `\"b\"`, `"line":3`}},
		{name: "a list", path: "/api/begin", body: "[]", status: 400, says: []string{"POST /api/begin takes no body"}},
		{name: "not JSON", path: "/api/begin", body: "{", status: 400, says: []string{`"line":1`}},
		{name: "another media type", path: "/api/begin", media: "text/plain", body: "a", status: 415},
		{name: "a long one", path: "/api/begin", body: strings.Repeat(" ", 65<<10), status: 400, says: []string{"takes no body"}},
		{name: "a rotation", path: rotate, body: `{"keys":"k"}`, status: 400, says: []string{"did you mean the query parameter key?"}},
		{name: "undoing a transaction", path: "/v2/transactions/1/revert", body: `{"dryrun":true}`, status: 400, says: []string{"did you mean the query parameter dryRun?"}},
		{name: "a read", verb: "GET", path: app, body: `{"view":"tree"}`, status: 400, says: []string{"takes no body"}},
		{name: "a read with nothing", verb: "GET", path: app, body: " ", status: 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{Services: []httpapi.Service{service}})
			s.seed()
			for _, chunked := range []bool{false, true} {
				r := httptest.NewRequest(cmp.Or(tt.verb, http.MethodPost), tt.path, strings.NewReader(tt.body))
				r.Header.Set("Content-Type", cmp.Or(tt.media, "application/json"))
				if chunked {
					r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
				}
				w := httptest.NewRecorder()
				s.api.ServeHTTP(w, r)
				check(t, w, tt.status, nil, "")
				for _, says := range tt.says {
					if !strings.Contains(w.Body.String(), says) {
						t.Errorf("got %s, want %q in it", w.Body, says)
					}
				}
			}
		})
	}
}
