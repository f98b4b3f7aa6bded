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
// explains all of it. The schema may also come from files (Options.SchemaFS). Without a path the store is temporary, as tests
// want it. One process at a time has a database file open.
//
// # Write
//
// The id of a document is its path, from its topmost ancestor on: "team/core", or "project/p1/app/nginx" for the app nginx of the
// project p1. [dovetail.ID.Child] escapes names that come from users. The data are anything that encoding/json writes as an
// object.
//
// [Store.Apply] takes operations made by [Create], [Put], [Patch], [Delete] and [DeleteCascade], and does all of them in one
// transaction, or none. It refuses a transaction after which a parent or a referenced document would be missing:
//
//	_, err := s.Apply(ctx, embedded.Delete("team/core"))
//	if dovetail.CodeOf(err) == dovetail.CodeInUse {
//		fmt.Println("still referenced by", dovetail.AsError(err).BlockedBy.IDs)
//	}
//
// Every error is a [*dovetail.Error] with a code, a message and what to do. [Store.DryRun] gives the same answers and writes
// nothing.
//
// To change a document that others may change too, make the operation depend on the version that was read, and read again on
// CodeStale:
//
//	doc, err := s.Get(ctx, "service/api")
//	...
//	_, err = s.Apply(ctx, embedded.Put(doc.ID, changed).IfVersion(doc.ETag()))
//
// # Read
//
// [Store.Get] returns one document, [Store.List] iterates over those of a kind, below a document, or with certain labels and
// fields. [Store.References] and [Store.Referrers] follow references in both directions.
//
// [Store.Watch] yields what is written, transaction by transaction, and resumes where it was, also after a restart.
//
// # More
//
// [Store.Engine] gives access to the engine below, package store: trees, export and import, integrity checks, access control and
// audit records. A program that talks to a server instead uses package client, which takes the same operations.
//
// The package imports dovetail, selector, schema, store, the backend store/bolt and the ref-schema that ships; it must not import
// a service or anything below src/internal.
package embedded
