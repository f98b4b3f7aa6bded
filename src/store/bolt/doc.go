// Package bolt is the embedded backend: a store in one file, on go.etcd.io/bbolt. One process at a
// time has the file open for writing.
//
// # Writing
//
// Commits wait in a queue. One goroutine, the writer, takes all that wait, tests the conditions of
// each in turn, does the writes of those that hold in one batch of package kv, and commits that
// with one sync. So later members of a group see the earlier ones, and a commit returns only when
// its writes are durable. The order of the change log is the order of commits.
//
// When the batch cannot be written (a full disk), all commits of the group fail with
// CodeUnavailable, nothing is changed, and the next group may succeed. When the state of the disk is
// unknown, the store answers reads only, until it is opened again.
//
// # Reading
//
// Reads see a snapshot, and neither wait for the writer nor block it. No read transaction of the file is
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
// Each document has the commit that wrote it; a write moves the version that it replaces aside, under the commit that ended it.
// So a snapshot at a sequence consists of the versions that began no later and ended later. Nothing is copied for a
// creation. A commit also drops what its own entry pushes out of the history.
//
// A version is stored as its difference from its successor if that takes at most half the space, and kind and
// references are the same; every eighth is stored in full, so that damage to a version makes at most the seven before it
// unreadable, too. Differences are stored in the order of commits, so that updates far apart change few pages of the file. Before a
// version is erased, the one before it is stored in full.
//
// # Failpoints
//
// Built with gofail (go.etcd.io/gofail), tests can stop the writer at beforeAnswer, when a group is
// durable and no commit has returned yet; package kv has the failpoints around the disk.
package bolt
