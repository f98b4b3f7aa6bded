package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// faulty is a store in which reading goes wrong.
type faulty struct {
	*store.Store
	get func(ctx context.Context) error
}

func (f faulty) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	if err := f.get(ctx); err != nil {
		return nil, err
	}
	return f.Store.Get(ctx, id)
}

func (f faulty) Ping(ctx context.Context) error { return f.get(ctx) }

func TestDefects(t *testing.T) {
	tests := []struct {
		name   string
		get    func(ctx context.Context) error
		status int
		code   string
		retry  string
	}{
		{name: "panic", get: func(context.Context) error { panic("secret") }, status: 500, code: "internal"},
		{name: "foreign error", get: func(context.Context) error { return errors.New("secret") }, status: 500, code: "internal"},
		{name: "unavailable", get: func(context.Context) error {
			return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the store is away", Err: errors.New("secret")}
		}, status: 503, code: "unavailable", retry: "1"},
		{name: "too slow", get: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, status: 504, code: "timeout"},
		{name: "cancelled", get: func(context.Context) error { return context.Canceled }, status: 499, code: "canceled"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t, apitest.Compile(t, "testdata/schema.yaml"))
			var log bytes.Buffer
			api := httpapi.New(faulty{s, tt.get}, httpapi.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Limits: httpapi.Limits{Request: 1}})
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v2/projects/p1", nil))
			var problem struct{ Code string }
			if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
				t.Fatal(err)
			}
			if w.Code != tt.status || problem.Code != tt.code || w.Header().Get("Retry-After") != tt.retry {
				t.Errorf("got %d %s, Retry-After %q", w.Code, problem.Code, w.Header().Get("Retry-After"))
			}
			if strings.Contains(w.Body.String(), "secret") {
				t.Errorf("the answer tells %s", w.Body)
			}
			if tt.status == 500 && !strings.Contains(log.String(), "secret") {
				t.Errorf("the log does not tell the cause: %s", &log)
			}
		})
	}
}

func TestLog(t *testing.T) {
	s := newStore(t, apitest.Compile(t, "testdata/schema.yaml"))
	var log bytes.Buffer
	api := httpapi.New(s, httpapi.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	r := httptest.NewRequest(http.MethodGet, "/v2/projects/p%2F1", nil)
	r.Header.Set("X-Request-Id", "abc-1")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	if got := w.Header().Get("X-Request-Id"); got != "abc-1" {
		t.Errorf("X-Request-Id: %q", got)
	}
	var record map[string]any
	if err := json.Unmarshal(log.Bytes(), &record); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"msg": "request", "method": "GET", "path": "/v2/projects/p%2F1", "route": "/v2/projects/{project}",
		"status": 404.0, "bytes": float64(w.Body.Len()), "id": "abc-1", "code": "not-found"} {
		if record[name] != want {
			t.Errorf("%s: got %v, want %v", name, record[name], want)
		}
	}
	r.Header.Set("X-Request-Id", "evil\x01id")
	w = httptest.NewRecorder()
	api.ServeHTTP(w, r)
	if got := w.Header().Get("X-Request-Id"); got == "" || strings.Contains(got, "evil") {
		t.Errorf("X-Request-Id: %q", got)
	}
}

func TestLimits(t *testing.T) {
	s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Body: 200, Batch: 300, Depth: 5, Values: 50}})
	long := `{"metadata":{"name":"x"},"t":"` + strings.Repeat("x", 200) + `"}`
	s.must(413, "POST", "/v2/projects", long)
	check(t, s.sendForm("POST", "/v2/projects", file{name: "metadata", data: long}), 413, nil, "")
	s.must(413, "POST", "/v2/batch", "["+strings.Repeat(" ", 300)+"]")
	s.must(413, "POST", "/v2/projects", `{"metadata":{"name":"x"},"t":[[[[[[]]]]]]}`)
	s.must(413, "POST", "/v2/projects", `{"metadata":{"name":"x"},"t":[`+strings.Repeat("1,", 60)+`1]}`)

	server := s.listen()
	resp, err := http.Post(server.URL+"/v2/projects", "application/json", io.MultiReader(strings.NewReader(long))) // chunked
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("chunked: got %d", resp.StatusCode)
	}
}

