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
// answer was lost is repeated and done once. Without an answer, the code is CodeUnknown: [Client.OutcomeOf] says what became of
// the transaction of a key, and [Client.Abort] makes sure that it is not committed later.
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
// [Client.Rollback] gives a document an earlier version, [Client.Revert] undoes a whole transaction: both are transactions like any
// other, and refused if they would leave anything dangling. store.Options.Message says why a write is made.
//
// # Change sets
//
// A change set proposes changes: [Client.InChangeSet] returns a client that reads the store as it would be with them, and stages
// what it writes. [Client.ChangeSets] creates change sets, shows what they change, reviews them, and merges each as one transaction.
//
// # Errors and repetition
//
// Every error is a *dovetail.Error with the code that the server gave, the documents that it is about, and, for operations with a
// Position, the place in the user's input. A server that cannot be reached is CodeUnavailable.
//
// Reads, and writes that are safe to repeat, are tried again when a server is busy or restarts, after the time that it asks for
// (Options.Attempts, Options.Backoff). CodeUnknown means that a write may have been done: repeat it with the same key.
//
// # Access
//
// Options.Token authenticates, or Options.TokenSource with tokens that change. [Client.Self] says as whom, [Client.May] and [Client.WhoCan] what is allowed.
//
// The client reads the ref-schema of the server to find the URL of a document. The package imports dovetail, value, schema and
// store; it must not import a part of the server, a backend or the command line.
package client
