// Package fieldmanager records which manager set which fields of a document, like server-side apply of Kubernetes: a manager that applies a configuration
// owns its fields, removes those that it applied before and no longer does, and gets a conflict for each field of another manager that it would change.
//
// Maps are merged member by member; lists and scalars are fields as a whole. Values are kept exactly as written,
// including numbers; this is why it does not use structured-merge-diff (docs/adr/0016). It does no I/O.
package fieldmanager