func TestEndpoints(t *testing.T) {
	away := errors.New("site/secret is in /srv/store.db")
	var broken error
	s := newServer(t, httpapi.Options{Version: "v1.2.3", Checks: []httpapi.Check{
		{Name: "schema", Run: func(context.Context) (string, error) { return "a change was refused", nil }},
		{Name: "other", Run: func(context.Context) (string, error) { return "", broken }},
	}})
	check(t, s.do(call{method: "GET", path: "/livez"}), 200, nil, `{"status":"ok"}`)
	check(t, s.do(call{method: "GET", path: "/v2/health"}), 200, nil, `{"status":"ok"}`)
	check(t, s.do(call{method: "GET", path: "/readyz"}), 200, nil,
		`{"status":"ok","checks":[{"name":"store","status":"ok"},{"name":"schema","status":"ok","detail":"a change was refused"},{"name":"other","status":"ok"}]}`)
	broken = away
	w := s.do(call{method: "GET", path: "/readyz"})
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `{"name":"other","status":"failed","detail":"see the log"}`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	for _, path := range []string{"/", "/v2", "/v2/"} {
		w := s.must(200, "GET", path, "")
		for _, want := range []string{`"version":"v1.2.3"`, `"/v2/projects"`, `"/v2/clm-controllers"`, `"/openapi.json"`} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: no %s in %s", path, want, w.Body)
			}
		}
	}
	check(t, s.do(call{method: "DELETE", path: "/v2/batch"}), 405, map[string]string{"Allow": "OPTIONS, POST"}, "")
	check(t, s.do(call{method: "POST", path: "/livez"}), 405, map[string]string{"Allow": "GET, HEAD, OPTIONS"}, "")
	check(t, s.do(call{method: "OPTIONS", path: "/v2/batch"}), 204, map[string]string{"Allow": "OPTIONS, POST"}, "")
}

func TestSchema(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	w := s.must(200, "GET", "/v2/schema", "")
	var view struct {
		Hash    string
		Kinds   []schema.Description
		Sources []struct{ Name, Text string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &view); err != nil {
		t.Fatal(err)
	}
	var sources []schema.Source
	for _, source := range view.Sources {
		sources = append(sources, schema.Source{Name: source.Name, Data: []byte(source.Text)})
	}
	compiled, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	if compiled.Hash() != view.Hash || view.Hash != s.store.Model().Hash() || len(view.Kinds) != len(compiled.Kinds()) {
		t.Errorf("hash %s, %d kinds", view.Hash, len(view.Kinds))
	}
	check(t, s.do(call{method: "GET", path: "/v2/schema", header: map[string]string{"If-None-Match": w.Header().Get("ETag")}}), 304, nil, "")
	var kind schema.Description
	for _, spelling := range []string{"compositeApp", "compositeAppVersion", "composite-apps", "composite-app/"} {
		if err := json.Unmarshal(s.must(200, "GET", "/v2/schema/"+spelling, "").Body.Bytes(), &kind); err != nil || kind.Name != "compositeAppVersion" {
			t.Errorf("%s: got %s, %v", spelling, kind.Name, err)
		}
	}
	s.must(200, "GET", "/v2/schema/policy%2Fagents", "")
	s.must(404, "GET", "/v2/schema/nothing", "")
}

// metric returns the value of a series as /metrics shows it, "" when it is not there.
func metric(t testing.TB, server, series string) string {
	t.Helper()
	return metricBy(t, http.DefaultClient, server, series)
}

// metricBy reads a metric with a client.
func metricBy(t testing.TB, client *http.Client, server, series string) string {
	t.Helper()
	_, text := getBy(t, client, server+"/metrics")
	for _, line := range strings.Split(text, "\n") {
		if value, found := strings.CutPrefix(line, series+" "); found {
			return value
		}
	}
	return ""
}

func TestMetrics(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	server := s.listen()
	s.seed()
	for range 3 {
		s.must(200, "GET", app, "")
	}
	s.must(404, "GET", "/v2/projects/p1/composite-apps/CA/v3/apps/none", "")
	s.must(404, "GET", "/v2/nowhere", "")
	const route = `route="/v2/projects/{project}/composite-apps/{compositeApp}/{compositeAppVersion}/apps/{app}"`
	for series, want := range map[string]string{
		`dovetail_http_requests_total{code="200",method="GET",` + route + `}`:      "3",
		`dovetail_http_requests_total{code="404",method="GET",` + route + `}`:      "1",
		`dovetail_http_requests_total{code="404",method="none",route="none"}`:      "1",
		`dovetail_http_request_duration_seconds_count{method="GET",` + route + `}`: "4",
	} {
		if got := metric(t, server.URL, series); got != want {
			t.Errorf("%s: got %q, want %s", series, got, want)
		}
	}
}

// The routes follow the model that is in force.
func TestSchemaChanges(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.must(404, "POST", "/v2/planets", named("earth"))
	source, err := schema.ReadFile("testdata/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	source.Data = append(source.Data, "  - name: planet\n"...)
	model, err := schema.Compile([]schema.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.SetModel(t.Context(), model); err != nil {
		t.Fatal(err)
	}
	s.must(201, "POST", "/v2/planets", named("earth"))
	if !strings.Contains(s.must(200, "GET", "/openapi.json", "").Body.String(), `"/v2/planets/{planet}"`) {
		t.Error("the description knows no planets")
	}
}

func TestCreatesRace(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	server := s.listen()
	const rounds, writers = 20, 8
	for round := range rounds {
		codes := make(chan int, writers)
		for range writers {
			go func() {
				resp, err := http.Post(server.URL+"/v2/projects", "", strings.NewReader(named(fmt.Sprint("r", round))))
				if err != nil {
					codes <- 0
					return
				}
				_ = resp.Body.Close()
				codes <- resp.StatusCode
			}()
		}
		count := map[int]int{}
		for range writers {
			count[<-codes]++
		}
		if count[201] != 1 || count[409] != writers-1 {
			t.Errorf("round %d: %v", round, count)
		}
	}
}
