package protocol

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// ClockID is the id of a record of the server's own. Only Find returns it, beside others, so that a reader learns with the same command
// whether a snapshot was taken.
const ClockID dovetail.ID = "_clock"

// Server is all that the protocol asks of a database: compare-and-set on single documents, and
// finding documents. Nothing that it does to several documents is atomic.
//
// What is assumed: a change of one document is atomic and conditional on that document; an
// acknowledged write is durable; a read that starts after a write was acknowledged sees it. The
// stamp of a change is taken from the server's clock while the change is made.
//
// Errors are *dovetail.Error. A read that fails has read nothing. A write that fails with CodeUnknown
// may have been done, in part or whole, may be done later, or never; with any other code it was not
// done and never will be. Whatever a write changes, its condition bars it from being done twice.
//
// Ids given are unique. Documents are not kept by the server, nor changed by it afterwards.
type Server interface {
	// Insert stores new records, each by itself. The result has an error for each record, nil for
	// success, and ErrDuplicate where a record with the id is there. One with an implicit intent gets its Txn, Origin, and as Stamp and
	// Created the stamp of now.
	Insert(ctx context.Context, records []*Record) []error
	// Apply makes changes, each by itself, and returns how many found their condition true. It does
	// not say which.
	Apply(ctx context.Context, changes []Change) (int, error)
	// SetIntent makes one change that sets an intent, and returns the whole record as it was before,
	// or nil if the condition was not true.
	SetIntent(ctx context.Context, change Change) (*Record, error)
	// Replace makes one change that sets a document together with an intent that has Prev, and returns its stamp, or false if
	// the condition was not true.
	Replace(ctx context.Context, change Change) (at Stamp, done bool, err error)

	// Find returns those of the records that are there. Without whole it may leave out what Record
	// says heads lack. The record with ClockID has as its Stamp the last one that Now returned, or one that a call of Now is about to
	// return; before any call it is not there.
	Find(ctx context.Context, ids []dovetail.ID, whole bool) (map[dovetail.ID]*Record, error)
	// Children yields the heads of all records below any of the ids.
	Children(ctx context.Context, of []dovetail.ID) iter.Seq2[*Record, error]
	// Referrers yields the heads of all records whose strong links have any of the ids.
	Referrers(ctx context.Context, of []dovetail.ID) iter.Seq2[*Record, error]
	// Holders yields the heads of all records below the id, and of all whose strong links have it, some of them twice.
	Holders(ctx context.Context, of dovetail.ID) iter.Seq2[*Record, error]
	// Linked yields the heads of records whose strong links, or weak ones, have any of the ids, in the order
	// of ids, at most limit (0: all) of those after the given one.
	Linked(ctx context.Context, to []dovetail.ID, weak bool, after dovetail.ID, limit int) iter.Seq2[*Record, error]
	// Scan yields the whole records that the query selects, in the order of ids. Of terms those count of the document and of the
	// intent's next one; it may yield others, too.
	Scan(ctx context.Context, q store.Query) iter.Seq2[*Record, error]
	// AddTerms adds the terms of the documents to those of the records that hold them at their versions, whatever their intents.
	AddTerms(ctx context.Context, documents []*dovetail.Document) error
	// WithIntent yields the heads of records with an intent: of the transaction, or for "" of any.
	WithIntent(ctx context.Context, txn string) iter.Seq2[*Record, error]
	// WithOtherIntent yields the heads of records with an intent of any other transaction than these.
	WithOtherIntent(ctx context.Context, than []string) iter.Seq2[*Record, error]
	// Changed yields the heads of records stamped since, that moment included, in the order of stamps.
	Changed(ctx context.Context, since Stamp) iter.Seq2[*Record, error]

	// WriteEntries stores new entries in the log, with the stamp of now. Where there is one of the transaction, it does nothing.
	WriteEntries(ctx context.Context, entries []LogEntry) error
	// UpdateEntry changes an entry that is in the state `from` as `to` says, and reports whether it was.
	UpdateEntry(ctx context.Context, txn string, from State, to EntryUpdate) (bool, error)
	// ResolveEntries makes those of the entries Resolved that are Committed.
	ResolveEntries(ctx context.Context, txns []string) error
	// FenceEntries gives those of the entries another fence that are Pending.
	FenceEntries(ctx context.Context, txns []string, fence string) error
	// CommitEntry makes the entry of a transaction Committed that is Pending and has the fence of the given one, with the changes
	// and the provenance of that and the stamp of now, and returns the stamp. Otherwise it is not done, nor from the time before
	// on, where that is not zero.
	CommitEntry(ctx context.Context, entry LogEntry, before time.Time) (at Stamp, done bool, err error)
	// DeleteEntry deletes the entry if it is in the state, and reports whether it was.
	DeleteEntry(ctx context.Context, txn string, in State) (bool, error)
	// Entries returns those of the entries that are there, without their changes.
	Entries(ctx context.Context, txns []string) (map[string]LogEntry, error)
	// OpenEntries yields the entries that are Pending or Committed, without their changes.
	OpenEntries(ctx context.Context) iter.Seq2[LogEntry, error]
	// Log yields the entries that are not pending and stamped since, that moment included, in the
	// order of stamps.
	Log(ctx context.Context, since Stamp) iter.Seq2[LogEntry, error]
	// Deletions yields the entries that Log yields of which the changes delete one of the documents. Of the changes they have
	// one such deletion.
	Deletions(ctx context.Context, of []dovetail.ID, since Stamp) iter.Seq2[LogEntry, error]
	// Purge deletes the entries that are Resolved or Tombstone and stamped before. From before the first
	// of them is deleted, Log yields a Purged entry to readers that start at an earlier stamp, and Oldest returns it.
	Purge(ctx context.Context, before Stamp) error

	// Latest returns the latest stamp of a document or of an entry that is not pending, and that of
	// the latest Purge; zero where there is none.
	Latest(ctx context.Context) (latest, purged Stamp, err error)
	// Now reads the server's clock. It returns a stamp that is later than those of all writes that were acknowledged, and
	// not later than those of writes that start afterwards.
	Now(ctx context.Context) (Stamp, error)
	// Time reads the server's clock as Change.Before is compared with it.
	Time(ctx context.Context) (time.Time, error)

	VersionServer
}

