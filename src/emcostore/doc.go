// Package emcostore lets the services of EMCO use Dovetail as their database: Store has the methods of EMCO's own store interface
// (package db, variable DBconn), so that a service needs one import and one assignment:
//
//	db.DBconn, err = emcostore.New[db.Key](documents, model, emcostore.Options{})
//
// The documents are those of a store in this process (embedded.Store.Engine), or of a server (client.Client); the model is the
// ref-schema in force there: EMCO's, with the kind of records that Schema adds.
//
// # Mapping
//
// A resource is the document that `dovetail migrate emco` makes of it, under the names of EMCO's REST API: its tag data is the
// data, files are content, stateInfo is in the status, and where the kind has a lifecycle its state follows. Find gives
// each tag back as EMCO's own store would: BSON with the names of the database. So clients of the REST API, the web UI and
// the services see the same documents. Everything else that the services store is a record, which only they read.
//
// # Stricter checks
//
// Parents, references and states are checked in the transaction of the write. A reference to a missing resource is refused, where
// EMCO only logs it, unless the store lets references dangle (--references warn). RemoveAll deletes what matches in one
// transaction, or nothing where a document that stays refers to it.
//
// The text of an error begins as EMCO's services expect it: see the constants.
package emcostore
