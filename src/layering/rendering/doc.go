// Package rendering renders layered documents: it selects the parent of each document by labels,
// applies merge, replace and delete actions, substitutes values of other documents, lets
// documents replace others, validates the results, and can explain where every rendered value
// comes from. docs/layering.md describes the rules for users.
//
// Parse reads documents, Resolve links them, Site.Render renders them. The result does not depend on
// the order of the documents. Documents are never changed; rendered values share what they can with
// them and with each other and must not be changed either. The time is linear in the documents,
// what they hold, and their substitutions; each path and pattern is read once.
//
// All errors are reported together, as *dovetail.Error whose Reason is one of the classes of
// this package, with the position in the input; DocumentOf returns the document. Of many errors, and of many
// warnings, the first dovetail.MaxErrors are described and the others counted.
//
// The package is pure.
package rendering
