package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/telemetry"
	"github.com/dovetail-store/dovetail/src/store/instrumented"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// newTracing returns a Tracing, and a function that returns the spans that have ended.
func newTracing(t *testing.T) (*telemetry.Tracing, func() tracetest.SpanStubs) {
	t.Helper()
	spans := &kept{InMemoryExporter: tracetest.NewInMemoryExporter()}
	tracing, err := telemetry.New(t.Context(), telemetry.Options{Exporter: spans, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	return tracing, func() tracetest.SpanStubs {
		if err := tracing.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		return spans.GetSpans()
	}
}

// kept keeps its spans when it is shut down.
type kept struct{ *tracetest.InMemoryExporter }

func (kept) Shutdown(context.Context) error { return nil }

func TestTraceOfRequest(t *testing.T) {
	tracing, spans := newTracing(t)
	r := httptest.NewRequest(http.MethodGet, "/v2/clusters/c1", nil)
	r.Header.Set("Traceparent", parent)
	ctx, end := tracing.Request(t.Context(), r)
	inner := tracing.Begun(ctx, instrumented.Commit)
	tracing.Command(inner, "update", 2*time.Second, errors.New("secret data"))
	tracing.Ended(inner, instrumented.Commit, time.Second, &dovetail.Error{Code: dovetail.CodeStale})
	end("/v2/clusters/{cluster}", 503, &dovetail.Error{Code: dovetail.CodeUnavailable})
	got := spans()
	if len(got) != 3 {
		t.Fatalf("%d spans", len(got))
	}
	command, commit, request := got[0], got[1], got[2]
	if command.Name != "mongodb update" || commit.Name != "store commit" || request.Name != "GET /v2/clusters/{cluster}" {
		t.Errorf("the spans are %s, %s, %s", command.Name, commit.Name, request.Name)
	}
	if id := request.SpanContext.TraceID().String(); id != "0af7651916cd43dd8448eb211c80319c" || request.Parent.SpanID().String() != "b7ad6b7169203331" {
		t.Errorf("the request is not in its client's trace but in %s", id)
	}
	if commit.Parent.SpanID() != request.SpanContext.SpanID() || command.Parent.SpanID() != commit.SpanContext.SpanID() {
		t.Error("the spans are not within each other")
	}
	if request.Status.Code != codes.Error || command.Status.Code != codes.Error || commit.Status.Code != codes.Unset {
		t.Errorf("the status of the spans: %v, %v, %v", request.Status, command.Status, commit.Status)
	}
	if took := command.EndTime.Sub(command.StartTime); took < 2*time.Second {
		t.Errorf("the command took %v", took)
	}
	for _, span := range got {
		for _, a := range span.Attributes {
			if strings.Contains(a.Value.String(), "secret") {
				t.Errorf("%s shows %v", span.Name, a)
			}
		}
	}
	if !slices.Contains(request.Attributes, attribute.Int("http.response.status_code", 503)) || !slices.Contains(commit.Attributes, attribute.String("error.type", "stale")) {
		t.Errorf("attributes %v and %v", request.Attributes, commit.Attributes)
	}
	if !strings.Contains(request.Resource.String(), "service.name=dovetail") || !strings.Contains(request.Resource.String(), "service.version=v1") {
		t.Errorf("resource %s", request.Resource)
	}
}

func TestWorkUnaskedHasNoTrace(t *testing.T) {
	tracing, spans := newTracing(t)
	ctx := tracing.Begun(t.Context(), instrumented.Get)
	tracing.Command(ctx, "find", time.Second, nil)
	tracing.Ended(ctx, instrumented.Get, time.Second, nil)
	if got := spans(); len(got) > 0 {
		t.Errorf("%d spans", len(got))
	}
}

func TestHandler(t *testing.T) {
	tracing, _ := newTracing(t)
	var text bytes.Buffer
	log := slog.New(telemetry.Handler(slog.NewJSONHandler(&text, nil))).With("a", 1).WithGroup("g")
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Traceparent", parent)
	ctx, _ := tracing.Request(t.Context(), r)
	log.InfoContext(ctx, "traced")
	log.InfoContext(t.Context(), "not traced")
	decoder := json.NewDecoder(&text)
	for _, want := range []string{"0af7651916cd43dd8448eb211c80319c", ""} {
		var record struct {
			A int
			G struct {
				TraceID string `json:"trace_id"`
				SpanID  string `json:"span_id"`
			}
		}
		if err := decoder.Decode(&record); err != nil {
			t.Fatal(err)
		}
		if record.A != 1 || record.G.TraceID != want || (record.G.SpanID == "") != (want == "") {
			t.Errorf("got %+v, want the trace %q", record, want)
		}
	}
}

func TestWanted(t *testing.T) {
	tests := []struct {
		name, endpoint string
		env            map[string]string
		want           bool
	}{
		{name: "nothing"},
		{name: "an endpoint", endpoint: "http://c:4318", want: true},
		{name: "of the environment", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, want: true},
		{name: "for traces", env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318"}, want: true},
		{name: "disabled", endpoint: "http://c:4318", env: map[string]string{"OTEL_SDK_DISABLED": "true"}},
		{name: "no exporter", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := func(name string) (string, bool) { text, ok := tt.env[name]; return text, ok }
			if got := telemetry.Wanted(tt.endpoint, env); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// What is sent reaches a collector, at the path that collectors have, with the headers of the environment.
func TestCollector(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=t1")
	got := make(chan *http.Request, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got <- r
	}))
	defer collector.Close()
	tracing, err := telemetry.New(t.Context(), telemetry.Options{Endpoint: collector.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, end := tracing.Request(t.Context(), httptest.NewRequest(http.MethodGet, "/", nil))
	end("/", 200, nil)
	if err := tracing.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := <-got; r.URL.Path != "/v1/traces" || r.Header.Get("X-Tenant") != "t1" || r.ContentLength == 0 {
		t.Errorf("the collector got %s %v", r.URL, r.Header)
	}
}

// A collector that refuses the spans causes a log record and no error.
func TestNoCollector(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer collector.Close()
	var log bytes.Buffer
	tracing, err := telemetry.New(t.Context(), telemetry.Options{Endpoint: collector.URL, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	_, end := tracing.Request(t.Context(), httptest.NewRequest(http.MethodGet, "/", nil))
	end("/", 200, nil)
	if err := tracing.Close(t.Context()); err != nil || !strings.Contains(log.String(), "traces were lost") {
		t.Errorf("%v, and the log says %s", err, log.String())
	}
}

func TestInvalidEndpoint(t *testing.T) {
	for _, endpoint := range []string{"collector:4318", "ftp://x", "http://"} {
		if _, err := telemetry.New(t.Context(), telemetry.Options{Endpoint: endpoint}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}