// VersionServer keeps earlier versions of documents: records that are stored once and are not changed, except that they
// are erased. VersionKey names each.
type VersionServer interface {
	// Keep stores those of the versions that are not there.
	Keep(ctx context.Context, versions []*Record) error
	// Erase takes the contents from all versions of the document, and deletes those that have the ETag.
	Erase(ctx context.Context, id dovetail.ID, current dovetail.ETag) error
	// EraseVersions takes the contents from versions by their keys. Deletions have none.
	EraseVersions(ctx context.Context, keys []string) error
	// Forget deletes versions by their keys.
	Forget(ctx context.Context, keys []string) error
	// Version returns those of the whole versions that are there, by their keys.
	Version(ctx context.Context, keys []string) (map[string]*Record, error)
	// LastVersion returns for each id the whole version that committed last, at the stamp or before it,
	// nil where there is none.
	LastVersion(ctx context.Context, ids []dovetail.ID, at Stamp) ([]*Record, error)
	// VersionsOf yields the whole versions of a document, the latest first.
	VersionsOf(ctx context.Context, id dovetail.ID) iter.Seq2[*Record, error]
	// ScanVersions yields the heads of versions that committed at the stamp or before it, in the order of ids and, of one
	// id, the latest first: of the ids that the query selects, up to the given one; "" means all. Kind is that of
	// the version, and so are terms.
	ScanVersions(ctx context.Context, q store.Query, last dovetail.ID, at Stamp) iter.Seq2[*Record, error]
	// LinkedVersions yields the heads of versions that hold, or weakly hold, a reference to any of the ids.
	LinkedVersions(ctx context.Context, to []dovetail.ID, weak bool) iter.Seq2[*Record, error]

	// ChangedBefore yields the heads of records, or of versions, whose Stamp is earlier, the latest first.
	ChangedBefore(ctx context.Context, before Stamp, versions bool, limit int) iter.Seq2[*Record, error]
	// LogBefore yields entries that are not pending and stamped earlier, the latest first.
	LogBefore(ctx context.Context, before Stamp, limit int) iter.Seq2[LogEntry, error]
	// Oldest returns the stamp from which on the history is whole: that of the latest Purge, or of the moment from which
	// on versions were kept.
	Oldest(ctx context.Context) (Stamp, error)
}

