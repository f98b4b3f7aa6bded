package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// Handler returns a handler of logs that adds trace_id and span_id to the records of requests that are traced.
func Handler(inner slog.Handler) slog.Handler { return traced{inner} }

type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (t traced) Handle(ctx context.Context, record slog.Record) error {
	if at := trace.SpanContextFromContext(ctx); at.IsValid() {
		record = record.Clone()
		record.AddAttrs(slog.String("trace_id", at.TraceID().String()), slog.String("span_id", at.SpanID().String()))
	}
	return t.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (t traced) WithGroup(name string) slog.Handler { return traced{t.Handler.WithGroup(name)} }
