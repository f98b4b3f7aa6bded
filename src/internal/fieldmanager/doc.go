// Package fieldmanager keeps who set which fields of a document, as server-side apply of Kubernetes does: a manager that applies a configuration
// owns its fields, removes those that it applied before and no longer does, and gets a conflict for each field of another manager that it would change.
//
// Maps are merged member by member; lists and scalars are fields as a whole. Values stay as they are written, numbers included, which is why
// this is no use of structured-merge-diff (docs/adr/0016). It does no I/O and imports only dovetail and value.
package fieldmanager
