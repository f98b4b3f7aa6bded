package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	busy     = `{"code":"unavailable","detail":"the store is busy","status":503}`
	document = `{"id":"project/p1","kind":"project","key":{"project":"p1"},"data":{"spec":{"n":1e400}},"uid":"u1","revision":2,` +
		`"created":"2026-03-01T12:00:00Z","updated":"2026-03-01T12:00:01Z"}`
)

func TestNew(t *testing.T) {
	for _, test := range []struct{ name, server, want string }{
		{"with a scheme", "https://example.com/base/", "https://example.com/base"},
		{"without a scheme", "localhost:8080", "http://localhost:8080"},
		{"another scheme", "ftp://example.com", ""},
		{"nothing", "", ""},
		{"not a URL", "http://a b", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := client.New(test.server, client.Options{})
			switch {
			case test.want == "" && dovetail.CodeOf(err) != dovetail.CodeInvalid:
				t.Errorf("got %v, want an error", err)
			case test.want != "" && (err != nil || c.Server() != test.want):
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestGet(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /v2/projects/p1", answer(200, document))
	doc, err := c.Get(t.Context(), "project/p1")
	if err != nil {
		t.Fatal(err)
	}
	if doc.ETag().Version() != "u1-2" || string(doc.Data) != `{"spec":{"n":1e400}}` || doc.Kind != "project" {
		t.Errorf("got %+v", doc)
	}
	if got, want := f.asked(), []string{"GET /v2/projects/p1?content=true&view=document"}; !reflect.DeepEqual(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
}

func TestPaths(t *testing.T) {
	model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(schemaText)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		id   dovetail.ID
		want string // "" for an error
	}{
		{"root", "project/p1", "/v2/projects/p1"},
		{"child", "project/p1/app/a", "/v2/projects/p1/apps/a"},
		{"escaped", "project/a%2Fb%20c/app/%C3%A4", "/v2/projects/a%2Fb%20c/apps/%C3%A4"},
		{"the collection that stands for a value", "controllerGroup/dtc/controller/c", "/v2/dtc-controllers/c"},
		{"no collection stands for it", "controllerGroup/x/controller/c", ""},
		{"no kind", "planet/x", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := newFake(t)
			f.on("GET "+test.want, answer(200, document))
			_, err := c.Get(t.Context(), test.id)
			if (err != nil) != (test.want == "") {
				t.Errorf("got %v, want %q; asked %v", err, test.want, f.asked())
			}
		})
	}
	app, _ := model.Kind("app")
	if path, ok := client.CollectionPath(app, "project/p1"); !ok || path != "/v2/projects/p1/apps" {
		t.Errorf("got %s, %v", path, ok)
	}
	controller, _ := model.Kind("controller")
	for _, test := range []struct {
		kind  *schema.Kind
		under dovetail.ID
	}{{app, ""}, {controller, ""}} {
		if path, ok := client.CollectionPath(test.kind, test.under); ok {
			t.Errorf("%s below %q is not in one place, but got %s", test.kind.Name, test.under, path)
		}
	}
}

func TestRetries(t *testing.T) {
	apply := func(ctx context.Context, c *client.Client) error {
		_, err := c.Apply(ctx, []store.Operation{{Verb: store.Delete, ID: "project/p1"}}, store.Options{})
		return err
	}
	keyed := func(ctx context.Context, c *client.Client) error {
		_, err := c.Apply(ctx, []store.Operation{{Verb: store.Delete, ID: "project/p1"}}, store.Options{Key: "k"})
		return err
	}
	get := func(ctx context.Context, c *client.Client) error {
		_, err := c.Get(ctx, "project/p1")
		return err
	}
	for _, test := range []struct {
		name    string
		request string
		call    func(context.Context, *client.Client) error
		answers []http.HandlerFunc
		asked   int
		want    dovetail.Code
	}{
		{"a read waits for a busy server", "GET /v2/projects/p1", get,
			[]http.HandlerFunc{problem(503, busy), page(503, "starting"), answer(200, document)}, 3, ""},
		{"but not for ever", "GET /v2/projects/p1", get, []http.HandlerFunc{problem(503, busy)}, 5, dovetail.CodeUnavailable},
		{"a write that came too often is repeated", "POST /v2/batch", apply,
			[]http.HandlerFunc{problem(429, `{"code":"rate-limited","detail":"slowly"}`), answer(200, `{"results":[]}`)}, 2, ""},
		{"other errors are final", "GET /v2/projects/p1", get,
			[]http.HandlerFunc{problem(500, `{"code":"internal","detail":"oh"}`)}, 1, dovetail.CodeInternal},
		{"a write is repeated when the server says that nothing was changed", "POST /v2/batch", apply,
			[]http.HandlerFunc{problem(503, busy), answer(200, `{"results":[]}`)}, 2, ""},
		{"and not when a proxy says so", "POST /v2/batch", apply, []http.HandlerFunc{page(503, "try later")}, 1, dovetail.CodeUnknown},
		{"nor when the outcome is not known", "POST /v2/batch", apply,
			[]http.HandlerFunc{problem(504, `{"code":"unknown","detail":"who knows"}`)}, 1, dovetail.CodeUnknown},
		{"unless it has a key", "POST /v2/batch", keyed,
			[]http.HandlerFunc{problem(504, `{"code":"unknown","detail":"who knows"}`), page(503, "try later"), answer(200, `{"results":[]}`)}, 3, ""},
		{"other errors are final with a key, too", "POST /v2/batch", keyed, []http.HandlerFunc{problem(409, `{"code":"exists","detail":"oh"}`)}, 1, dovetail.CodeExists},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := newFake(t)
			f.on(test.request, test.answers...)
			if got := dovetail.CodeOf(test.call(t.Context(), c)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := len(f.asked()); got != test.asked {
				t.Errorf("asked %d times, want %d", got, test.asked)
			}
		})
	}
}

// The server's wish to wait goes before the client's own idea, and an ended context before both.
func TestRetryAfter(t *testing.T) {
	f, c := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.on("GET /v2/projects/p1", func(w http.ResponseWriter, r *http.Request) {
		problem(503, busy, "Retry-After", "9")(w, r)
		cancel()
	})
	if err := func() error { _, err := c.Get(ctx, "project/p1"); return err }(); dovetail.CodeOf(err) != dovetail.CodeCanceled {
		t.Errorf("got %v", err)
	}
	if got := len(f.asked()); got != 1 {
		t.Errorf("asked %d times", got)
	}
}

func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		want   dovetail.Error
	}{
		{"all of it", problem(409, `{"code":"in-use","title":"Conflict","detail":"it is in use","remedy":"wait","id":"project/p1",
			"blockedBy":{"ids":["project/p1/app/a"],"total":7}}`),
			dovetail.Error{Code: dovetail.CodeInUse, Message: "it is in use", Remedy: "wait", Key: "project/p1",
				BlockedBy: &dovetail.Blockers{IDs: []dovetail.ID{"project/p1/app/a"}, Total: 7}}},
		{"one thing with its place", problem(422, `{"code":"unprocessable","reason":"TOO_SMALL","detail":"too small",
			"errors":[{"code":"unprocessable","reason":"TOO_SMALL","message":"too small","path":"/spec/n","line":3,"column":4}]}`),
			dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: "TOO_SMALL", Message: "too small", Position: dovetail.Position{Path: "/spec/n", Line: 3, Column: 4}}},
		{"several things", problem(409, `{"code":"missing","reason":"NONE","detail":"two errors","missing":["project/p2"],
			"errors":[{"code":"missing","message":"a","missing":["project/p2"],"index":1},{"code":"exists","message":"b","id":"project/p3"}]}`),
			dovetail.Error{Code: dovetail.CodeMissing, Reason: "NONE", Message: "two errors", Errors: []*dovetail.Error{
				{Code: dovetail.CodeMissing, Message: "a", Missing: []dovetail.ID{"project/p2"}, Index: 1},
				{Code: dovetail.CodeExists, Message: "b", Key: "project/p3"}}}},
		{"a page of another server", page(404, "<h1>404</h1>"), dovetail.Error{Code: dovetail.CodeNotFound,
			Message: "the server answered 404 Not Found, which is not an answer of a Dovetail server",
			Remedy:  "check the server's URL, and the proxies in between"}},
		{"a login page", page(403, "<h1>Log in</h1>"), dovetail.Error{Code: dovetail.CodeForbidden,
			Message: "the server answered 403 Forbidden, which is not an answer of a Dovetail server",
			Remedy:  "check the server's URL, and the proxies in between"}},
		{"not even JSON", problem(500, `oops`), dovetail.Error{Code: dovetail.CodeInternal,
			Message: "the server answered 500 Internal Server Error, which is not an answer of a Dovetail server",
			Remedy:  "check the server's URL, and the proxies in between"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := newFake(t)
			f.on("GET /v2/projects/p1", test.answer)
			_, err := c.Get(t.Context(), "project/p1")
			if got, want := told(dovetail.AsError(err)), told(&test.want); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if foreign := strings.Contains(test.want.Message, "not an answer of a Dovetail server"); errors.Is(err, client.ErrForeign) != foreign {
				t.Errorf("that the answer is not Dovetail's: %t, want %t", !foreign, foreign)
			}
		})
	}
}

