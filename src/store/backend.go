package store

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Backend is the contract between the store and a database. Package storetest tests every statement made here; every
// backend passes it.
//
// Errors: every error is a *dovetail.Error. In addition to the codes listed for each method, all methods may
// return CodeUnavailable (the database cannot be reached or written; nothing was changed),
// CodeUnknown (only Commit: the outcome is unknown), CodeCorrupt, CodeTooLarge, and the codes of
// an ended context.
//
// Memory: HoldMemory counts the documents that Get and GetAll return, and each document of List while the sequence yields it.
//
// Consistency: linearizable per document, atomic per transaction. A read that starts after a
// Commit returned sees what it wrote.
//
// Ownership: a backend does not keep arguments after the call, and returned documents belong to
// the caller.
//
// Concurrency: all methods are safe for concurrent use, except
// Close, which is called once, after all other calls have returned or their contexts have ended.
type Backend interface {
	Reader
	Historian

	// Commit executes all writes of the transaction, durably, if all of its conditions hold, and
	// otherwise changes nothing. It reports all failed conditions, in the order of Require: as one *dovetail.Error, or
	// as one that contains them (see Unmet). If the transaction writes several documents, the reported conditions of type Absent,
	// AtVersion and Exists are exactly those that failed at one moment; otherwise each condition was evaluated separately. The Key of
	// each error is Condition.For (or ID), and the code depends on the test:
	//
	//	Absent        CodeExists, with Current: the document that is there
	//	AtVersion     CodeNotFound if there is none, else CodeStale, with Current
	//	Exists        CodeMissing, with Missing: the id
	//	Childless     CodeInUse, with BlockedBy: the descendants
	//	Unreferenced  CodeInUse, with BlockedBy: the referrers
	Commit(ctx context.Context, txn Txn) error

	// Head returns the current cursor: Changes from this cursor yields everything that is committed later.
	Head(ctx context.Context) (Cursor, error)

	// Changes yields the transactions committed after the cursor and then waits for more, until the
	// context ends, which ends the sequence without an error. Delivery is at least once, with the
	// changes of one transaction together. A backend may omit a change that is superseded by a later change of the
	// same document, including the deletion of a document that is created again: it is for readers that need to know what has
	// changed. Readers for whom each commit counts use TransactionsAfter.
	//
	// The order for each document is guaranteed: a reader never receives an earlier revision after a later one, a change after the
	// deletion of the same uid, or an earlier uid after a later one. This includes a reader that resumes from its last cursor, also
	// in another process; it may receive the last change of a document again.
	//
	// The sequence ends with CodeExpired if the history after the cursor is no longer kept, and with CodeInvalid if the cursor is not
	// one of this database. A slow reader does not delay other
	// readers or writers. All readers share the changes and must not modify them.
	Changes(ctx context.Context, after Cursor) iter.Seq2[Transaction, error]

	// ChangesUntilNow is Changes without waiting: it ends after everything that was committed before the call, or, also without an
	// error, when the context ends.
	ChangesUntilNow(ctx context.Context, after Cursor) iter.Seq2[Transaction, error]

	// Check compares the backend's own indexes with the documents and yields a finding for each
	// difference. With repair it repairs the indexes (never the documents) and sets Repaired in the finding.
	Check(ctx context.Context, repair bool) iter.Seq2[Finding, error]

	// Checkpoint writes a copy of the database as of one position, while it stays in use. It calls begin with the metadata of the
	// checkpoint and writes to the writer that begin returns: a file that the backend can open. The output is only complete if the
	// error is nil. Errors: CodeConflict without the capability Checkpoints; errors of begin and of the writer are returned unchanged.
	Checkpoint(ctx context.Context, begin func(Checkpoint) (io.Writer, error)) error

	// Rewrite replaces what is stored of earlier versions of documents, also of deleted ones, as a rotation of keys does: it calls change
	// for each that has not been erased, which returns what is stored instead, nil to keep it. The result has the same ID, UID, Revision,
	// Kind and Terms. It is not a write: revisions and Changes are not affected, and a commit that puts a document at the version that it has
	// is none either: the earlier versions stay. Versions that writes replace during the call may be left out. The error of change ends
	// it and is returned unchanged; what was replaced by then stays so.
	Rewrite(ctx context.Context, change func(*dovetail.Document) (*dovetail.Document, error)) error

	// Wipe overwrites what the files of the database still hold of deleted and replaced data, as far as no reader needs it. It does
	// nothing where a server stores the data.
	Wipe(ctx context.Context) error

	// SetTerms updates the Terms of stored documents; it skips those that are no longer at their versions. It is not a write:
	// revisions, the history and Changes are not affected. After an error, some documents may have been updated, and old terms may
	// remain beside the new ones. It does nothing without the capability Terms.
	SetTerms(ctx context.Context, documents []*dovetail.Document) error

	// Capabilities returns what this backend offers beyond the contract.
	Capabilities() Capabilities

	// Time returns the time of the database's clock, with which Txn.Before is compared.
	Time(ctx context.Context) (time.Time, error)

	// Ping returns nil if the backend can serve reads and writes. If it serves reads but refuses writes because the disk takes
	// none, dovetail.IsOnlyRead reports so of the error, as of those of the writes.
	Ping(ctx context.Context) error

	// Close waits for commits in progress and releases all resources.
	Close() error
}

