package store

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Verb says what an operation does to its document.
type Verb string

// The verbs.
const (
	Create Verb = "create" // the document must not exist
	Put    Verb = "put"    // creates or replaces
	Patch  Verb = "patch"  // JSON merge patch (RFC 7396) of the data; the document must exist
	Delete Verb = "delete" // the document must exist
	// ApplyFields is server-side apply as in Kubernetes, for Operation.FieldManager: it creates the document, or sets the fields
	// of Data, removes fields that the manager applied before and that Data no longer has, and keeps the fields of other managers.
	ApplyFields Verb = "apply"
	PutStatus   Verb = "status" // replaces the status, and the files where Content is given, nothing else; the document must exist
)

// Operation is the write of one document. Apply executes any number of operations in one transaction.
type Operation struct {
	Verb Verb
	ID   dovetail.ID

	// Data is the new data, the patch, or the new status. A member "status" of new data or of a
	// patch is ignored: only PutStatus writes it. Apply neither changes nor keeps Data.
	Data *value.Value
	// Content replaces the files. Nil keeps the stored files; an empty list removes them.
	Content []dovetail.File
	// Status is the status to store with the data, for a Create or Put by the service that owns the kind;
	// null removes it. A Put then also needs RightAct. Apply does not keep it.
	Status *value.Value
	// Inputs are the documents from which a new status was derived, with PutStatus or Status; see dovetail.Document.Inputs. They
	// replace the stored inputs, unless Content is nil and there are stored files: then they are added.
	Inputs []dovetail.ID

	// FieldManager is the field manager of the write. Fields that a Create, Put or Patch changes in a document with
	// field managers become fields of this manager; "" means DefaultFieldManager. ApplyFields requires it.
	FieldManager string
	// Force says, for ApplyFields, whether the manager takes over fields of other managers whose values differ. Otherwise they are
	// conflicts: CodeConflict with ReasonFieldManager, and an error for each field.
	Force Force
	// APIVersion is the version of the Kubernetes API that the manager used, for ApplyFields; "" otherwise.
	APIVersion string
	// FieldManagers replaces the field managers of the document, with a Create or Put: a list in the form of metadata.managedFields of
	// Kubernetes, which is stored in the member ManagedFieldsMember of the status; null removes them.
	FieldManagers *value.Value

	// Action is the path of an action of the kind to execute, with PutStatus: the store computes the new status, and Data is
	// the body of the request, which may be nil. If the state of the document does not allow the action, the error is CodeConflict
	// with ReasonState.
	Action string

	// IfMatch, if not empty, lists the acceptable versions of the document; any other version is CodeStale.
	IfMatch []dovetail.ETag
	// IfExists refuses a Put of a document that does not exist (If-Match: *), with CodeStale.
	IfExists bool

	// Cascade deletes the descendants and referrers of the document, too, and theirs, recursively.
	Cascade bool

	// Position is the position of the operation in the user's input, for errors.
	Position dovetail.Position

	// Faults are errors that were found when the operation was parsed, with their positions.
	// Apply refuses the operation, and reports them together with all other errors. The ID may
	// then be empty.
	Faults []*dovetail.Error
	// MoreFaults is how many more faults there are, in this operation and the following ones, that were
	// omitted because there are too many.
	MoreFaults int

	// exact says, of a Delete, that it takes no referrers along: what it deletes was decided on, and shown, before.
	exact bool
	// earlier says that the data is that of an earlier version, which stays what it was: defaults are not filled in.
	earlier bool

	// author, if not nil, is the author of the data, which are those of an earlier or a staged version, in place of who writes them.
	author *string

	// restore is set by Import: the document keeps its status, version and times.
	restore *dovetail.Document
	// renamed is set by Rename: the data are those of a stored document.
	renamed bool
	// warnings are set by Rename, and become those of the outcome.
	warnings []*dovetail.Error
	// work is set by ClaimWork and FinishWork: what becomes of an action that a worker carries out.
	work *workChange
}

// Effect is the effect of an operation, or with DryRun the effect that it would have.
type Effect = dovetail.Effect

// The effects.
const (
	WasCreated   = dovetail.WasCreated
	WasUpdated   = dovetail.WasUpdated
	WasUnchanged = dovetail.WasUnchanged // the write equals what is stored: no new revision
	WasDeleted   = dovetail.WasDeleted
)

// Outcome is the effect of one operation on one document.
type Outcome struct {
	Effect Effect `json:"effect"`
	// Document is the document after the operation, or the last version of a deleted document. With DryRun, uid, revision and
	// times are those from before the operation, or zero.
	Document *dovetail.Document `json:"document"`
	// Cause says why a cascade deleted the document; nil for the documents of the operations themselves.
	Cause *Cause `json:"because,omitempty"`
	// Warnings are problems that do not prevent the operation: missing targets of weak references, and documents that keep the former name
	// of what is renamed.
	Warnings []*dovetail.Error `json:"-"`
}

