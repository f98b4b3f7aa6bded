// Package draft writes a first ref-schema from documents that there are: their kinds and which is whose child, the members that their
// data has, and the references between them.
//
// References are tried, not derived: one counts only when a ref-schema with it finds it in every sample that fills its place, and finds
// nothing that is not there. What looks like a reference and is none everywhere is a note.
//
// It is pure. It may import dovetail, value, schema, lint for its samples, and the writer of YAML; it must not import the store, or anything that does
// I/O.
package draft
