// Package bolt is the embedded backend: a store in one file, on go.etcd.io/bbolt. One process at a
// time has the file open for writing.
//
// It may import dovetail, package store for the contract, and bbolt; it must not import another
// backend or anything above store.
//
// # Writing
//
// Commits wait in a queue. One goroutine, the writer, takes all that wait, tests the conditions of
// each in turn, does the writes of those that hold in one batch of package kv, and commits that
// with one sync. So later members of a group see the earlier ones, and a commit returns only when
// its writes are durable. The order of the change log is the order of commits.
//
// When the batch cannot be written (a full disk), all of the group are answered with
// CodeUnavailable, nothing is changed, and the next group may succeed. When it cannot be known what
// the disk holds, the store answers reads only, until it is opened again.
//
// # Reading
//
// Reads see one instant, do not wait for the writer and do not hold it up. No view of the file is
// open while a caller's code runs: List copies its result out first, Changes and Check read chunk by
// chunk.
//
// # What is stored
//
//	docs       id                     -> document, see document.go
//	kinds      kind NUL id            -> 1
//	referrers  target NUL referrer    -> 1, or 0 when all references are weak
//	log        sequence of the commit -> its changes, see log.go
//	meta       "log"                  -> first and last sequence of the log, and of the versions
//	versions   id NUL sequence that ended it -> document as it was until then
//	differences  sequence that ended it, id  -> the same as a difference from the next version, see difference.go
//	old-kinds, old-referrers          -> what has left the indexes, and with which version
//
// Documents and log entries carry checksums. Check can rebuild the indexes from the
// documents. A document may have 64 MiB, an id 16,383 bytes; the change log keeps the newest commits,
// 100,000 unless Options say otherwise, and the versions that they replaced, up to 1 GiB. Package kv describes the files:
// one, and two logs beside it while it is open.
//
// # The past
//
// Each document says which commit made it; the version that a write replaces moves aside, under the commit that ended it. So
// a snapshot of a sequence is, of each document, the version that began no later and ended later. Nothing is copied for a
// creation. What the history no longer holds goes with the commit that takes its place.
//
// A version is stored as its difference from the one that replaced it where that takes at most half as much, and kind and
// references are the same; every eighth is whole. Differences lie in the order in which they were made, so that updates far
// apart change few pages of the file. So damage to a version makes at most the seven before it unreadable too. Before a version
// is erased, the one before it is made whole.
//
// # Failpoints
//
// Built with gofail (go.etcd.io/gofail), the writer stops for tests at beforeAnswer, when a group is
// durable and no commit has returned yet; package kv has the failpoints around the disk.
package bolt
