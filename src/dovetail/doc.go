// Package dovetail is the domain: keys and their canonical ids, documents, references,
// revisions, and the one error type with its closed set of codes.
//
// Everything else in Dovetail imports it; it imports the standard library only, does no I/O and
// reads no clock. Values are plain data, safe to share between goroutines as long as nobody
// changes them.
package dovetail