// ErrDuplicate is what Insert says of a record whose id is taken.
var ErrDuplicate = errors.New("a record with this id is there")

// Change is a compare-and-set on one record.
type Change struct {
	ID dovetail.ID

	// The condition: the record has an intent of the transaction IntentTxn, or, where that is empty, has
	// no intent and holds a document of this Version, or of any. With Intent.Prev it must also be the state that Prev is: Txn and Rewritten
	// are the same.
	IntentTxn  string
	Version    dovetail.ETag
	AnyVersion bool
	// Before, where not zero, is a condition too: the server's clock shows an earlier time.
	Before time.Time

	// What happens: the record goes, or it gets these members. Intent replaces the intent, nil takes it
	// away. Doc replaces the document, nil keeps it.
	Remove bool
	Intent *Intent
	Doc    *dovetail.Document

	// Links are what the indexes over references shall find, as Link says.
	Link  Link
	Links []dovetail.Reference

	// Undone are the terms of a next document that will never be: the record need not be found by them any more.
	Undone []string

	// Txn, where not empty, becomes Record.Txn, and Stamping says what becomes of the stamps. With Doc By becomes Record.By,
	// unless the stamps are kept.
	Txn      string
	Stamping Stamping
	Since    Stamp
	By       store.Provenance

	// Rewritten, where not empty, becomes Record.Rewritten, and the document keeps the terms that it has, since it may have been
	// given them after the writer read it. With a change of Stamp, Moved becomes Record.Moved.
	Rewritten string
	Moved     bool
}

// Link says what a change does to the links of a record.
type Link uint8

// The ways.
const (
	KeepLinks Link = iota
	AddLinks
	SetLinks
)

// Stamping says what a change does to the stamps of a record.
type Stamping uint8

// The ways.
const (
	KeepStamp    Stamping = iota
	StampCreated          // Stamp and Created become now, and Origin what Txn becomes
	StampNow              // Stamp becomes now
	StampSince            // Since becomes that of the change, and Stamp is taken away
	StampOrigin           // as StampSince, and Origin becomes what Txn becomes
)

// State is how far the transaction of an entry has come.
type State string

// The states. An entry of several documents goes from Pending to Committed to Resolved; Pending ones
// may also be deleted, which aborts the transaction.
const (
	Pending   State = "pending"   // may be committed or aborted
	Committed State = "committed" // has happened; intents may be left
	Resolved  State = "settled"   // has happened; no intents are left
	Tombstone State = "buried"    // a deletion, as former versions of Dovetail logged those of one document
	Purged    State = "purged"    // not a transaction: entries before this stamp are gone
)

// LogEntry is one transaction in the log. One that is not there has not happened, unless it is so long
// ago that its intents are gone.
type LogEntry struct {
	Txn        string
	State      State
	Stamp      Stamp // of the state Pending or Committed, whichever came last
	Heartbeats int   // grows while the owner of a pending entry is at work
	// Fence, of a pending entry, must be known to who commits it.
	Fence   string
	Changes []store.Change
	By      store.Provenance
}

// EntryUpdate is a change of a log entry.
type EntryUpdate struct {
	State      State
	Heartbeats int
}
