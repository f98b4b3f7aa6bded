// Package lint explains a ref-schema by example: for every rule of references the smallest document that the rule finds a
// reference in, the rules that can find none, those that others make superfluous, and those that no sample fills.
//
// Examples are tried, not derived: a document counts only when schema.Kind.Extract finds the reference in it. So an example
// is right whatever rules come to mean.
//
// It is pure. It may import dovetail, value and schema; it must not import the store, or anything that does I/O.
package lint
