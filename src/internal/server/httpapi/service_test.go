package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/value"
)

// echo is a service that shows the calls it gets.
func echo() httpapi.Service {
	type seen struct {
		Path     map[string]string   `json:"path,omitempty"`
		Query    map[string][]string `json:"query,omitempty"`
		Body     *value.Value        `json:"body,omitempty"`
		DryRun   bool                `json:"dryRun,omitempty"`
		IfMatch  []string            `json:"ifMatch,omitempty"`
		IfExists bool                `json:"ifExists,omitempty"`
		IfNew    bool                `json:"ifNew,omitempty"`
	}
	show := func(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
		s := seen{Path: call.Path, Query: call.Query, Body: call.Body, DryRun: call.DryRun, IfExists: call.IfExists, IfNew: call.IfNew}
		for _, tag := range call.IfMatch {
			s.IfMatch = append(s.IfMatch, tag.String())
		}
		return &httpapi.Response{Body: s, Warnings: []string{`it is "late"`}}, nil
	}
	doc := &dovetail.Document{ID: "a/b", Kind: "a", Data: []byte(`{"z":1,"a":2}`), UID: "u", Revision: 3, Updated: noon()}
	fail := func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
		return nil, dovetail.Join("it is refused", []*dovetail.Error{
			{Code: dovetail.CodeUnprocessable, Reason: "E_ONE", Message: "one", Position: dovetail.Position{Path: "/a"}},
			{Code: dovetail.CodeUnprocessable, Reason: "E_TWO", Message: "two", Remedy: "repair it"},
		})
	}
	colour := httpapi.Parameter{Name: "colour", Description: "how it looks", Values: []string{"red", "blue"}, Instead: map[string]string{"loud": "ask what it sounds like"}}
	must := httpapi.Parameter{Name: "must", Description: "what must be", Required: true}
	thing := httpapi.SchemaRef("Thing")
	return httpapi.Service{Name: "echo", Schemas: map[string]httpapi.Schema{"Thing": {"type": "object"}}, Endpoints: []httpapi.Endpoint{
		{Method: "GET", Path: "/api/echo", Query: []httpapi.Parameter{colour, must}, Answer: thing, Handle: show, Summary: "show"},
		{Method: "GET", Path: "/api/others", Query: []httpapi.Parameter{must}, OtherQuery: true, Answer: thing, Handle: show, Summary: "show"},
		{Method: "PUT", Path: "/api/echo", DryRun: true, Versioned: true, Needs: anyone, Body: thing, Answer: thing, Handle: show, Summary: "change"},
		{Method: "POST", Path: "/api/echo/{one}/of/{two}", Needs: anyone, Body: thing, Answer: thing, Code: 202, Handle: show, Summary: "put in"},
		{Method: "GET", Path: "/api/doc", Versioned: true, Answer: thing, Summary: "a document",
			Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
				return &httpapi.Response{Document: doc}, nil
			}},
		{Method: "DELETE", Path: "/api/doc", Versioned: true, Summary: "nothing",
			Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) { return &httpapi.Response{}, nil }},
		{Method: "PUT", Path: "/api/doc", Needs: anyone, Body: thing, Answer: thing, Summary: "create",
			Handle: func(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
				return &httpapi.Response{Status: 201, Body: call.Body, Document: doc}, nil
			}},
		{Method: "POST", Path: "/api/fail", Summary: "fail", Handle: fail},
		{Method: "GET", Path: "/api/own", Versioned: true, OwnVersions: true, Answer: thing, Summary: "a version of its own",
			Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
				return &httpapi.Response{Body: map[string]int{"a": 1}, Version: "c0ffee", Modified: noon()}, nil
			}},
		{Method: "POST", Path: "/api/own", Versioned: true, OwnVersions: true, Answer: thing, Code: 201, Summary: "create",
			Handle: func(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
				return &httpapi.Response{Body: call.Versions, Version: "c0ffee", Location: "/api/own"}, nil
			}},
		{Method: "PUT", Path: "/api/own", Versioned: true, OwnVersions: true, Answer: thing, Summary: "refuse",
			Handle: func(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
				return nil, &httpapi.ProblemError{Version: "c0ffee", Members: map[string]any{"expected": call.Versions, "any": call.IfExists},
					Cause: &dovetail.Error{Code: dovetail.CodeStale, Message: "it has changed"}}
			}},
		{Method: "POST", Path: "/api/panic", Summary: "panic",
			Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) { panic("no") }},
		{Method: "POST", Path: "/api/foreign", Summary: "fail otherwise",
			Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) { return nil, errors.New("secret") }},
	}}
}

