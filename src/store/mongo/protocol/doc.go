// Package protocol commits multi-document transactions atomically on a server whose only atomic operation is
// a compare-and-set of one document. The mongo backend runs it on a real server, and
// package simulation on a simulated one that fails in every way that a real one may.
//
// Only Runtime and its parts read a clock or start goroutines: an Engine reaches its environment only through Env, so
// that a simulation is deterministic.
//
// # Intents
//
// Before a transaction writes a record, it sets a write intent on it. Setting, changing and removing an intent are
// compare-and-set operations on that record.
//
//	create   readers do not see the document yet; deleters count it as a child and a referrer
//	update   readers see the old document; deleters see the references of the old and the new one
//	delete   readers still see the document; no new document may reference it
//
// A creator sets its intent and then reads the targets of its references; a deleter sets its intent and then reads which
// documents reference the document. Whichever of them reads second sees the other's intent, so that they can never both succeed. Both may
// back off, wait a random time, and retry.
//
// # One document
//
// A creation inserts the record with its intent, reads the targets, and removes the intent; removing it is the
// commit. Waiting creations take these three steps in groups: one insertion of
// many records, one read of all targets, one update of all intents. Small groups are acknowledged after two steps (see Implicit commits).
//
// An update that changes references, the kind or indexed terms, or whose documents are large, sets an intent, checks the added
// references while it stores the version that it replaces, and then replaces the document and the intent in one step. Other updates
// are one compare-and-set, which leaves an intent that contains the replaced version; updates of the store's own documents without
// references, which have no versions, leave none.
//
// A deletion commits through the log, as a multi-document transaction does, because a record
// that is gone cannot say when it was deleted. Engine.Commit looks for children and referrers before it sets the intent, so that a
// deletion that is refused does not block creators.
//
// Engine.Remove takes three steps. The operation that sets the intent also returns the document, at any version, so that the
// transaction is planned when no other transaction can change the document; one read finds children and referrers; then the
// transaction record is committed. Remove is safe without the reads that Commit does before the intent, since those decide nothing:
// a creator that has not seen the intent set its own before, which the read after the intent finds. The price is that a refused
// Remove blocks creators for a short time; so Remove leaves documents whose deletion this process has refused recently to Commit.
//
// # Implicit commits
//
// The insertion of a small group takes the commit timestamps and stores the targets in the intent. Such an intent is implicit: the
// creation is committed once all targets have been read after the insertion and exist, and no transaction is about to delete one. From
// then on none can be deleted, since deleters see the intent. The owner acknowledges the creation after that read, and removes the
// intent later, in a batch.
//
// Any other process that encounters the intent reads the targets, too. If all exist, it removes the intent before it shows the document;
// if one is missing, it rolls the creation back; if a transaction is about to delete one, a writer backs off, and a reader waits for
// that transaction. So only the owner relies on its read without a compare-and-set, and only if no other process can have rolled the
// creation back in the meantime:
//
//   - A process that rolls back has found a target missing after the insertion; a target created in its place is written later. So
//     every target must have been written at an earlier timestamp than that of the creation.
//   - A snapshot later than the creation's timestamp may have been taken without seeing the creation. So the position of the latest
//     snapshot must be earlier, as for updates.
//   - The deadline of the transaction must not have passed: the timestamp must be earlier. Other processes check this, too.
//
// Otherwise the owner takes the third step before it acknowledges, with a new timestamp. It rolls a creation back by a compare-and-set,
// as other processes do; if that fails, it checks whether another process has committed it. If it is unknown whether an insertion was
// executed, other processes may commit it, so that the result is CodeUnknown unless the record is found.
//
// A committed creation becomes visible in the change feed when its intent is removed, which is later than its timestamp. So the intent
// is removed within half of Env.VisibilityWindow by the server's clock, or else with a new timestamp. A process that reads the change
// feed resolves creations that have been undecided for a second.
//
// Processes of versions without implicit commits roll such a creation back. So none are made until the level of the store says that all
// processes support them: see Level, Join and Raise. A process that has not noticed a raised level yet creates in three steps, which
// every version understands.
//
// # Several documents
//
// First a transaction record is written to the log, with the status pending. Then the intents are set, the conditions are checked, and
// the status is changed to committed on the condition that it is still pending: that is the commit, and the transaction record has the
// changes for the feed. The intents of a small transaction are removed after it is acknowledged, in a batch with those
// of others; then the transaction record is resolved. While transactions follow one another, pending records are written ahead for the
// next ones: one that was aborted before its use cannot be committed, like any other.
//
// Another process aborts a transaction without heartbeats by deleting the pending record. A reader that encounters an intent reads
// the transaction record. If there is none, the transaction was aborted, or the intent is gone by now: transaction records outlive
// the intents of committed transactions. So the reader reads the document a second time. Conditions on documents that the
// transaction does not write are held by intents, too, and conditions that a document does not exist by placeholders.
//
// # Crashes
//
// An intent whose owner has died is resolved by a process that needs the record, or by the periodic sweep, after that process has
// seen it unchanged for half a lease. Intents of one-document transactions are rolled back, except those of updates by one
// compare-and-set, which are committed already, and implicit ones, which are decided by their targets at once. Those of
// multi-document transactions and of deletions follow the status of the transaction record, for which the owner sends heartbeats.
// Safety never depends on the lease: an owner whose intent was removed fails its compare-and-set and retries.
//
// # Versions
//
// A version is stored under a key of its own before the write that replaces it, by the process that does that write: the owner, or
// a process that rolls a committed transaction forward. An update by one compare-and-set holds the replaced version in its intent,
// which is removed once the version is stored: soon after the acknowledgement, for many updates at a time. Until then the record is
// locked, except for the next such update of the same process, which stores the version and replaces the intent with its own, a
// limited number of times in a row. A stored version is correct whether or not the write then succeeds, and storing it is
// idempotent. So a reader that reads a record and then its versions finds every state. A version that marks a deletion is stored
// after the commit in the log and before the record is removed, together with the last version of the document if that is deleted
// alone.
//
// # Snapshots
//
// A commit takes its timestamp in the write that commits, and everything that it depends on was visible before. So the commits up to a
// timestamp have no dangling references, and include everything that was acknowledged before the server's clock showed that timestamp.
// A record has the timestamp of its last commit: if that is not later than the position, the snapshot shows the record, otherwise
// the last version that is not later.
//
// A snapshot must not change while it is read. Every commit that is kept in versions, with the exceptions below, is announced
// before it takes its timestamp, by an intent or by a pending transaction record. So At looks for both, after it has chosen its
// position: a commit that is not announced by then gets a later timestamp. At changes the fence of pending transaction records,
// which their owners must know to commit: a commit in progress has either happened by then, or fails and is retried with a later
// timestamp, so that At need not wait for long transactions. At waits until the intents of one-document transactions are gone,
// which usually takes some milliseconds. It rolls back those that stay for a third of a second, and their owners retry; those that
// may have been acknowledged it completes after half a lease. It waits for nothing else, and takes timestamps only from the
// server's clock. A position that At has returned before needs none of this again.
//
// An update by one compare-and-set, like an implicit creation, is announced by the write that takes its timestamp, which may become
// visible after At has looked. So its owner then reads the position of the latest snapshot. If that is before the timestamp, any
// later snapshot sees the intent and waits until it is gone. Otherwise the owner gives the record a new timestamp before it
// acknowledges the update. A snapshot that encounters such an intent has not waited for it, and shows the replaced version. If the
// owner does not remove the intent for half a lease, other processes do, and give the record a current timestamp; At then takes a
// later position, since the update may have been acknowledged. Only in that case can an update appear in the history after later
// ones.
//
// In addition to what Server says, this assumes that the server's clock never goes back.
//
// # Lost responses
//
// When a response is lost, the outcome of a write is unknown at first. The engine then reads the record, which names its last
// transaction, or the transaction record, and searches the log for a deletion of a created document. If that does not tell the
// outcome, the result is CodeUnknown.
//
// # Changes
//
// The change feed is read from the timestamps of records and of log entries, which the committing write takes from the
// server's clock. Timestamps may become visible out of order, by up to Env.VisibilityWindow:
// a feed reads that far back from time to time, and its cursors say what it has yielded.
//
// All readers of an engine share one feed, the tail, which has the recent commits. One of the waiting readers polls for all of
// them. For a reader whose cursor is not from this tail, the tail is polled once, so that it has everything that the reader may
// have received elsewhere. Commits from before the start of the tail are read from the database: none can appear there any more.
//
// A document has its last timestamp only, while the log has its earlier changes, too, so that a resuming reader might receive those after
// later ones. Cursors list what was yielded within the window, but under load the list would be too long, and what was yielded may no
// longer exist. So a change up to the latest timestamp that the cursor has seen is yielded again only if it is the last
// change of its document: according to the tail or, further back, to the current record. Both are read after the reader has
// connected, and are at least as recent as anything that any reader has received before.
//
// A reader for whom each commit counts reads the history forwards instead (TransactionsAfter), up to a timestamp for which it has waited
// as At does. So nothing can appear there any more, commits are in the order of timestamps, and a position is the timestamp of a commit.
// It reads the records, then their intents, then the versions and the log: the order in which a version moves.
//
// # Differences from the first design of the protocol
//
//   - A multi-document transaction writes its transaction record before its intents and commits it by a
//     compare-and-set; the first design let processes race to insert the decision. A transaction record that exists from the start
//     also distinguishes live owners from dead ones, by heartbeats.
//   - Decisions do not expire by time: a transaction record is removed with the history, and only once it is
//     resolved, so that no intent can outlive the record that decides it.
//   - Conditions on documents that a transaction only reads are held by intents (Intent.LockOnly): without them a
//     multi-document transaction would check them at different times.
//   - Records contain the id of the transaction that wrote them last, by which an owner recognizes its write after a lost
//     acknowledgement.
//   - Deletions of one document, and updates that change references, are announced and take more steps than they would
//     without snapshots.
package protocol
