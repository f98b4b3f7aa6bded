// Package telemetry sends traces by OpenTelemetry: of requests, of what the store does for them, and of the
// commands that a database gets for that. It is the only package that knows OpenTelemetry, and sets
// nothing global: who wants traces makes a Tracing and gives its methods where others ask for functions.
//
// Of packages of Dovetail it imports dovetail and store/instrumented, whose observer it is.
package telemetry
