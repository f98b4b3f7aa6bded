// Package draft derives a first ref-schema from sample documents: their kinds and parents, the members of their
// data, and the references between them.
//
// References are tried, not derived: one is used only if a ref-schema with it finds it in every sample that has the value, and finds
// no missing targets. What looks like a reference in some samples only is a note.
//
// It is pure.
package draft
