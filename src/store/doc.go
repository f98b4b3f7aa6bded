// Package store is the integrity engine: it turns a write into a transaction that a backend makes atomic, so that no parent and no
// reference is ever missing, under concurrent writers and across crashes. It also defines what a backend must do.
//
// Most programs use a package above it: embedded opens a store in one call, client talks to a server. This page is for programs
// that need the engine itself, and for authors of backends.
//
// # The engine
//
// [Open] joins a [Backend], which keeps documents, and a schema.Model, which defines the kinds and their references:
//
//	model, err := schema.Compile(sources)
//	backend, err := bolt.Open("catalog.db", bolt.Options{})
//	s, err := store.Open(ctx, backend, model, store.Config{})
//
// [Store.Apply] does any number of operations in one transaction. It reads what they depend on, computes the documents, their
// references and the conditions under which the result is valid, and commits that; if another writer was faster, it starts over.
// [NewOperation] makes an [Operation] of Go data. Options add a dry run and an idempotency key.
//
// [Store.Get], [Store.List], [Store.Documents], [Store.Children], [Store.Tree] and [Store.Referrers] read; [Store.Watch] follows
// what is written. [Store.Export] and [Store.Import] move documents with their versions; [Store.Backup] and [Restore] move
// a whole store of one position, with its ref-schema. [Store.Check] verifies all invariants
// against the documents. [Store.SetModel] puts another schema in force, if the stored documents fit it; [Store.Impact] lists those
// that do not.
//
// [Config] adds access control (Guard) and audit records (Audit). Then the context says who acts, by dovetail.WithPrincipal, and
// every method shows only what that principal may read.
//
// # Views and change sets
//
// [Store.At] is the store as of an earlier position, and [Store.Overlay] one with staged documents in place: all reads work
// on them as on the store itself, and a write to an overlay is checked in full and handed to its owner, such as a change
// set, to be staged. [Store.MergeOperations] turns staged documents into operations, merged value by value with later changes,
// or returns the conflicts; [Store.Revert] does the same with an earlier state. A Guard may protect documents:
// [Store.Apply] changes them only where Options.ChangeSet says that it merges an approved change set, or Options.Approved that
// such a one was merged elsewhere.
//
// # Backends
//
// A [Backend] stores documents, finds them by id, ancestor, kind and reference, commits a [Txn] (conditions and writes that happen
// all or not at all), and yields what was committed since a [Cursor]. The comments of the interface are the contract; package
// storetest proves that a backend keeps it. A backend knows nothing of schemas: references arrive with the document.
//
// The folder bolt has the backend in one file, mongo the one on MongoDB, instrumented a wrapper that measures another backend.
//
// The package imports dovetail, value, selector and schema; it must not import a backend, a service, or anything that speaks HTTP.
package store