func TestService(t *testing.T) {
	s := newServer(t, httpapi.Options{Services: []httpapi.Service{echo()}, Limits: httpapi.Limits{Body: 100}})
	yamlHeader := map[string]string{"Content-Type": "application/yaml", "Accept": "application/yaml"}
	for _, test := range []struct {
		name   string
		call   call
		status int
		body   string // "" when it does not matter
		header map[string]string
	}{
		{name: "query", call: call{method: "GET", path: "/api/echo?must=1&colour=red"}, status: 200, body: `{"query":{"colour":["red"],"must":["1"]}}`,
			header: map[string]string{"Warning": `299 - "it is \"late\""`, "Content-Type": "application/json"}},
		{name: "head", call: call{method: "HEAD", path: "/api/echo?must=1"}, status: 200},
		{name: "a slash at the end", call: call{method: "GET", path: "/api/echo/?must=1"}, status: 200, body: `{"query":{"must":["1"]}}`},
		{name: "unknown on a read", call: call{method: "GET", path: "/api/echo?must=1&color=red"}, status: 400,
			body: `{"type":"about:blank","title":"Bad Request","status":400,"detail":"unknown query parameter \"color\"","instance":"/api/echo","code":"invalid","remedy":"did you mean colour? The parameters are colour, must, changeSet"}`},
		{name: "unknown on a read that takes others", call: call{method: "GET", path: "/api/others?must=1&x=1"}, status: 200, body: `{"query":{"must":["1"]}}`,
			header: map[string]string{"Warning": `299 - "unknown query parameter x was ignored"`}},
		{name: "values that it cannot have", call: call{method: "GET", path: "/api/echo?colour=green"}, status: 400,
			body: `{"type":"about:blank","title":"Bad Request","status":400,"detail":"the query is refused: 2 errors","instance":"/api/echo","code":"invalid",` +
				`"errors":[{"code":"invalid","message":"colour is \"green\"","remedy":"give red or blue"},{"code":"invalid","message":"the query lacks must","remedy":"give what must be"}]}`},
		{name: "a value that has a place elsewhere", call: call{method: "GET", path: "/api/echo?must=1&colour=loud"}, status: 400,
			body: `{"type":"about:blank","title":"Bad Request","status":400,"detail":"colour is \"loud\"","instance":"/api/echo","code":"invalid","remedy":"ask what it sounds like"}`},
		{name: "yaml", call: call{method: "PUT", path: "/api/echo", body: "b: 1\na: 2.50\n", header: yamlHeader}, status: 200, body: "body:\n  b: 1\n  a: 2.50\n"},
		{name: "conditions", call: call{method: "PUT", path: "/api/echo?dryRun=true", body: "{}", header: map[string]string{"If-Match": `"u-1", *`, "If-None-Match": "*"}}, status: 200,
			body: `{"body":{},"dryRun":true,"ifMatch":["\"u-1\""],"ifExists":true,"ifNew":true}`, header: map[string]string{"Dovetail-Dry-Run": "true"}},
		{name: "unknown on a write", call: call{method: "PUT", path: "/api/echo?dryrun=true", body: "{}"}, status: 400},
		{name: "no dryRun there", call: call{method: "POST", path: "/api/echo/a/of/b?dryRun=true", body: "{}"}, status: 400},
		{name: "variables", call: call{method: "POST", path: "/api/echo/a%2Fb/of/c%20d", body: "[]"}, status: 202, body: `{"path":{"one":"a/b","two":"c d"},"body":[]}`},
		{name: "not served", call: call{method: "GET", path: "/api/elsewhere"}, status: 404, header: map[string]string{"Dovetail-Services": "resources,echo"}},
		{name: "a document that is not there", call: call{method: "GET", path: "/v2/projects/none"}, status: 404, header: map[string]string{"Dovetail-Services": ""}},
		{name: "empty body", call: call{method: "PUT", path: "/api/echo"}, status: 400},
		{name: "two bodies", call: call{method: "PUT", path: "/api/echo", body: "a: 1\n---\nb: 1\n", header: yamlHeader}, status: 400},
		{name: "malformed body", call: call{method: "PUT", path: "/api/echo", body: "{"}, status: 400},
		{name: "large body", call: call{method: "PUT", path: "/api/echo", body: `"` + strings.Repeat("x", 100) + `"`}, status: 413},
		{name: "a body of another type", call: call{method: "PUT", path: "/api/echo", body: "{}", header: map[string]string{"Content-Type": "text/csv"}}, status: 415},
		{name: "an answer of another type", call: call{method: "GET", path: "/api/echo?must=1", header: map[string]string{"Accept": "text/csv"}}, status: 406},
		{name: "document", call: call{method: "GET", path: "/api/doc"}, status: 200, body: `{"z":1,"a":2}`,
			header: map[string]string{"Etag": `"u-3"`, "Last-Modified": "Fri, 02 Jan 2026 12:00:00 GMT", "Cache-Control": "no-cache"}},
		{name: "unchanged", call: call{method: "GET", path: "/api/doc", header: map[string]string{"If-None-Match": `"u-3"`}}, status: 304, header: map[string]string{"Etag": `"u-3"`}},
		{name: "created", call: call{method: "PUT", path: "/api/doc", body: `{"a":1}`}, status: 201, body: `{"a":1}`, header: map[string]string{"Etag": `"u-3"`}},
		{name: "no content", call: call{method: "DELETE", path: "/api/doc"}, status: 204},
		{name: "malformed condition", call: call{method: "DELETE", path: "/api/doc", header: map[string]string{"If-Match": "x"}}, status: 400},
		{name: "a version of its own", call: call{method: "GET", path: "/api/own"}, status: 200, body: `{"a":1}`,
			header: map[string]string{"Etag": `"c0ffee"`, "Last-Modified": "Fri, 02 Jan 2026 12:00:00 GMT", "Cache-Control": "no-cache"}},
		{name: "that is unchanged", call: call{method: "GET", path: "/api/own", header: map[string]string{"If-None-Match": `W/"c0ffee"`}}, status: 304, header: map[string]string{"Etag": `"c0ffee"`}},
		{name: "that is another", call: call{method: "GET", path: "/api/own", header: map[string]string{"If-Match": `"c0ffee2"`}}, status: 412},
		{name: "that is not another", call: call{method: "GET", path: "/api/own", header: map[string]string{"If-Match": `"c0ffee"`}}, status: 200},
		{name: "without a version", call: call{method: "GET", path: "/api/echo?must=1", header: map[string]string{"If-Match": `"c0ffee"`}}, status: 400},
		{name: "that was created", call: call{method: "POST", path: "/api/own", header: map[string]string{"If-None-Match": "*"}}, status: 201, body: `null`,
			header: map[string]string{"Etag": `"c0ffee"`, "Location": "/api/own"}},
		{name: "that cannot have been there", call: call{method: "POST", path: "/api/own", header: map[string]string{"If-Match": `"c0ffee"`}}, status: 400},
		{name: "that is one of several others", call: call{method: "PUT", path: "/api/own", header: map[string]string{"If-Match": `"a,b" , W/"c", d`}}, status: 412,
			body: `{"type":"about:blank","title":"Precondition Failed","status":412,"detail":"it has changed","instance":"/api/own","code":"stale","any":false,"expected":["a,b","W/\"c\"","d"]}`},
		{name: "that is another one", call: call{method: "PUT", path: "/api/own", header: map[string]string{"If-Match": `"old", *`}}, status: 412,
			body:   `{"type":"about:blank","title":"Precondition Failed","status":412,"detail":"it has changed","instance":"/api/own","code":"stale","any":true,"expected":["old"]}`,
			header: map[string]string{"Etag": `"c0ffee"`, "Content-Type": "application/problem+json"}},
		{name: "an empty condition on it", call: call{method: "PUT", path: "/api/own", header: map[string]string{"If-Match": " , "}}, status: 400},
		{name: "other verb", call: call{method: "PATCH", path: "/api/echo"}, status: 405, header: map[string]string{"Allow": "GET, HEAD, OPTIONS, PUT"}},
		{name: "options", call: call{method: "OPTIONS", path: "/api/fail"}, status: 204, header: map[string]string{"Allow": "OPTIONS, POST"}},
		{name: "no endpoint", call: call{method: "GET", path: "/api"}, status: 404},
		{name: "reasons", call: call{method: "POST", path: "/api/fail"}, status: 422,
			body: `{"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"it is refused: 2 errors","instance":"/api/fail","code":"unprocessable","reason":"E_ONE",` +
				`"errors":[{"path":"/a","code":"unprocessable","reason":"E_ONE","message":"one"},{"code":"unprocessable","reason":"E_TWO","message":"two","remedy":"repair it"}]}`},
		{name: "a panic", call: call{method: "POST", path: "/api/panic"}, status: 500},
		{name: "a foreign error", call: call{method: "POST", path: "/api/foreign"}, status: 500},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := s.do(test.call)
			if w.Code != test.status {
				t.Fatalf("status %d, want %d: %s", w.Code, test.status, w.Body)
			}
			if test.body != "" && w.Body.String() != test.body {
				t.Errorf("body\n%s\nwant\n%s", w.Body, test.body)
			}
			if w.Code >= 400 && w.Header().Get("Content-Type") != "application/problem+json" || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("no problem: %s %s", w.Header().Get("Content-Type"), w.Body)
			}
			for name, want := range test.header {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// A single error with a reason shows it among the errors, too.
func TestReasonOfASingleError(t *testing.T) {
	service := httpapi.Service{Name: "one", Endpoints: []httpapi.Endpoint{{Method: "POST", Path: "/one", Summary: "fail",
		Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: "E_ONE", Message: "one"}
		}}}}
	body := newServer(t, httpapi.Options{Services: []httpapi.Service{service}}).must(400, "POST", "/one", "").Body.String()
	if strings.Count(body, `"reason":"E_ONE"`) != 2 {
		t.Error(body)
	}
}

