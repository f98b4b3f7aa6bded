// Package mongo is the backend on MongoDB and on compatible servers: standalone, a
// replica set, or a sharded cluster. Any number of processes may have the same database open.
//
// What makes commits atomic is package protocol, which does not depend on a driver: this package gives it access to a
// server, and starts the background tasks.
//
// # What is stored
//
// The collection "documents" has one record for each document: its id as _id, its key elements and keyId for ad-hoc queries, data,
// status and content, its references, and the fields of the protocol: the ids of the documents that it references (refs and weak,
// both indexed), an intent while a transaction is in progress, and the timestamps by which changes are found. One more record, with
// the _id 0, holds the last timestamp that was read from the server's clock, as for the latest snapshot. Data and status are BSON,
// so that they can be read and queried with MongoDB's tools; if that would not reproduce the JSON text byte for byte, the text is
// stored beside it.
//
// The collection "commits" has the multi-document transactions and the deletions, for as long as the history is
// kept, and four records of the store's own: its identity, its clock, its latest purge, and the time since which versions are kept.
//
// The collection "versions" has the earlier versions of documents, for as long as the history is kept. The _id consists of the id of
// the document, and the timestamp and transaction that made the version, so that the versions of one document are adjacent, latest first.
//
// # Guarantees
//
// Writes are acknowledged by a majority unless the connection string says otherwise, and reads go to the primary. On replica sets
// and sharded clusters they have read concern majority, and transactions, sweeps, reads of the history and the change feed also run
// in causally consistent sessions; a plain read that has to complete a creation starts one for that. The error of a write says
// whether it was committed: CodeUnknown if that cannot be determined; any other code means that it was not committed and never will
// be. After CodeUnknown, a request with an idempotency key can be sent again.
//
// # Queries
//
// Every query that needs another index than that of _id names it with a hint. Commands that change several documents do so in the
// order of _id as far as possible, since servers that lock documents until the end of a command may otherwise deadlock; the one
// that fails then is retried.
package mongo
