// Package bolt is the embedded backend: a store in one file, on go.etcd.io/bbolt. One process at a
// time has the file open for writing.
//
// It may import dovetail, package store for the contract, and bbolt; it must not import another
// backend or anything above store.
//
// # Writing
//
// Commits wait in a queue. One goroutine, the writer, takes all that wait, opens one bbolt
// transaction, tests the conditions of each in turn, does the writes of those that hold, and
// commits all with one sync. So later members of a group see the earlier ones, and everybody is
// answered with what is durable. The order of the change log is the order of commits.
//
// When bbolt cannot write (a full disk), all of the group are answered with CodeUnavailable,
// nothing is changed, and the next group may succeed. When it cannot be known what the disk holds,
// or the file turns out damaged, the store answers reads only, until it is opened again.
//
// # Reading
//
// Reads are short bbolt transactions that neither wait for the writer nor hold it up. No bbolt
// transaction is open while a caller's code runs: List copies its result out first, Changes and
// Check read piece by piece.
//
// # The file
//
//	docs       id                     -> document, see document.go
//	kinds      kind NUL id            -> 1
//	referrers  target NUL referrer    -> 1, or 0 when all references are weak
//	log        sequence of the commit -> its changes, see log.go
//	meta       "format", "store"      -> version of this layout, random identity of the store
//
// Documents and log entries carry checksums. The indexes can be made anew from the documents: Check
// does it. A document may have 64 MiB, an id 16,383 bytes; the change log keeps the newest commits,
// 100,000 unless Options say otherwise.
//
// # Failpoints
//
// Built with gofail (go.etcd.io/gofail), the writer stops for tests at beforeCommit (a group is
// evaluated, nothing is on disk), afterCommit (all is on disk) and beforeAnswer (after either way,
// nobody is answered yet), all in this package.
package bolt
