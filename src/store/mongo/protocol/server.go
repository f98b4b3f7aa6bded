package protocol

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// ClockID is the id of a record that belongs to the server and has the last timestamp that Now took, and so the position of the
// latest snapshot or a later one. Only Find returns it, so that one command reads it together with documents.
const ClockID dovetail.ID = "_clock"

// Server is everything that the protocol needs from a database: compare-and-set on single documents, and queries. No operation on
// several documents is atomic.
//
// The protocol assumes that a change of one document is atomic and conditional on that document, that an acknowledged write is
// durable, and that a read sees all writes that were acknowledged before it started. The timestamp of a change is taken from the
// server's clock while the change is executed.
//
// Errors are *dovetail.Error. A read that fails has yielded nothing to rely on. A write that fails with CodeUnknown may have been
// executed, partially or completely, or may be executed later; with any other code it was not and never will be executed. The
// condition of each write ensures that it cannot be executed twice.
//
// Ids in arguments are unique. The server neither keeps nor modifies documents after the call.
type Server interface {
	// Insert stores new records, each independently. It returns an error for each record: nil for success, and ErrDuplicate if the
	// id is taken. Either all of the records have implicit intents or none: they get the Txn of their intent as Txn and Origin, and the
	// current timestamp as Stamp and Created.
	Insert(ctx context.Context, records []*Record) []error
	// Apply executes changes, each independently, and returns how many conditions were true, but not which.
	Apply(ctx context.Context, changes []Change) (int, error)
	// SetIntent executes one change that sets an intent. It returns the whole record as it was before, or nil if the condition was
	// false.
	SetIntent(ctx context.Context, change Change) (*Record, error)
	// Replace executes one change that sets a document and an intent with Prev. It returns the timestamp, or false if the condition
	// was false.
	Replace(ctx context.Context, change Change) (at Stamp, done bool, err error)

	// Find returns the records that exist. Without whole it may omit what heads lack; see Record. The Stamp of the record with
	// ClockID is that of the last call of Now, which may not have returned yet, or a later one; before the first call the record
	// does not exist.
	Find(ctx context.Context, ids []dovetail.ID, whole bool) (map[dovetail.ID]*Record, error)
	// Children yields the heads of all records below any of the ids.
	Children(ctx context.Context, of []dovetail.ID) iter.Seq2[*Record, error]
	// Referrers yields the heads of all records whose strong links have any of the ids.
	Referrers(ctx context.Context, of []dovetail.ID) iter.Seq2[*Record, error]
	// Holders yields the heads of all records below the id, and of all whose strong links have it, possibly some twice.
	Holders(ctx context.Context, of dovetail.ID) iter.Seq2[*Record, error]
	// Linked yields the heads of records whose strong or weak links have any of the ids, in the order of ids: only those after the
	// given id, and at most limit (0: all).
	Linked(ctx context.Context, to []dovetail.ID, weak bool, after dovetail.ID, limit int) iter.Seq2[*Record, error]
	// Scan yields the whole records that the query selects, in the order of ids. It searches the terms of the document and of
	// Intent.Next; it may yield others, too.
	Scan(ctx context.Context, q store.Query) iter.Seq2[*Record, error]
	// AddTerms adds the terms of the documents to those of the records that have them at their versions, regardless of intents.
	AddTerms(ctx context.Context, documents []*dovetail.Document) error
	// WithIntent yields the heads of records with an intent of the transaction, or, for "", of any transaction.
	WithIntent(ctx context.Context, txn string) iter.Seq2[*Record, error]
	// WithOtherIntent yields the heads of records with an intent of a transaction other than these.
	WithOtherIntent(ctx context.Context, than []string) iter.Seq2[*Record, error]
	// Changed yields the heads of records with a Stamp of since or later, in the order of timestamps.
	Changed(ctx context.Context, since Stamp) iter.Seq2[*Record, error]

	// WriteEntries stores new transaction records in the log, with the current timestamp. It skips those that exist.
	WriteEntries(ctx context.Context, entries []LogEntry) error
	// UpdateEntry changes a transaction record if its state is from, and reports whether it was.
	UpdateEntry(ctx context.Context, txn string, from State, to EntryUpdate) (bool, error)
	// ResolveEntries changes the state of those that are Committed to Resolved.
	ResolveEntries(ctx context.Context, txns []string) error
	// FenceEntries sets the fence of those that are Pending.
	FenceEntries(ctx context.Context, txns []string, fence string) error
	// CommitEntry changes the state of a transaction record to Committed if it is Pending and has the fence of entry. It stores the
	// changes and provenance of entry and the current timestamp, which it returns. If the state or the fence differs, or if before
	// is not zero and has passed, done is false.
	CommitEntry(ctx context.Context, entry LogEntry, before time.Time) (at Stamp, done bool, err error)
	// DeleteEntry deletes a transaction record if it has the state, and reports whether it had.
	DeleteEntry(ctx context.Context, txn string, in State) (bool, error)
	// Entries returns the transaction records that exist, without their changes.
	Entries(ctx context.Context, txns []string) (map[string]LogEntry, error)
	// OpenEntries yields the transaction records that are Pending or Committed, without their changes.
	OpenEntries(ctx context.Context) iter.Seq2[LogEntry, error]
	// Log yields the transaction records that are not pending and have a Stamp of since or later, in the order of timestamps.
	Log(ctx context.Context, since Stamp) iter.Seq2[LogEntry, error]
	// Deletions yields those records of Log that delete any of the documents, possibly some twice. Of their changes they have only
	// one such deletion, so that those of large transactions need not be sent.
	Deletions(ctx context.Context, of []dovetail.ID, since Stamp) iter.Seq2[LogEntry, error]
	// Purge deletes the records that are Resolved or Tombstone with earlier timestamps. Before it deletes the first, Log yields a
	// Purged record to readers that start at an earlier timestamp, and Oldest returns the given one.
	Purge(ctx context.Context, before Stamp) error

	// Latest returns the latest timestamp of the documents and of the records that are not pending, and that of the latest Purge;
	// zero if there is none.
	Latest(ctx context.Context) (latest, purged Stamp, err error)
	// Now reads the server's clock, and stores the timestamp in the record with ClockID. The timestamp is later than those of all
	// acknowledged writes, and not later than those of writes that start afterwards.
	Now(ctx context.Context) (Stamp, error)
	// Time reads the server's clock as a time, as Change.Before is compared with it.
	Time(ctx context.Context) (time.Time, error)

	VersionServer
}

