// Package manifest reads and writes manifests, the operations on documents in a batch or a file. A
// manifest names its document and has its data:
//
//	kind: app
//	key: {project: p1, compositeApp: CA, compositeAppVersion: v3}
//	metadata: {name: nginx}
//	spec: {}
//
// Manifests come alone, in lists, as several YAML documents, or in an object with a list "items" or
// "operations". Package httpapi serves them as POST /v2/batch; the command line writes them.
//
// It does no I/O.
package manifest
