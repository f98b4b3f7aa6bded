// Package embedded opens a Dovetail store inside a Go program: typed documents in one file, whose parents and references always
// exist. There is no server and no network.
//
// # Open
//
// Describe the kinds of documents in a ref-schema, and open the store:
//
//	const schema = `
//	resources:
//	  - name: team
//	  - name: service
//	    references:
//	      - name: team
//	`
//
//	s, err := embedded.Open(ctx, embedded.Options{Path: "catalog.db", Schema: schema})
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//
// A kind can have a parent, references with rules, and a JSON Schema for its data; the page docs/schema.md of the repository
// explains them. The schema may also come from files (Options.SchemaFS). Without a path the store is temporary, which suits tests.
// Only one process at a time can open a database file.
//
// # Write
//
// The id of a document is its path from its topmost ancestor: "team/core", or "project/p1/app/nginx" for the app nginx of the
// project p1. [dovetail.ID.Child] escapes names that come from users. Data is any Go value that encoding/json marshals to an
// object.
//
// [Store.Apply] takes operations made by [Create], [Put], [Patch], [Delete] and [DeleteCascade], and executes them in one atomic
// transaction. It refuses a transaction that would leave a missing parent or a dangling reference:
//
//	_, err := s.Apply(ctx, embedded.Delete("team/core"))
//	if dovetail.CodeOf(err) == dovetail.CodeInUse {
//		fmt.Println("still referenced by", dovetail.AsError(err).BlockedBy.IDs)
//	}
//
// Every error is a [*dovetail.Error] with a code, a message and a remedy. [Store.DryRun] returns the same results and errors but
// writes nothing.
//
// To change a document that others may change concurrently, make the operation conditional on the version that was read, and read
// again on CodeStale:
//
//	doc, err := s.Get(ctx, "service/api")
//	...
//	_, err = s.Apply(ctx, embedded.Put(doc.ID, changed).IfVersion(doc.ETag()))
//
// # Read
//
// [Store.Get] returns one document, [Store.List] iterates over the documents of a kind, below a document, or with certain labels and
// fields. [Store.References] and [Store.Referrers] follow references in both directions.
//
// [Store.Watch] yields committed transactions in order, and resumes from a cursor, also after a restart.
//
// # More
//
// [Store.Engine] gives access to the engine below, package store: trees, export and import, integrity checks, access control and
// audit records. A program that talks to a server instead uses package client, which takes the same operations.
package embedded
