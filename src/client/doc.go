// Package client talks to a Dovetail server over HTTP.
//
// [New] makes a [Client] from the server's URL; it connects with the first request. A Client is safe for concurrent use: make one
// and share it.
//
//	c, err := client.New("http://127.0.0.1:8080", client.Options{})
//
// # Reads and writes
//
// [Client.Apply] executes any number of operations in one transaction. store.NewOperation makes an operation from Go data, and IfVersion
// makes it conditional on the version that was read. store.Options add a dry run and an idempotency key (Key): a write whose
// response was lost can be repeated and is executed once. Without a response, the code is CodeUnknown: [Client.ResultByIdempotencyKey] returns the
// result of the transaction with a key, and [Client.Abort] ensures that it is not committed later.
//
// [Client.Get], [Client.Documents], [Client.References], [Client.Referrers], [Client.Children] and [Client.Tree] read. Iterators
// fetch one page after the other. [Client.Watch] streams committed transactions, and resumes after reconnects and restarts of the
// server.
//
// The methods have the same names, types and errors as those of store.Store: code that accepts an interface of the methods that it
// uses works both with a server and with a store in the same process (package embedded).
//
// # History
//
// [Client.At] returns a client that reads the store as of a position, and [Client.PositionOf] the position of a time or of a version
// of a document. [Client.History] yields the versions of a document, [Client.Transactions] the activity of the store.
// [Client.Rollback] restores an earlier version of a document, [Client.Revert] undoes a whole transaction: both are transactions like
// any other, and refused if they would leave dangling references. store.Options.Message is the reason of a write.
//
// # Change sets
//
// A change set proposes changes. [Client.InChangeSet] returns a client that reads the store with the changes applied, and stages
// what it writes. [Client.ChangeSets] creates change sets, shows their changes, reviews them, and merges each in one transaction.
//
// # Errors and retries
//
// Every error is a *dovetail.Error with the code that the server returned, the affected documents, and, for operations with a
// Position, the position in the user's input. The code is CodeUnavailable if the server cannot be reached.
//
// Reads and idempotent writes are retried when the server is busy or restarts, after the time in Retry-After
// (Options.Attempts, Options.Backoff). CodeUnknown means that a write may have been executed: repeat it with the same key.
//
// # Access
//
// Options.Token has the bearer token; Options.TokenSource supplies tokens that are renewed. [Client.WhoAmI] returns the principal,
// [Client.Allowed] and [Client.WhoCan] check rights.
//
// The client reads the ref-schema of the server to determine the URL of a document.
package client
