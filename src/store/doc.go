// Package store is the integrity engine: it turns a write into a transaction that a backend makes atomic, so that no parent and no
// reference is ever missing, under concurrent writers and across crashes. It also defines what a backend must do.
//
// Most programs use a higher-level package: embedded opens a store in one call, client talks to a server. This page is for programs
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
// [Store.Apply] executes any number of operations in one transaction. It reads what they depend on, computes the new documents, their
// references and the conditions under which the result is valid, and commits; on a conflict with a concurrent writer, it retries.
// [NewOperation] makes an [Operation] from Go data. [Options] add a dry run and an idempotency key.
//
// [Store.Get], [Store.List], [Store.Documents], [Store.Children], [Store.Tree] and [Store.Referrers] read; [Store.Watch] streams
// committed transactions. [Store.Export] and [Store.Import] move documents with their versions; [Store.Backup] and [Restore] move
// a whole store as of one position, with its ref-schema. [Store.Check] verifies all invariants
// against the documents. [Store.SetModel] activates another schema if the stored documents are valid under it; [Store.Impact] lists
// those that are not.
//
// [Config] adds access control (Guard) and audit records (Audit). The context then carries the principal, set by
// dovetail.WithPrincipal, and every method returns only what that principal may read.
//
// # Views and change sets
//
// [Store.At] returns the store as of an earlier position, and [Store.Overlay] the store with staged documents laid over it. All reads
// work on them as on the store itself. A write to an overlay is fully checked and then passed to the owner of the overlay, such as a
// change set, which stages it. [Store.MergeOperations] turns staged documents into operations by a three-way merge with later changes,
// or returns the conflicts; [Store.Revert] does the same with an earlier state. A Guard may protect documents:
// [Store.Apply] changes a protected document only if Options.Approved lists the document, because an approved change set changes it.
//
// # Backends
//
// A [Backend] stores documents, finds them by id, ancestor, kind and reference, commits a [Txn] (conditions and writes, applied
// atomically), and yields what was committed since a [Cursor]. The comments of the interface are the contract; package
// storetest verifies that a backend fulfills it. A backend knows nothing of schemas: references arrive with the document.
//
// Package bolt is the embedded backend, which stores everything in one file; mongo is the backend on MongoDB; instrumented wraps a
// backend to measure it.
package store