func TestServiceIsDescribedAndMeasured(t *testing.T) {
	registry, logs := prometheus.NewRegistry(), &bytes.Buffer{}
	s := newServer(t, httpapi.Options{Services: []httpapi.Service{echo()}, Metrics: registry, Log: slog.New(slog.NewTextHandler(logs, nil))})
	doc := loadOpenAPI(t, s)
	for path, verbs := range map[string]string{"/api/echo": "GET PUT", "/api/echo/{one}/of/{two}": "POST", "/api/doc": "DELETE GET PUT", "/v2/projects": "GET POST"} {
		item := doc.Paths.Value(path)
		if item == nil || verbsOf(item) != verbs {
			t.Errorf("%s is not described as it is", path)
		}
	}
	put := doc.Paths.Value("/api/echo").Put
	var names []string
	for _, p := range put.Parameters {
		names = append(names, p.Value.Name)
	}
	if !slices.Equal(names, []string{"dryRun", "Idempotency-Key", "Dovetail-Message", "If-Match", "If-None-Match"}) || put.Tags[0] != "echo" ||
		put.RequestBody.Value.Content["application/yaml"].Schema.Ref != "#/components/schemas/Thing" || put.Responses.Value("201") == nil {
		t.Errorf("PUT has parameters %v, tags %v", names, put.Tags)
	}
	if got := doc.Paths.Value("/api/echo").Get.Parameters; len(got) != 2 || got[1].Value.Name != "must" || !got[1].Value.Required {
		t.Errorf("GET has parameters %v", got)
	}
	if !strings.Contains(s.must(200, "GET", "/", "").Body.String(), `"/api/echo/{one}/of/{two}"`) {
		t.Error("the index does not name the endpoints")
	}
	s.must(202, "POST", "/api/echo/a/of/b", "{}")
	if text := s.must(200, "GET", "/metrics", "").Body.String(); !strings.Contains(text, `code="202",method="POST",route="/api/echo/{one}/of/{two}"`) {
		t.Error("the endpoint is not counted")
	}
	if !strings.Contains(logs.String(), "route=/api/echo/{one}/of/{two} status=202") {
		t.Error("the request is not logged: " + logs.String())
	}
}

