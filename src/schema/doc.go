// Package schema compiles ref-schemas, YAML that defines kinds of documents with their parents and
// references, to an immutable model, and finds the references in a document's data by the model's
// rules.
//
// Compile has four stages, each in files of its own: read the sources (source.go), parse them
// into entries with positions (parse*.go), check the entries against each other (check*.go),
// and compile them to a Model (compile*.go, dataschema.go, route.go). It reports all errors of all sources
// together. The functions that use a compiled model are pure and do no I/O: Extract, Validate,
// Diff, Describe. Rules are compiled by package schema/cel, which programs import for its effect. A Model is safe for concurrent use.
//
// docs/schema.md describes the format for users.
package schema
