// Package httpapi serves a store over HTTP: routes made from the ref-schema, RFC 9457 problems,
// entity tags, paging, batches, server-sent changes, OpenAPI, health and metrics.
//
// Fixed endpoints (/livez, /v2/batch, ...) are routes of gorilla/mux. The resources are not: a
// schema of fifty kinds makes hundreds of templates, and mux tries them one by one with a regular
// expression each. They are nodes of a tree keyed by path segments, which resolves a path in
// time linear in its length and knows all its verbs, so that 405, Allow, hints on 404 and /openapi.json
// all come from one place. The tree and all else that is derived from the model are rebuilt and swapped
// atomically when the store's model changes.
//
// Services add endpoints of their own by the type Service. They import this package, which knows
// none of them.
package httpapi