func TestOnlyServices(t *testing.T) {
	s := newServer(t, httpapi.Options{Services: []httpapi.Service{echo()}, OnlyServices: true})
	for path, status := range map[string]int{"/v2": 404, "/v2/projects": 404, "/v2/batch": 404, "/v2/schema": 404, "/api/doc": 200, "/livez": 200, "/readyz": 200, "/metrics": 200, "/": 200} {
		s.must(status, http.MethodGet, path, "")
	}
	if doc := loadOpenAPI(t, s); doc.Paths.Value("/v2/projects") != nil || doc.Paths.Value("/api/doc") == nil {
		t.Error("the description is not of what is served")
	}
}

// Paths are the program's own: a wrong one shows when it starts.
func TestServiceAtAWrongPlace(t *testing.T) {
	at := func(method, path string) httpapi.Service {
		return httpapi.Service{Name: "x", Endpoints: []httpapi.Endpoint{{Method: method, Path: path}}}
	}
	for _, test := range []struct {
		name     string
		services []httpapi.Service
	}{
		{name: "below /v2", services: []httpapi.Service{at("GET", "/v2/x")}},
		{name: "/v2 itself", services: []httpapi.Service{at("POST", "/v2")}},
		{name: "no path", services: []httpapi.Service{at("GET", "")}},
		{name: "taken", services: []httpapi.Service{at("GET", "/livez")}},
		{name: "twice", services: []httpapi.Service{at("GET", "/x"), at("GET", "/x")}},
		{name: "a schema twice", services: []httpapi.Service{{Schemas: map[string]httpapi.Schema{"A": {}}}, {Schemas: map[string]httpapi.Schema{"A": {}}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was accepted")
				}
			}()
			newServer(t, httpapi.Options{Services: test.services})
		})
	}
}
