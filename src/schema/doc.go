// Package schema compiles ref-schemas, YAML that defines kinds of documents with their parents and
// references, to an immutable model, and finds the references in a document's data by the model's
// rules.
//
// Compile goes through four stages, each in files of its own: sources are read (source.go), parsed
// to entries with positions in the text (parse*.go), checked against each other (check*.go)
// and compiled to a Model (compile*.go, dataschema.go, route.go). All faults of all sources are
// reported at once. What works on a finished model is pure and does no I/O: Extract, Validate,
// Diff, Describe.
//
// It may import dovetail, value, decode, yaml and expression; it must not import the store, a service, or anything that
// speaks HTTP. docs/schema.md describes the format for users.
package schema
