// Package mongo is the backend on MongoDB, and on servers that are compatible with it: standalone, a
// replica set, or a sharded cluster. Any number of processes may have one database open.
//
// It may import dovetail, package store for the contract, package value, and the driver; it must not
// import another backend or anything above store. What makes commits atomic is package protocol, which
// knows no driver: this package gives it a server, and starts what has to run in the background.
//
// # What is stored
//
// The collection "documents" has a record for each document: its id as _id, its key elements and keyId
// for ad-hoc queries, data, status and content, its references, and what the protocol needs: the ids that it
// refers to (refs and weak, both indexed), an intent while a transaction is under way, and the stamps by
// which changes are found. One more, with the _id 0, holds when a snapshot was taken last. Data and status are BSON documents, which people can read and query; where
// BSON would not give the JSON text back byte for byte, the text stands beside them. The collection
// "commits" has the transactions of several documents and the deletions, for as long as the history is
// kept, and four entries of the store's own: its identity, its clock, its latest purge, and since when versions are kept.
// The collection "versions" has the earlier versions of documents, for as long: the _id is that of the document with the
// stamp and the transaction that made the version, so that all versions of one document stand together, the latest first.
//
// # Promises
//
// Writes are acknowledged by a majority unless the connection string says otherwise, and reads go to
// the primary. On replica sets they run in causally consistent sessions with read concern majority. An
// error of a write says whether it was done: CodeUnknown where that cannot be known, any other code where it
// was not and never will be. Requests that carry an idempotency key may then be sent again.
//
// # Queries
//
// Every query names the index that it is to use. No command changes several documents in an order of
// its own: those that do sort them by _id, since servers that lock documents until a command ends
// deadlock on two orders.
package mongo