// Remover is an optional interface of a Backend that can read and lock a document in one step, to delete it.
type Remover interface {
	// Remove deletes one document. It calls plan with the document, which cannot change until Remove
	// returns: plan returns a transaction that only deletes the document at that version, or false. If plan returns false or another
	// transaction, or if anything prevents the deletion, removed is false and nothing is changed: call Commit, which reports the
	// reason. The only error is CodeUnknown.
	Remove(ctx context.Context, id dovetail.ID, by Provenance, plan func(*dovetail.Document) (Txn, bool)) (removed bool, err error)
}

// Capabilities describe the optional features of a backend.
type Capabilities struct {
	Name         string // "bolt", "mongo"
	SnapshotList bool   // one List call reads a snapshot
	EveryChange  bool   // Changes omits nothing
	MaxDocument  int    // maximum bytes of one encoded document; 0 means no limit of the backend's own
	Versions     bool   // earlier versions of documents are kept: see Historian
	Checkpoints  bool   // Checkpoint is supported
	Terms        bool   // documents can be found by their terms
	EveryTerm    bool   // every process gives the documents that it writes their terms; otherwise no index is complete. It may become true
	Exclusive    bool   // only one process at a time can open the database
}

// Checkpoint is the metadata of a copy of a database.
type Checkpoint struct {
	Position Cursor
	Time     time.Time // of the last commit in it; zero if unknown
	Size     int64     // bytes
	SHA256   string    // of the copy; only set when it was read
}

// Query selects documents. All conditions must hold; the zero Query selects everything.
type Query struct {
	Under dovetail.ID // only descendants of this id, at any depth, without the document itself
	Kind  string      // only documents of this kind
	After dovetail.ID // only ids that are greater in byte order
	Limit int         // maximum number of documents; 0 means no limit
	// Terms are groups of Document.Terms: only documents that have a term of each group are requested. A backend may yield others,
	// which count for Limit, and does so without the capability Terms. If a document has a term, it also has every listed term that
	// is a prefix of that term.
	Terms [][]string
	// Below, if not empty, has ids: only documents below one of them are requested. All of the ids are below Under, and none is below
	// another. A backend may yield other documents, which count for Limit.
	Below []dovetail.ID
	// Keep reports whether a document is requested; nil means all. A backend may use it to skip documents before it reads them, and may
	// ignore it if there is no Limit.
	Keep func(id dovetail.ID) bool
}

