package store

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Backend is what the store needs of a database. Package storetest tests every statement made here; every
// backend passes it.
//
// Errors: every method returns *dovetail.Error. Beside the codes named at each method, all may
// return CodeUnavailable (the database cannot be reached or written; nothing was changed),
// CodeUnknown (only Commit: the outcome is not known), CodeCorrupt, CodeTooLarge, and the codes of
// an ended context.
//
// Memory: what Get and GetAll return is counted by HoldMemory, and so is each document of List while the sequence yields it.
//
// Consistency: linearizable per document, atomic per transaction. A read that starts after a
// Commit returned sees what it wrote.
//
// Ownership: documents that go in are not kept after the call, documents that come out belong to
// the caller.
//
// Concurrency: all methods may be called at the same time by any number of goroutines, except
// Close, which is called once, after the others have returned or their contexts have ended.
type Backend interface {
	Reader
	Historian

	// Commit does all of the transaction's writes, durably, if all of its conditions hold, and
	// otherwise changes nothing. All conditions that failed are reported: one *dovetail.Error, or
	// one that carries them as parts (Unmet), in the order of Require. Of a transaction that writes several documents, those
	// and no others of Absent, AtVersion and Exists failed at one moment; else each was looked at by itself. Of each, Key is
	// Condition.For (or ID), and the code depends on the test:
	//
	//	Absent        CodeExists, with Current: the document that is there
	//	AtVersion     CodeNotFound where there is none, else CodeStale, with Current
	//	Exists        CodeMissing, with Missing: the id
	//	Childless     CodeInUse, with BlockedBy: the descendants
	//	Unreferenced  CodeInUse, with BlockedBy: the referrers
	Commit(ctx context.Context, txn Txn) error

	// Head returns the cursor of now: Changes from it yields what is committed from here on.
	Head(ctx context.Context) (Cursor, error)

	// Changes yields what was committed after the cursor, and then waits for more, until the
	// context ends; that ends the sequence without an error. Everything is yielded at least once, and the
	// changes of one transaction together, except that a backend may leave out what a later change of the
	// same document overtakes, the deletion of one that is created again included.
	//
	// A reader never gets an earlier revision of a document after a later one, a change after the deletion
	// of the same uid, or an earlier uid after a later one, also where it goes on from the cursor of what it
	// got last, at this process or another. It may then get the last changes of documents once more.
	//
	// A cursor older than the history kept gives CodeExpired, one that was never given out
	// CodeInvalid; both end the sequence. A slow reader delays no other
	// reader and no writer. The changes are shared by all readers, who must not change them.
	Changes(ctx context.Context, after Cursor) iter.Seq2[Transaction, error]

	// ChangesUntilNow yields what Changes yields, and ends once it has yielded all that was committed before the call, or
	// at the end of the context, which is no error either.
	ChangesUntilNow(ctx context.Context, after Cursor) iter.Seq2[Transaction, error]

	// Check compares the backend's own indexes with the documents and yields a finding for each
	// difference; with repair it repairs the indexes (never the documents) and says so in the finding.
	Check(ctx context.Context, repair bool) iter.Seq2[Finding, error]

	// Checkpoint writes a copy of the database as of one position, while others read and write, to what begin returns, which receives what the
	// checkpoint is of: a file that the backend opens. CodeConflict where the capability is missing; errors of begin and of the
	// writer are returned as they are. What was written is no checkpoint unless the error is nil.
	Checkpoint(ctx context.Context, begin func(Checkpoint) (io.Writer, error)) error

	// SetTerms gives stored documents other Terms, of those that are still at their versions. It is no write: revisions, the
	// history and Changes do not see it. Of several some may have theirs when there is an error, and earlier terms may stay beside
	// the new ones. Nothing happens where the capability is missing.
	SetTerms(ctx context.Context, documents []*dovetail.Document) error

	// Capabilities says what this backend offers beyond the contract.
	Capabilities() Capabilities

	// Time returns the time by the clock of the database, which Txn.Before is compared with.
	Time(ctx context.Context) (time.Time, error)

	// Ping returns nil when the backend can serve reads and writes. Where it serves reads, and refuses writes for lack of
	// space, the error has the reason dovetail.ReasonDiskFull, as those of the writes have.
	Ping(ctx context.Context) error

	// Close waits for commits in flight and frees what the backend holds.
	Close() error
}

// Remover is a Backend that reads and locks a document in one step, to delete it.
type Remover interface {
	// Remove deletes a document alone, for who is named. It calls plan with the document, which others cannot change until Remove
	// returns: plan returns the transaction that deletes it at that version, and does nothing else, or false. removed is false, and nothing is changed, where plan
	// says so, where the transaction is another one, or where anything stands in the way: then Commit says what. CodeUnknown is the only error.
	Remove(ctx context.Context, id dovetail.ID, by Provenance, plan func(*dovetail.Document) (Txn, bool)) (removed bool, err error)
}

