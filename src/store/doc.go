// Package store keeps referential integrity on any backend: it turns a write into a transaction
// that the backend makes atomic, so that no parent or reference ever dangles, whoever writes at
// the same time and whatever crashes. It also holds the Backend contract.
//
// It may import dovetail, schema and value; it must not import a backend, a service, or anything
// that speaks HTTP.
package store
