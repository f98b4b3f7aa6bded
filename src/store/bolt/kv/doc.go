// Package kv is an ordered key-value store in one file and a log: bbolt for older writes, a log for
// the newest, so that a commit costs one small sequential write and one sync, however far apart its
// keys are and however large the file is.
//
// It knows nothing of documents.
//
// # How it works
//
// A batch of writes is appended to the log, synced, and put into a table in memory; then readers see
// it. When the table has grown to some mebibytes it is frozen, a new one and the other of the two
// log files take over, and the flusher writes the frozen table in key order into the
// bbolt file, in synced transactions. The last one records the generation of the table; then the
// table and its part of the log are no longer needed. So each page of the file is written once for
// many commits, and bbolt itself keeps its file consistent at any moment.
//
// A reader sees the table, the frozen table and the file at one instant, the newer before the older.
//
// Opening after a crash reads the log from the generation that follows the file's, into memory
// and then into the file, see settle.go. Where the disk takes no writes the second step waits, and readers have all from memory.
// Closing flushes all and removes the log: a store at rest is one file.
//
// A checkpoint copies the file as of a read transaction, followed by what was in the tables then. It becomes a database with an
// identity of its own when it is first opened, see checkpoint.go and takeover.go.
//
// # Files
//
//	PATH         bbolt: a bucket for each space, and "kv" with "format", "store" (a random
//	             identity), "generation" (of the last flushed table), "log" (while there is one) and
//	             "former" (the notes of the checkpoints that it comes from)
//	PATH-log0    records of even generations, see log.go
//	PATH-log1    records of odd generations
//
// # Errors
//
// All errors are *dovetail.Error: CodeUnavailable, with nothing changed, when something cannot be
// written (a full disk) or the database is closed; CodeUnknown when a sync failed, so that the state
// of the disk is unknown; CodeCorrupt when a file is damaged. After the last two the database
// takes no more writes until it is opened again.
//
// # Failpoints
//
// Built with gofail (go.etcd.io/gofail), tests can stop it at beforeLog, afterLog (a batch is on
// disk, not yet visible), beforeFlush, duringFlush (a part of a table is in the file) and afterFlush
// (all of it is, the log not yet removed).
package kv
