package telemetry

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Options configure where traces are sent.
type Options struct {
	// Endpoint is the URL of a collector that takes OTLP over HTTP: "http://collector:4318"; "" for what
	// the variables OTEL_EXPORTER_OTLP_* say.
	Endpoint string
	Version  string       // of the program
	Log      *slog.Logger // of traces that cannot be sent; default none
	// Exporter, where not nil, gets the spans in the place of a collector.
	Exporter sdktrace.SpanExporter
}

// Tracing makes spans and sends them. It is safe for concurrent use. OTEL_TRACES_SAMPLER sets how many requests are
// traced, by default all of them, unless the trace context of the caller decides.
type Tracing struct {
	provider   *sdktrace.TracerProvider
	tracer     trace.Tracer
	propagator propagation.TraceContext
}

// Wanted reports whether traces are asked for: by an endpoint, or by the standard environment.
func Wanted(endpoint string, env func(name string) (string, bool)) bool {
	set := func(name string) string { text, _ := env(name); return text }
	if strings.EqualFold(set("OTEL_SDK_DISABLED"), "true") || set("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return endpoint != "" || set("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// New begins to send traces. It connects when there is something to send, so that a collector may come later. The
// error, for an endpoint that is no URL, has CodeInvalid. Close it.
func New(ctx context.Context, options Options) (*Tracing, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	exporter := options.Exporter
	if exporter == nil {
		var err error
		if exporter, err = newExporter(ctx, options); err != nil {
			return nil, err
		}
	}
	// Attributes of the environment take precedence over these.
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "dovetail"), attribute.String("service.version", options.Version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		options.Log.Warn("traces lack a part of what describes the process", "error", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return &Tracing{provider: provider, tracer: provider.Tracer("github.com/dovetail-store/dovetail")}, nil
}

func newExporter(ctx context.Context, options Options) (sdktrace.SpanExporter, error) {
	var given []otlptracehttp.Option
	if options.Endpoint != "" {
		u, err := url.Parse(options.Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the endpoint for traces is " + options.Endpoint,
				Remedy: "give the URL of a collector of OpenTelemetry: http://collector:4318", Err: err}
		}
		if strings.Trim(u.Path, "/") == "" {
			u = u.JoinPath("/v1/traces")
		}
		given = append(given, otlptracehttp.WithEndpointURL(u.String()))
	}
	exporter, err := otlptracehttp.New(ctx, given...)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "traces cannot be sent", Remedy: "see the variables OTEL_EXPORTER_OTLP_*", Err: err}
	}
	return &told{SpanExporter: exporter, log: options.Log}, nil
}

// told is an exporter that logs its failures: no caller gets them.
type told struct {
	sdktrace.SpanExporter
	log *slog.Logger
}

// ExportSpans implements sdktrace.SpanExporter.
func (t *told) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := t.SpanExporter.ExportSpans(ctx, spans); err != nil {
		t.log.Warn("traces were lost", "spans", len(spans), "error", err)
	}
	return nil
}

// Close sends what was not sent yet, for as long as the context allows.
func (t *Tracing) Close(ctx context.Context) error {
	if err := t.provider.Shutdown(ctx); err != nil {
		return dovetail.AsError(err)
	}
	return nil
}

// since is the beginning of what ends now.
func since(took time.Duration) time.Time { return time.Now().Add(-took) }
