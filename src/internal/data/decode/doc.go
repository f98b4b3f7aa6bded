// Package decode reads typed fields from values with positions in a text: strings, booleans, integers, lists
// and maps with known members. It reports every error with its position and path, and continues with a zero
// value, so that a user sees all errors of a file at once.
//
// It does no I/O.
package decode
