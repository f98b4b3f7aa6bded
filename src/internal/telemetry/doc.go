// Package telemetry sends OpenTelemetry traces: of requests, of their operations of the store, and of the
// database commands of these. It is the only package that knows OpenTelemetry, and sets
// nothing global: the caller makes a Tracing and passes its methods as hooks to other packages.
//
// Of packages of Dovetail it imports dovetail and store/instrumented, whose observer it is.
package telemetry
