// Package telemetry sends OpenTelemetry traces: of requests, of their operations of the store, and of the
// database commands of these. It is the only package that knows OpenTelemetry, and sets
// nothing global: the caller makes a Tracing and passes its methods as hooks to other packages.
//
// It is the observer of package instrumented.
package telemetry
