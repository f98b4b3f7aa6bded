// Package lint explains a ref-schema by example: for every rule of references the smallest document that the rule finds a
// reference in, and for every rule in CEL the smallest that breaks it; the rules that can find none, that nothing breaks or everything
// does, those that others make superfluous, and those that no sample fills.
//
// Examples are tried, not derived: a document counts only when schema.Kind.Extract finds the reference in it, or schema.Rule.Check
// that it is broken. So an example is right whatever rules come to mean. That no document breaks a rule is said only of rules
// that compare values, of which all ways to compare are tried.
//
// It is pure. It may import dovetail, value and schema; it must not import the store, or anything that does I/O.
package lint
