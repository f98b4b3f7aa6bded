// Package client talks to a Dovetail server over HTTP.
//
// [New] makes a [Client] from the server's URL; it connects with the first request. A Client is safe for concurrent use: make one
// and share it.
//
//	c, err := client.New("http://127.0.0.1:8080", client.Options{})
//
// # Reads and writes
//
// [Client.Apply] does any number of operations in one transaction. store.NewOperation makes an operation of Go data, and IfVersion
// lets it depend on the version that was read. store.Options add a dry run, and with Key an idempotency key, so that a write whose
// answer was lost can be repeated and is executed once. Without an answer, the code is CodeUnknown: [Client.OutcomeOf] returns the
// outcome of the transaction of a key, and [Client.Abort] ensures that it is not committed later.
//
// [Client.Get], [Client.Documents], [Client.References], [Client.Referrers], [Client.Children] and [Client.Tree] read. Sequences
// fetch page after page while they are ranged over. [Client.Watch] follows what is written, over reconnects and restarts of the
// server.
//
// The methods have the names, the types and the errors of store.Store: code that takes an interface of the few methods that it
// uses works on a server and on a store in the same process (package embedded).
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
// A change set proposes changes: [Client.InChangeSet] returns a client that reads the store as it would be with them, and stages
// what it writes. [Client.ChangeSets] creates change sets, shows what they change, reviews them, and merges each as one transaction.
//
// # Errors and repetition
//
// Every error is a *dovetail.Error with the code of the server, the affected documents, and, for operations with a
// Position, the position in the user's input. A server that cannot be reached is CodeUnavailable.
//
// Reads, and writes that are safe to repeat, are retried when a server is busy or restarts, after the time in Retry-After
// (Options.Attempts, Options.Backoff). CodeUnknown means that a write may have been executed: repeat it with the same key.
//
// # Access
//
// Options.Token authenticates, or Options.TokenSource with tokens that change. [Client.Self] returns the principal, [Client.May] and [Client.WhoCan] check rights.
//
// The client reads the ref-schema of the server to find the URL of a document. The package imports dovetail, value, schema and
// store; it must not import a part of the server, a backend or the command line.
package client