// Capabilities are facts about a backend, as data.
type Capabilities struct {
	Name         string // "bolt", "mongo"
	SnapshotList bool   // one List call is read at one instant
	EveryChange  bool   // Changes leaves nothing out
	MaxDocument  int    // bytes of one encoded document; 0 means no limit of the backend's own
	Versions     bool   // earlier versions of documents are kept: Historian
	Checkpoints  bool   // Checkpoint copies the database
	Terms        bool   // documents are found by their terms
	Exclusive    bool   // only one process at a time has the database open
}

// Checkpoint is what a copy of a database is of.
type Checkpoint struct {
	Position Cursor
	Time     time.Time // of the last commit that is in it; zero where that is not kept
	Size     int64     // bytes
	SHA256   string    // of the copy; only known once it was read
}

// Query selects documents. All conditions must hold; the zero Query selects everything.
type Query struct {
	Under dovetail.ID // descendants of this id, at any depth, without itself
	Kind  string      // of this kind
	After dovetail.ID // whose id comes later in byte order
	Limit int         // at most so many; 0 means no limit
	// Terms are groups of Document.Terms: only documents that have a term of each group are wanted. A backend may yield others too,
	// all of which count for Limit, and does where its Capabilities do not say Terms. Where terms begin with another term, the documents
	// that have one of them have this one, too.
	Terms [][]string
	// Below, where there are any, are ids below one of which each document that is wanted lies, all of them below Under and none below
	// another. A backend may yield others too, all of which count for Limit.
	Below []dovetail.ID
	// Keep says whether a document is wanted; nil wants all. A backend may leave out what is not, before it is read, or ignore
	// Keep where there is no Limit.
	Keep func(id dovetail.ID) bool
}

// Txn is a compare-and-write: conditions and writes that happen all or not at all.
// A document is put or deleted at most once.
type Txn struct {
	Require []Condition
	// Puts are whole documents, with uid, revision and references as they shall be stored.
	// Their ids need not be absent or present: say so in Require.
	Puts    []*dovetail.Document
	Deletes []dovetail.ID // ids that do not exist are ignored: require them by Revision

	Provenance Provenance

	// Before, where not nil, returns the moment by the clock of the database from which on the transaction must not commit. It
	// is called when that is about to be done. The database compares, so that a process that was paused, or a request that
	// was delayed, does not commit later: the error is CodeConflict with ReasonTooLate, and nothing was changed. Exclusive
	// backends need not look at it.
	Before func() time.Time
}

// ReasonTooLate is the reason of CodeConflict for a transaction that was not committed before Txn.Before.
const ReasonTooLate = "TOO_LATE"

// TooLate returns the error of a transaction that was not committed before Txn.Before.
func TooLate() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonTooLate, Message: "the transaction reached the database too late", Remedy: "try again"}
}

// Test is the kind of a condition.
type Test uint8

// The tests. Absent and AtVersion speak of the state before the transaction's writes; Exists,
// Childless and Unreferenced of the state after them, so that one transaction may create a parent and
// its child, delete both, or move a reference and delete its old target.
const (
	Absent       Test = iota // no document has the id
	AtVersion                // the document exists with the uid and revision of Version
	Exists                   // a document has the id
	Childless                // no document's id lies below it
	Unreferenced             // no other document holds a reference to it that is not weak
)

// Condition is one requirement of a transaction.
type Condition struct {
	Test    Test
	ID      dovetail.ID
	Version dovetail.ETag // only for AtVersion
	// For names the document on whose behalf the condition is there, for the error's Key; "" means ID.
	For dovetail.ID
}

// Cursor is a position in the sequence of changes. Its text is the backend's own; it stays valid over
// restarts.
type Cursor string

// Op says what happened to a document.
type Op string

// The operations of a Change.
const (
	Created Op = "created"
	Updated Op = "updated"
	Deleted Op = "deleted"
)

// Change is one document's part of a commit. It says what happened, not what was written: read the
// document for that, which may have moved on.
type Change struct {
	Op       Op          `json:"op"`
	ID       dovetail.ID `json:"id"`
	Kind     string      `json:"kind"`
	UID      string      `json:"uid"`
	Revision uint64      `json:"revision"` // of a deleted document the last one
}

// Transaction is one commit: its changes belong together. What is to be committed is a Txn.
type Transaction struct {
	Cursor  Cursor    `json:"cursor"` // resumes after this set
	Time    time.Time `json:"time"`   // of the commit, by the backend's clock
	Changes []Change  `json:"changes"`

	Provenance // empty where the backend does not keep it
}

// Finding is one defect that a check found.
type Finding struct {
	Problem  string      `json:"problem"`         // a stable word: "index-missing", "dangling-parent"
	ID       dovetail.ID `json:"id,omitempty"`    // the document
	Other    dovetail.ID `json:"other,omitempty"` // the one it points to, where there is one
	Message  string      `json:"message"`
	Repaired bool        `json:"repaired,omitempty"`
}

// Unmet is the error of a Commit: it carries every condition that failed, however many, since Apply decides by all of
// them. What users are shown of it is for Apply.
func Unmet(failed []*dovetail.Error) error {
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return failed[0]
	}
	return &dovetail.Error{Code: failed[0].Code, Message: "conditions of the transaction do not hold", Errors: failed}
}
