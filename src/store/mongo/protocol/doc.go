// Package protocol commits transactions of documents atomically on a server whose only atomic step is
// to change one document on a condition over that document. Backend mongo gives it such a server, and
// package simulation one that goes wrong in every way that is allowed.
//
// It may import dovetail and package store for the contract; it must not import a driver, read a clock
// or start a goroutine outside runtime.go: Env is all that an Engine has of its surroundings, so that a
// simulation decides all of it.
//
// # Intents
//
// A transaction that is about to write a record sets an intent on it first. Setting, changing and removing an intent are
// compare-and-set steps on one record.
//
//	create   readers do not see the document yet, deleters count it as a child and a referrer
//	update   readers see the old document; deleters see the references of both
//	delete   readers still see the document; no new document may refer to it
//
// A creator sets its intent and then reads what it needs; a deleter sets its intent and then reads which
// documents refer to it. Whichever reads second sees the other's intent, so that both can never succeed. Both may
// back off, wait a random time, and try again.
//
// # One document
//
// A creation inserts the record with its intent, reads the targets, and takes the intent away, which is the
// moment of its commit. Creations that wait go through these three steps in groups: one insertion of
// many, one read of all targets, one change of all intents. An update that adds no references is one
// compare-and-set. One that adds some sets an intent, checks them, and replaces the document together with
// the intent. A deletion sets its intent, looks for one child and one referrer while it announces itself in
// the log, and removes the record, which is the moment of its commit.
//
// # Several documents
//
// An entry in the log, pending, is written first; then the intents are set, the conditions checked, and
// the entry is changed to committed, on the condition that it is still pending: that is the moment of the
// commit, and the entry carries the changes for the feed. A process that gives up on the
// transaction aborts it: it deletes the pending entry. A reader that meets an intent looks the entry up. If there
// is none, the transaction will never happen, which is why a record without an entry is read a second time: entries
// outlive the intents of what has happened. Conditions on documents that are not written are kept by intents
// too, and by placeholders where there must be none.
//
// # Crashes
//
// An intent whose owner is dead is resolved by a process that needs the record or by the sweep, after half a lease
// in which that process itself saw it unchanged. Intents of one document roll back, those of several follow
// the entry, for which the owner sends heartbeats. Safety never depends on the lease: an owner whose intent was
// taken fails its own compare-and-set and tries again.
//
// When an answer is lost, the outcome of a write is unknown at first. The engine then reads the record, which names its
// last transaction, and the log for deletions. What it cannot find out it returns as CodeUnknown.
//
// # Changes
//
// The feed is read from the stamps on records and on entries of the log, all of them taken from the
// server's clock by the write that commits. Stamps may become visible out of order, by Env.VisibilityWindow at most:
// a feed reads that far back each time, and its cursors say what it has yielded.
//
// # Where it differs from the first design of the protocol
//
//   - A transaction of several documents writes its entry before its intents and commits it by a
//     compare-and-set, where "whoever inserts the decision first decides" needs an insertion to race
//     against. An entry that is there from the start also tells the live from the dead: its owner sends heartbeats.
//   - Decisions do not expire by time: the entry goes when the history does, and only once it is
//     resolved, so that no intent can ever outlive what decides it.
//   - Conditions on documents that a transaction only reads are kept by intents (Intent.LockOnly): without them a
//     transaction of several documents would check them at different moments.
//   - Records carry the transaction that wrote them last, which answers the owner of a lost
//     acknowledgement, and a single deletion announces itself in the log, for the feed and for the same
//     question: a record that is gone cannot answer.
package protocol