// refusing is a transport that refuses all requests.
type refusing struct {
	with  error
	tried int
}

func (r *refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.tried++
	return nil, r.with
}

// An error of the caller's transport is that of the request, which is not tried again.
func TestTransportRefuses(t *testing.T) {
	with := &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "no credentials"}
	transport := &refusing{with: with}
	c, err := client.New("127.0.0.1:1", client.Options{HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(t.Context(), "project/p1"); !errors.Is(err, with) || told(dovetail.AsError(err)) != told(with) || transport.tried != 1 {
		t.Errorf("after %d requests: %v", transport.tried, err)
	}
}

// told formats all fields of an error except its cause.
func told(e *dovetail.Error) string {
	text := fmt.Sprintf("%s %s %q %q %s %s %d %v", e.Code, e.Reason, e.Message, e.Remedy, e.Key, e.Position, e.Index, e.Missing)
	if e.BlockedBy != nil {
		text += fmt.Sprint(" ", *e.BlockedBy)
	}
	for _, part := range e.Errors {
		text += "; " + told(part)
	}
	return text
}

func TestUnreachable(t *testing.T) {
	c, err := client.New("127.0.0.1:1", client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Get(t.Context(), "project/p1")
	if dovetail.CodeOf(err) != dovetail.CodeUnavailable || !strings.Contains(err.Error(), "http://127.0.0.1:1 cannot be reached: connection refused") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = c.Model(ctx); dovetail.CodeOf(err) != dovetail.CodeCanceled {
		t.Errorf("got %v", err)
	}
}

func TestAnswersThatCannotBeRead(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /v2/projects/p1", answer(200, "<html>"))
	if _, err := c.Get(t.Context(), "project/p1"); dovetail.CodeOf(err) != dovetail.CodeInternal {
		t.Errorf("got %v", err)
	}
	f.on("GET /v2/schema", answer(200, `{"sources":[{"name":"x","text":"resources: 7"}]}`))
	if _, err := c.Model(t.Context()); dovetail.CodeOf(err) != dovetail.CodeInternal {
		t.Errorf("got %v", err)
	}
}

// A kind that came with a newer ref-schema is found: the model is read again.
func TestModelIsReadAnew(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /v2/schema", answer(200, `{"sources":[{"name":"x","text":"resources: [{name: a}]"}]}`),
		answer(200, `{"sources":[{"name":"x","text":"resources: [{name: a}, {name: project}]"}]}`))
	f.on("GET /v2/projects/p1", answer(200, document))
	if _, err := c.Get(t.Context(), "project/p1"); err != nil {
		t.Error(err)
	}
}

func TestDocuments(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /v2/documents",
		answer(200, `{"items":[{"id":"project/p1","kind":"project"},{"id":"project/p2","kind":"project"}],"continue":"next"}`),
		answer(200, `{"items":[{"id":"project/p3","kind":"project"}]}`))
	read := func(q store.ListQuery) (ids []string) {
		for doc, err := range c.Documents(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, string(doc.ID))
		}
		return ids
	}
	if got := read(store.ListQuery{Kind: "project", Under: "x/y"}); strings.Join(got, " ") != "project/p1 project/p2 project/p3" {
		t.Errorf("got %v", got)
	}
	want := []string{"GET /v2/documents?content=true&kind=project&limit=500&under=x%2Fy",
		"GET /v2/documents?content=true&continue=next&kind=project&limit=500&under=x%2Fy"}
	if got := f.asked(); !reflect.DeepEqual(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	f.on("GET /v2/documents", answer(200, `{"items":[{"id":"project/p1"},{"id":"project/p2"},{"id":"project/p3"}]}`))
	if got := read(store.ListQuery{After: "project/p1", Limit: 1}); strings.Join(got, " ") != "project/p2" {
		t.Errorf("got %v", got)
	}
	f.on("GET /v2/documents", problem(500, `{"code":"corrupt","detail":"damaged"}`))
	for doc, err := range c.Documents(t.Context(), store.ListQuery{}) {
		if doc != nil || dovetail.CodeOf(err) != dovetail.CodeCorrupt {
			t.Errorf("got %v, %v", doc, err)
		}
	}
}

