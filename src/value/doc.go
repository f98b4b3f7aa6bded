// Package value has the data model of JSON and YAML: ordered, exact values with their
// positions in the input, with a strict and fast JSON reader, a writer, JSON Pointer (RFC 6901) and
// JSON merge patch (RFC 7396).
//
// Values round-trip: members keep their order, numbers their text. A Value may be read by any
// number of goroutines at once, as long as none of them changes it.
//
// It does no I/O.
package value
