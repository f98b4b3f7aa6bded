package telemetry

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/instrumented"
)

// Request begins the span of a request, as part of the trace that the client is in, if any. What it returns is called
// once, when the request was answered: with the template of its route, and the error that was answered.
func (t *Tracing) Request(ctx context.Context, r *http.Request) (context.Context, func(route string, status int, err error)) {
	ctx = t.propagator.Extract(ctx, propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", r.Method), attribute.String("url.path", r.URL.EscapedPath())))
	return ctx, func(route string, status int, err error) {
		span.SetName(r.Method + " " + route)
		span.SetAttributes(attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
		if err != nil {
			span.SetAttributes(attribute.String("error.type", string(dovetail.CodeOf(err))))
		}
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(status))
		}
		span.End()
	}
}

var _ instrumented.Observer = (*Tracing)(nil)

// Begun implements observed.Observer. Only what is done for a request has a span: what a server does unasked, now
// and again, would be many traces of one span each.
func (t *Tracing) Begun(ctx context.Context, operation instrumented.Operation) context.Context {
	if !isTraced(ctx) {
		return ctx
	}
	ctx, _ = t.tracer.Start(ctx, "store "+string(operation), trace.WithAttributes(attribute.String("db.operation.name", string(operation))))
	return ctx
}

// Ended implements observed.Observer.
func (t *Tracing) Ended(ctx context.Context, _ instrumented.Operation, _ time.Duration, err error) {
	if !isTraced(ctx) {
		return
	}
	span := trace.SpanFromContext(ctx)
	fail(span, err)
	span.End()
}

// Command makes the span of a command to a database that has ended, for a request.
func (t *Tracing) Command(ctx context.Context, name string, took time.Duration, err error) {
	if !isTraced(ctx) {
		return
	}
	_, span := t.tracer.Start(ctx, "mongodb "+name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(since(took)),
		trace.WithAttributes(attribute.String("db.system.name", "mongodb"), attribute.String("db.operation.name", name)))
	fail(span, err)
	span.End()
}

func isTraced(ctx context.Context) bool { return trace.SpanContextFromContext(ctx).IsValid() }

// fail records an error in the span. That a document does not exist, or has another version than expected, is
// an answer. Texts of errors stay out: they may quote stored data.
func fail(span trace.Span, err error) {
	if err == nil {
		return
	}
	code := dovetail.CodeOf(err)
	span.SetAttributes(attribute.String("error.type", string(code)))
	switch code {
	case dovetail.CodeInternal, dovetail.CodeUnavailable, dovetail.CodeUnknown, dovetail.CodeTimeout, dovetail.CodeCorrupt:
		span.SetStatus(codes.Error, string(code))
	}
}