func TestApply(t *testing.T) {
	f, c := newFake(t)
	f.on("POST /v2/batch", answer(200, `{"results":[{"index":1,"effect":"updated","id":"project/p1","kind":"project","etag":"\"u1-3\"",
		"warnings":["app/x is missing"]},{"index":2,"effect":"deleted","id":"project/p2","kind":"project"},
		{"effect":"deleted","id":"project/p2/app/a","kind":"app","because":{"of":"project/p2","relation":"descendant"}}]}`))
	data, err := value.ParseJSON([]byte(`{"spec":{"n":1e400}}`), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	operations := []store.Operation{
		{Verb: store.Put, ID: "project/p1", Data: data, IfMatch: []dovetail.ETag{{UID: "u1", Revision: 2}},
			Content: []dovetail.File{{Name: "chart", Data: []byte("x")}}, Position: dovetail.Position{File: "a.yaml", Line: 7}},
		{Verb: store.Delete, ID: "project/p2", Cascade: true, IfExists: true},
	}
	result, err := c.Apply(t.Context(), operations, store.Options{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	const body = `[{"op":"put","id":"project/p1","ifMatch":["\"u1-2\""],"content":[{"name":"chart","data":"eA=="}],"data":{"spec":{"n":1e400}}},` +
		`{"op":"delete","id":"project/p2","ifMatch":["*"],"cascade":true}]`
	if f.bodies[0] != body || f.asked()[0] != "POST /v2/batch?dryRun=true" {
		t.Errorf("sent %s to %s", f.bodies[0], f.asked()[0])
	}
	first := result.Outcomes[0]
	if first.Effect != store.WasUpdated || first.Document.ETag().Version() != "u1-3" || first.Warnings[0].Position.Line != 7 {
		t.Errorf("got %+v", first)
	}
	if len(result.Outcomes) != 2 || len(result.Cascaded) != 1 || result.Cascaded[0].Cause.ID != "project/p2" {
		t.Errorf("got %+v", result)
	}
}

// Errors come back with the places of the user's input.
func TestApplyPlacesErrors(t *testing.T) {
	f, c := newFake(t)
	f.on("POST /v2/batch", problem(422, `{"code":"unprocessable","detail":"two","errors":[
		{"index":1,"path":"/data/spec/n","code":"unprocessable","message":"too large"},
		{"index":1,"path":"/data/spec/gone","code":"unprocessable","message":"missing"},
		{"index":2,"code":"missing","message":"no parent"},
		{"index":9,"path":"/data","code":"invalid","message":"odd"}]}`))
	data, err := value.ParseJSON([]byte("{\"spec\":\n {\"n\": 7}}"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Apply(t.Context(), []store.Operation{
		{Verb: store.Put, ID: "project/p1", Data: data, Position: dovetail.Position{File: "a.json", Line: 1, Column: 1, Path: "/data"}},
		{Verb: store.Put, ID: "project/p2", Data: data, Position: dovetail.Position{File: "b.json", Line: 5, Column: 2}},
	}, store.Options{})
	var got []string
	for _, part := range dovetail.AsError(err).Errors {
		got = append(got, part.Position.String())
	}
	want := []string{"a.json:2:8 /data/spec/n", "a.json:1:1 /data/spec/gone", "b.json:5:2", "/data"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Each request, a repeated one too, has the token of its moment; without one none is made.
func TestTokenSource(t *testing.T) {
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent = append(sent, r.Header.Get("Authorization")); len(sent) == 1 {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, busy)
			return
		}
		fmt.Fprint(w, `{"principal":"ann"}`)
	}))
	t.Cleanup(server.Close)
	given := 0
	c, err := client.New(server.URL, client.Options{Token: "fixed", Backoff: 1, TokenSource: func(context.Context) (string, error) {
		if given++; given > 2 {
			return "", &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the login expired"}
		}
		return fmt.Sprint("t", given), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if self, err := c.WhoAmI(t.Context()); err != nil || self.Principal != "ann" {
		t.Errorf("%v %v", self, err)
	}
	if _, err := c.WhoAmI(t.Context()); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated || !strings.Contains(err.Error(), "the login expired") {
		t.Error(err)
	}
	if want := []string{"Bearer t1", "Bearer t2"}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
}