// VersionServer stores earlier versions of documents: immutable records, except that they can be erased. VersionKey returns their
// keys.
type VersionServer interface {
	// Keep stores the versions that are not stored yet.
	Keep(ctx context.Context, versions []*Record) error
	// ForgetVersion deletes the versions of the document with the ETag, except those that mark deletions.
	ForgetVersion(ctx context.Context, id dovetail.ID, etag dovetail.ETag) error
	// EraseVersions removes Data, Content and Status from versions by their keys, except those that mark deletions.
	EraseVersions(ctx context.Context, keys []string) error
	// RewriteVersions replaces those of the versions that are still stored, and have not been erased.
	RewriteVersions(ctx context.Context, versions []*Record) error
	// Forget deletes versions by their keys.
	Forget(ctx context.Context, keys []string) error
	// Version returns the whole versions that exist, by their keys.
	Version(ctx context.Context, keys []string) (map[string]*Record, error)
	// LastVersion returns for each id the last whole version that committed at or before the timestamp, nil if there is none.
	LastVersion(ctx context.Context, ids []dovetail.ID, at Stamp) ([]*Record, error)
	// VersionsOf yields the whole versions of a document, the latest first.
	VersionsOf(ctx context.Context, id dovetail.ID) iter.Seq2[*Record, error]
	// ScanVersions yields the heads of versions that committed at or before the timestamp, in the order of ids and, of one id, the
	// latest first. The query selects by the kind and terms of the version. The last id is an inclusive limit; "" means none.
	ScanVersions(ctx context.Context, q store.Query, last dovetail.ID, at Stamp) iter.Seq2[*Record, error]
	// LinkedVersions yields the heads of versions with a strong or weak reference to any of the ids.
	LinkedVersions(ctx context.Context, to []dovetail.ID, weak bool) iter.Seq2[*Record, error]

	// ChangedBefore yields the heads of records or versions with an earlier Stamp, the latest first.
	ChangedBefore(ctx context.Context, before Stamp, versions bool, limit int) iter.Seq2[*Record, error]
	// ChangedVersions yields the heads of versions with a Stamp of since or later, in the order of timestamps.
	ChangedVersions(ctx context.Context, since Stamp) iter.Seq2[*Record, error]
	// LogBefore yields transaction records that are not pending and have an earlier Stamp, the latest first.
	LogBefore(ctx context.Context, before Stamp, limit int) iter.Seq2[LogEntry, error]
	// Oldest returns the timestamp from which on the history is complete: that of the latest Purge, or of the moment from which on
	// versions were kept, whichever is later.
	Oldest(ctx context.Context) (Stamp, error)
}

