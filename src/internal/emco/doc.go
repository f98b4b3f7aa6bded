// Package emco converts the resources of an EMCO database into documents of Dovetail, and reports those that it
// cannot convert: EMCO checks integrity before a write, not in one transaction with it, so that its databases may hold
// orphans, dangling references and duplicate keys.
//
// EMCO's fields have other names in its database than in its REST API: fields.yaml has both.
//
// It does no I/O: resources go in one by one, documents and findings come out, and the contents of documents are in a
// Spool meanwhile, so that only their relations must fit into memory.
package emco
