// Package decode reads typed fields out of values that know where they stand in a text: strings, booleans, integers, lists
// and maps with known members. It reports everything that is wrong, each with its position and path, and goes on with a zero
// value, so that a user sees all errors of a file at once.
//
// The package imports the standard library, package dovetail, package value and package suggest; it does no I/O.
package decode
