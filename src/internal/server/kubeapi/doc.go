// Package kubeapi serves the documents of a store as objects of the Kubernetes API, so that kubectl, client-go and the tools built on
// them are clients of Dovetail: discovery, OpenAPI, lists and tables, watches, and writes.
//
// It is a translation. Kinds become resources (resource.go), documents objects (object.go), errors Status objects (status.go); reads and
// writes are the same calls of the store as those of the REST API, with the same checks. The resourceVersion of an object is the version of
// the document; that of a list is a position of the store, from which a watch continues, and bookmarks have later ones: see docs/adr.
package kubeapi
