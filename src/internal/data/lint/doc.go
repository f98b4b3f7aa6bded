// Package lint explains a ref-schema by example: for every reference rule the smallest document in which it finds a
// reference, and for every CEL rule the smallest document that violates it. It reports rules that match nothing, that no document or
// every document violates, that other rules imply, and that no sample uses.
//
// Examples are tried, not derived: a document is an example only if schema.Kind.Extract finds the reference in it, or schema.Rule.Check
// the violation. So examples stay correct when the meaning of rules changes. A rule is reported as never violated only if it
// compares values and all outcomes of the comparisons were tried.
//
// It is pure.
package lint