// Txn is a compare-and-set over several documents: its writes are executed atomically if its conditions hold.
// Each document is put or deleted at most once.
type Txn struct {
	Require []Condition
	// Puts are complete documents, with the uid, revision and references to be stored. A put
	// creates or replaces; use conditions in Require to allow only one of them.
	Puts    []*dovetail.Document
	Deletes []dovetail.ID // ids that do not exist are ignored; use AtVersion in Require to prevent that

	Provenance Provenance

	// Before, if not nil, returns the deadline of the transaction by the clock of the database. It
	// is called immediately before the commit. The database compares it with its clock, so that a process that was paused, or a request that
	// was delayed, cannot commit later: the error is CodeConflict with ReasonTooLate, and nothing was changed. Backends with the
	// capability Exclusive may ignore it.
	Before func() time.Time
}

// ReasonTooLate is the reason of CodeConflict if a transaction was not committed before Txn.Before.
const ReasonTooLate = "TOO_LATE"

// TooLate returns the error for a transaction that was not committed before Txn.Before.
func TooLate() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonTooLate, Message: "the transaction reached the database too late", Remedy: "try again"}
}

// Test is the kind of a condition.
type Test uint8

// The tests. Absent and AtVersion are evaluated on the state before the transaction's writes; Exists,
// Childless and Unreferenced on the state after them, so that one transaction may create a parent and
// its child, delete both, or change a reference and delete its old target.
const (
	Absent       Test = iota // no document has the id
	AtVersion                // the document exists with the uid and revision of Version
	Exists                   // a document has the id
	Childless                // no document is below the id
	Unreferenced             // no other document has a reference to it that is not weak
)

// Condition is one condition of a transaction.
type Condition struct {
	Test    Test
	ID      dovetail.ID
	Version dovetail.ETag // only for AtVersion
	// For is the document that needs the condition, for the Key of the error; "" means ID.
	For dovetail.ID
}

// Cursor is a position in the sequence of changes.
type Cursor = dovetail.Cursor

// Op says what happened to a document.
type Op string

// The operations of a Change.
const (
	Created Op = "created"
	Updated Op = "updated"
	Deleted Op = "deleted"
)

// Change is the change of one document in a commit. It does not contain the data: a reader of the
// document may find a later version.
type Change struct {
	Op       Op          `json:"op"`
	ID       dovetail.ID `json:"id"`
	Kind     string      `json:"kind"`
	UID      string      `json:"uid"`
	Revision uint64      `json:"revision"` // after the change; of a deleted document the last one
}

// Transaction is a committed transaction. A transaction to be committed is a Txn.
type Transaction struct {
	Cursor  Cursor    `json:"cursor"` // resumes after this transaction
	Time    time.Time `json:"time"`   // of the commit, by the backend's clock
	Changes []Change  `json:"changes"`

	Provenance // empty if the backend does not keep it
}

// Finding is one defect found by a check.
type Finding struct {
	Problem  string      `json:"problem"`         // a stable identifier, such as "index-missing" or "dangling-parent"
	ID       dovetail.ID `json:"id,omitempty"`    // the document
	Other    dovetail.ID `json:"other,omitempty"` // the document that it references, if any
	Message  string      `json:"message"`
	Repaired bool        `json:"repaired,omitempty"`
	// Allowed says that no write was at fault: the parent, or a document that is referred to, may be changed so that a rule of others
	// no longer holds. The document is refused when it is written next.
	Allowed bool `json:"allowed,omitempty"`
	Warning bool `json:"warning,omitempty"` // nothing is refused because of it
}

// Unmet returns the error of a Commit for its failed conditions, nil if there is none. It contains all of them, without a limit, since Apply
// decides by all of them how to continue.
func Unmet(failed []*dovetail.Error) error {
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return failed[0]
	}
	return &dovetail.Error{Code: failed[0].Code, Message: "conditions of the transaction do not hold", Errors: failed}
}