// ErrDuplicate is the error of Insert for a record whose id is taken.
var ErrDuplicate = errors.New("a record with this id is there")

// Change is a compare-and-set on one record.
type Change struct {
	ID dovetail.ID

	// The condition: the record has an intent of the transaction IntentTxn. If that is empty, it has no intent, and a document with
	// this Version, or with any version. With Intent.Prev it must also be in the same state as Prev: with the same Txn and
	// Rewritten.
	IntentTxn  string
	Version    dovetail.ETag
	AnyVersion bool
	// Before, if not zero, is another condition: the server's clock shows an earlier time.
	Before time.Time
	// OnlyIntent means that IntentTxn has set no other intent and never will, so that one condition may cover the intents of
	// several such transactions.
	OnlyIntent bool

	// The effect: the record is removed, or these fields are set. Intent replaces the intent, nil removes it. Doc replaces the
	// document, nil keeps it.
	Remove bool
	Intent *Intent
	Doc    *dovetail.Document

	// Links change what the indexes over references find, depending on Link.
	Link  Link
	Links []dovetail.Reference

	// Undone are the terms of a next document that was rolled back: the record need not be found by them any more.
	Undone []string

	// Txn, if not empty, becomes Record.Txn, and Stamping determines the timestamps. With Doc, By becomes Record.By, unless the
	// timestamps are kept.
	Txn      string
	Stamping Stamping
	Since    Stamp
	By       store.Provenance

	// Rewritten, if not empty, becomes Record.Rewritten, and the document keeps its stored terms, since they may have been set
	// after the writer read it. If Stamp changes, Moved becomes Record.Moved.
	Rewritten string
	Moved     bool
}

// Link is what a change does to the links of a record.
type Link uint8

// The changes of links.
const (
	KeepLinks Link = iota
	AddLinks
	SetLinks
)

// Stamping is what a change does to the timestamps of a record.
type Stamping uint8

// The changes of timestamps.
const (
	KeepStamp    Stamping = iota
	StampCreated          // Stamp and Created become the current timestamp, and Origin becomes Txn
	StampNow              // Stamp becomes the current timestamp
	StampSince            // Since becomes that of the change, and Stamp is removed
	StampOrigin           // like StampSince, and Origin becomes Txn
)

// State is the status of a transaction.
type State string

// The states. A transaction goes from Pending to Committed to Resolved. Deleting a pending transaction record aborts the
// transaction.
const (
	Pending   State = "pending"   // may be committed or aborted
	Committed State = "committed" // committed; may have intents
	Resolved  State = "settled"   // committed; has no intents
	Tombstone State = "buried"    // a deletion of one document, as logged by former versions of Dovetail
	Purged    State = "purged"    // not a transaction: records with earlier timestamps may have been deleted
)

// LogEntry is a transaction record in the log. If there is none for an intent, the transaction was aborted, or the record has been
// purged since the intent was read: that of a committed transaction stays until it is Resolved, which is when its intents are gone.
type LogEntry struct {
	Txn        string
	State      State
	Stamp      Stamp // when it became Pending or, later, Committed
	Heartbeats int   // increases while the owner of a pending transaction is alive
	// Fence, of a pending transaction record, must be known to the owner to commit it; see Engine.settle. It is empty at first.
	Fence   string
	Changes []store.Change
	By      store.Provenance
}

// EntryUpdate is a change of a transaction record.
type EntryUpdate struct {
	State      State
	Heartbeats int
}