// Cause is the relation by which a cascading deletion reached a document.
type Cause struct {
	ID       dovetail.ID `json:"of"`       // the deleted document
	Relation string      `json:"relation"` // what the document is to it: "descendant" or "referrer"
}

// Result is the result of a transaction.
type Result struct {
	Outcomes []Outcome // one for each operation, in that order
	Cascaded []Outcome // of the documents deleted by cascades, in the order of ids
	// Unreadable says that cascades deleted documents that the principal may not read. They are not listed in Cascaded.
	Unreadable bool
	// References is how many references a Rename has rewritten.
	References int
	// Repeated says that the transaction was executed before, with the same Options.Key. Its documents are those of that time;
	// for several operations, they have no data.
	Repeated bool
	// Answer is what Options.Answer returned when a Repeated transaction was executed.
	Answer []byte
}

// AnsweredError is the error of a transaction with Options.Answer that was executed before, with the same key: nothing was changed.
type AnsweredError struct{ Result *Result }

// Error implements error.
func (e *AnsweredError) Error() string {
	return "the request with this idempotency key was answered before"
}

// Options are the options of a transaction. The zero value is ready to use.
type Options struct {
	// DryRun checks everything against the current state and writes nothing.
	DryRun bool
	// Managed allows changes of documents of managed kinds. It is for the service that owns them, and for
	// repairs.
	Managed bool
	// Key, if not empty, is the idempotency key: if a transaction with the same key of the same principal was committed
	// (see PurgeIdempotencyRecords for how long keys are kept), nothing is changed and its result is returned. If that one had
	// different operations, the error is CodeUnprocessable. A dry run ignores the key.
	Key string
	// Fence, if not nil, is an additional condition on an internal document: the lease that the
	// writer must still hold. If it does not hold, the error is CodeConflict with
	// ReasonFenced. A dry run ignores it.
	Fence *Condition
	// Together, if not nil, is committed in the same transaction: documents of the store's own, and conditions on them, which Overlay hands
	// to stage. If a condition does not hold, the error is CodeConflict. A dry run ignores it.
	Together *Txn
	// Unfiltered returns outcomes with everything that the principal may not read, for a part of Dovetail that needs them and
	// filters them with Store.Filter. Needs implies it.
	Unfiltered bool
	// Requested, if not nil, are the operations that the user requested, for a service that replaces them by
	// its own: first one operation for each, on the same document, then additional ones. The user needs
	// rights for the requested operations only. Key and the recorded outcomes belong to the requested operations.
	Requested []Operation
	// Needs, if not nil, are the rights that the principal needs for the request from which a service has made the operations.
	// The operations themselves then need no rights. If the principal lacks one of them, the error is CodeForbidden, before any
	// other check.
	Needs []Need
	// Request is the text of the request, if the operations are computed from it and from stored documents: Key then belongs to this
	// text instead of the operations, which may differ when the request is repeated.
	Request string
	// Answer, if not nil, returns what the request with Key is answered, given the result of its transaction, which is not committed yet. It is
	// stored in that transaction. A repetition is then an *AnsweredError, from Apply and from Replay.
	Answer func(*Result) ([]byte, error)
	// References is the number of references that the operations give another target, which a Rename reports.
	References int
	// Message is the reason of the transaction, up to MaxMessage bytes; Origin is its source if that is not a request, such as
	// "git:<commit>". Both are kept with the principal in the history.
	Message, Origin string
	// ChangeSet is the name of the change set that the transaction merges: its origin is "changeSet:" with the name.
	ChangeSet string
	// Approved are protected documents that may be changed because an approved change set changes them: that which is merged, or
	// one with exactly these changes that was merged elsewhere, such as in a branch of a Git repository; or because the operator
	// attaches a repository that has them.
	Approved []dovetail.ID
}

// MaxMessage is the maximum length of Options.Message in bytes.
const MaxMessage = 4 << 10

// checkMessage refuses a message that would not be kept as it is.
func (o *Options) checkMessage() error {
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }
	switch {
	case len(o.Message) > MaxMessage:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the message has %d bytes; it may have %d", len(o.Message), MaxMessage),
			Remedy: "shorten it"}
	case !utf8.ValidString(o.Message) || strings.ContainsFunc(o.Message, control):
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the message is not text in UTF-8 without control characters", Remedy: "write it as text"}
	}
	return nil
}

// Need is a right on a document, which need not exist, or on all documents of a kind (dovetail.AllOf).
type Need struct {
	Right dovetail.Right
	ID    dovetail.ID
}

// ReasonFenced is the reason of the error when Options.Fence does not hold.
const ReasonFenced = "LEASE_LOST"
