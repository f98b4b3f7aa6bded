// Package kubeapi serves the documents of a store as objects of the Kubernetes API, so that kubectl, client-go and what is built on
// them are clients of Dovetail: discovery, OpenAPI, lists and tables, watches, and writes.
//
// It is a translation. Kinds become resources (resource.go), documents objects (object.go), errors Status objects (status.go); all reads and
// writes are calls of the store that the REST API makes, too, with the same checks. The resourceVersion of an object is the version of the
// document; that of a list is a position of the store, from where a watch goes on, and bookmarks tell later ones: see docs/adr.
//
// It may import dovetail, value, yaml, selector, schema, store, problem and httpapi; it must not import a backend, the client or the command
// line.
package kubeapi
