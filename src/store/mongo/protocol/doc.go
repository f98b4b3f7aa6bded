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
// many, one read of all targets, one change of all intents. Groups of few are answered after two, see below. An update that changes references sets an intent, checks the
// references that it adds while it keeps the version that it replaces, and replaces the document together with the intent. Other
// updates are one compare-and-set, which leaves an intent that holds what was replaced; those of the store's own documents,
// which have no versions, leave none. A deletion is decided by the log, as a transaction of several documents is: a record
// that is gone cannot say when that happened. Engine.Commit looks for what holds the document before it sets the intent: a deletion that is
// refused keeps no creator off.
//
// Engine.Remove takes three steps: the change that sets the intent also returns the document, at whatever version, so that
// the transaction is planned once no other transaction can change it; one look finds children and referrers; and the entry is committed. The looks of
// Commit before the intent decide nothing, so that Remove is as safe without them: a creator that has not seen the intent had set its own
// before, and is seen by the look that follows the intent. What Remove gives up is to leave creators alone where it is refused; so it does
// nothing for documents of which it was refused a deletion lately, which are left to Commit.
//
// # Implicit commits
//
// The insertion of few creations takes their stamps and names their targets in the intent, which is implicit: the creation is committed once all
// targets have been seen there after the insertion, none of them about to go. From then on none can go, since deleters see the intent. The owner answers after that
// look, and takes the intent away later, with those of others. Whoever meets the intent before looks at the targets, too: if all are there it
// takes the intent away before it shows the document; if one is missing it takes the creation back; if a transaction is about to
// delete one, a writer backs off, and a reader waits for that transaction. So only the owner trusts its look without a compare-and-set, and it does so only where nobody can have taken the creation back meanwhile:
//
//   - Whoever takes it back has found a target missing after the insertion. What comes in its place is written later. So all
//     targets must have an earlier stamp than the creation.
//   - A snapshot may have been taken that does not see the creation, and is later than its stamp. So the position that was taken
//     last must be earlier, as for updates.
//   - The time must not be over until which it may commit: its stamp must be earlier. Others see to that, too.
//
// Otherwise the owner takes the third step before its answer, with a new stamp. It takes a creation back as others do, by a compare-and-set: where that
// fails it looks whether another process has committed it. An insertion of which it is not known whether it was made may be
// committed by others, so that the answer is CodeUnknown unless it is found.
//
// What is committed becomes visible to readers of changes when its intent goes, later than its stamp. So that is done within half of
// Env.VisibilityWindow by the server's clock, or with a new stamp. Who follows the changes decides what has been undecided for a second.
//
// Processes of versions that do not know implicit commits take such a creation back. So there are none until the level of the store says that all
// processes know them: see Level, Join and Raise. A process that has not noticed a raised level yet creates as before, which all understand.
//
// # Several documents
//
// An entry in the log, pending, is written first; then the intents are set, the conditions checked, and
// the entry is changed to committed, on the condition that it is still pending: that is the moment of the
// commit, and the entry carries the changes for the feed. The intents of a small transaction are taken away after its answer, with those
// of others; then the entry is resolved. While transactions follow one another, pending entries are written ahead for those to come:
// an entry that was aborted before it is taken cannot be committed, as any other. A process that gives up on the
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
// # Versions
//
// A version is kept under a key of its own before the write that replaces it, whoever does that write: the owner, or who rolls a
// committed transaction forward. An update by one compare-and-set holds the version in its intent, and the intent is taken
// away when the version is kept: soon after the answer, for many updates at a time. Until then the record is locked, except for the next such update of
// the same process: that keeps the version and puts its own intent in the place of the other, at most some times in a row. What a version says is true whether or not the write then succeeds, and keeping it again
// changes nothing. So whoever reads a record and then the versions finds every state. What has been deleted is kept, and
// with it a version that says so, once the log says that it has happened and before the record goes.
//
// # Snapshots
//
// A commit takes its stamp in the write that commits, and whatever it needed was visible before that. So the commits up to a
// stamp leave nothing dangling, and contain all that was acknowledged before the server's clock showed it. A record carries
// the stamp of its last commit: if that is not later than the position the record is what the snapshot shows, otherwise
// the last version that is not later.
//
// A snapshot must not change while it is read. Every commit that is kept in versions is announced before it takes its stamp: by an
// intent, or by a pending entry. So At, once it has its position, looks for both: what is not announced by then gets a later
// stamp. It gives pending entries another fence, which their owners must know to commit: a commit under way either has
// happened by then, or fails and is tried again with a later stamp, so that At need not wait for long transactions. It waits
// until the intents of single documents are gone, usually some milliseconds, and takes away those that stay for half a
// second, whose owners then try again. It waits for nothing else, and no clock but the server's counts. A position that At
// has returned needs none of this again.
//
// An update by one compare-and-set is announced by the write that takes its stamp, which may be seen after At has looked. So its
// owner then reads which position was taken last. Before the stamp: whoever takes a later position sees the intent, and waits
// until it is gone. Otherwise the owner gives the record another stamp before it answers. A snapshot that meets such an intent
// has not waited for it, and shows what was replaced. Where the owner does not take the intent away for half a lease others
// do, and give the record a stamp of now; At then takes a later position, since the update may have been acknowledged. In
// that case only, an update may come after later ones in the history.
//
// This assumes of the server's clock, beyond what Server says, that it never goes back.
//
// # Lost answers
//
// When an answer is lost, the outcome of a write is unknown at first. The engine then reads the record, which names its
// last transaction, and the log for deletions. What it cannot find out it returns as CodeUnknown.
//
// # Changes
//
// The feed is read from the stamps on records and on entries of the log, all of them taken from the
// server's clock by the write that commits. Stamps may become visible out of order, by Env.VisibilityWindow at most:
// a feed reads that far back now and then, and its cursors say what it has yielded.
//
// All readers of an engine share one feed, the tail, which holds what was committed lately. Of those that wait one polls for all. A
// reader whose cursor is not the tail's has it polled once: then the tail holds all that the reader may have got elsewhere.
// What was committed before the tail begins, the reader finds in the database, up to where nothing new appears.
//
// Since a document holds its last stamp only, and the log holds earlier changes of it, a reader that resumes might get those after
// later ones. Cursors name what was yielded within the window, but under load that is too much, and what was yielded need not be there any more.
// So what is stamped up to the latest stamp that the cursor has seen is yielded again only where it is the last
// change of its document: by the tail, or, further back, by what is there now. Either is read after the reader has come, and shows
// at least what any reader has got before.
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
//     acknowledgement.
//   - Deletions of one document, and updates that change references, are announced and take more steps than they need for
//     themselves: snapshots do.
package protocol
