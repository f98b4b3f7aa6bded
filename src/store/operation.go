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
	// ApplyFields applies what Operation.FieldManager says of the data, as server-side apply of Kubernetes does: creates the document, or gives
	// it the fields that Data has, removes those that the manager applied before and does not say any more, and leaves what others set.
	ApplyFields Verb = "apply"
	PutStatus   Verb = "status" // replaces the status, and the files where Content is given, nothing else; the document must exist
)

// Operation is one write. Apply does any number of them in one transaction.
type Operation struct {
	Verb Verb
	ID   dovetail.ID

	// Data is the new data, the patch, or the new status. A member "status" of new data or of a
	// patch is ignored: only PutStatus writes it. Data is not changed or kept.
	Data *value.Value
	// Content replaces the files. Nil keeps those that are there; an empty list removes them.
	Content []dovetail.File
	// Status, of a Create or Put by the service that a kind belongs to, is the status that the document gets with its data;
	// null removes it. A Put needs the right to act for it, too. It is not kept.
	Status *value.Value
	// Inputs are what a new status was made from, with PutStatus or Status; see dovetail.Document.Inputs. They replace those
	// that are there, but where Content is nil and files stay: then they join them.
	Inputs []dovetail.ID

	// FieldManager is who changes fields, where who set which is kept: what a Create, Put or Patch changes in a document that has
	// field managers becomes the field of this one; "" is DefaultFieldManager. ApplyFields needs one: whose fields Data are.
	FieldManager string
	// Force, of ApplyFields, says whose fields the manager takes where its values differ. Others are conflicts: CodeConflict with
	// ReasonFieldManager, a part for each field.
	Force Force
	// APIVersion, of ApplyFields, is the version of the API of Kubernetes in which the manager wrote; "" elsewhere.
	APIVersion string
	// FieldManagers, of a Create or Put, are who set which fields, as the caller found out: a list in the form of metadata.managedFields of
	// Kubernetes, which is kept in the member ManagedFieldsMember of the status; null forgets who did.
	FieldManagers *value.Value

	// Action, with PutStatus, is the path of an action of the kind, which is done: the store makes the new status, and Data is
	// the body of the request, which may be nil. What the state of the document does not allow is refused with CodeConflict
	// and ReasonState.
	Action string

	// IfMatch, when not empty, lists the versions one of which the document must have (CodeStale).
	IfMatch []dovetail.ETag
	// IfExists refuses a Put on a document that does not exist (If-Match: *), with CodeStale.
	IfExists bool

	// Cascade deletes with the document all that would hold it: its descendants, its referrers,
	// theirs in turn.
	Cascade bool

	// Position is where the operation stands in the user's input; errors carry it.
	Position dovetail.Position

	// Faults are what is known to be wrong with the operation already, with their positions, from
	// reading it. Apply refuses it, and reports them together with all else that is wrong. The ID may
	// then be empty.
	Faults []*dovetail.Error
	// MoreFaults is how many there are beside Faults, in this operation and in those that would follow it, and were
	// left out because there are too many.
	MoreFaults int

	// earlier says that the data is that of an earlier version, which stays what it was: defaults are not filled in.
	earlier bool

	// restore is set by Import: the document keeps its status, version and times.
	restore *dovetail.Document
	// renamed is set by Rename: the data are those of a stored document.
	renamed bool
	// work is set by ClaimWork and FinishWork: what becomes of an action that a worker carries out.
	work *workChange
}

// Effect says what an operation did, or with DryRun would have done.
type Effect string

// The effects.
const (
	WasCreated   Effect = "created"
	WasUpdated   Effect = "updated"
	WasUnchanged Effect = "unchanged" // the write equals what is stored: no new revision
	WasDeleted   Effect = "deleted"
)

// Outcome is the effect of one operation on one document.
type Outcome struct {
	Effect Effect `json:"effect"`
	// Document is its state afterwards; of a deleted one the last. With DryRun uid, revision and
	// times are what they were, or zero.
	Document *dovetail.Document `json:"document"`
	// Because says, for a document that a cascade took along, which document took it, and how.
	Because *Cause `json:"because,omitempty"`
	// Warnings are what was accepted: missing targets of weak references.
	Warnings []*dovetail.Error `json:"-"`
}

// Cause is the link by which a cascade reached a document.
type Cause struct {
	Of       dovetail.ID `json:"of"`       // the deleted document
	Relation string      `json:"relation"` // what the document is to it: "descendant" or "referrer"
}

// Result is what a transaction did.
type Result struct {
	Outcomes []Outcome // one for each operation, in their order
	Cascaded []Outcome // what went along, in the order of ids
	// Unreadable says that documents went along which the principal may not read. They are not among Cascaded.
	Unreadable bool
	// References is how many references a Rename gave another target; 0 where the result is repeated.
	References int
	// Repeated says that it was done before, under the same Options.Key. Documents are as that left them;
	// those of a transaction of several operations come without their data.
	Repeated bool
}

// Options say how to apply operations.
type Options struct {
	// DryRun checks everything against the current state and writes nothing.
	DryRun bool
	// Managed lets documents of managed kinds be changed: by the service that they belong to, and by who
	// repairs them.
	Managed bool
	// Key, where not empty, is the client's idempotency key: a transaction with the key of one that was
	// done (see PurgeIdempotencyRecords for how long it is known) changes nothing and has the result of that one. Used for
	// other operations it is CodeUnprocessable. A dry run ignores it.
	Key string
	// Fence, where not nil, is one more condition, on a document of the store's own: that of a lease which the
	// writer must still hold. Where it does not hold, the transaction is refused with CodeConflict and the
	// reason ReasonFenced. A dry run ignores it.
	Fence *Condition
	// Unfiltered shows the outcomes whole, to a part of Dovetail that needs to know what was written and passes them
	// on through Store.Filter. With Needs they are always.
	Unfiltered bool
	// Requested, where not nil, are the operations as the user requested them, for a service that replaces them by
	// operations of its own: first one for each, on the same document, then more that belong to them. The user needs
	// rights for the requested operations only. Key belongs to the requested operations, and records their outcomes.
	Requested []Operation
	// Needs, where not nil, are the rights that a transaction needs which a service makes of what was requested: those
	// on the documents that the request names. The operations themselves are the service's work, and need none. Where the
	// principal lacks one, the transaction is refused with CodeForbidden, before anything else is looked at.
	Needs []Need
	// Request is what was requested, where the operations are computed from it and from what is stored: Key belongs to that
	// text then, and not to the operations, which may be others when the request is repeated.
	Request string
	// Message says why, and Origin where the transaction comes from where that is not a request, as "git:<commit>". Both are
	// kept with it, beside the principal, for as long as the history. A message may have up to MaxMessage bytes.
	Message, Origin string
	// ChangeSet is the name of the change set whose approved merge this is: documents that are protected may be changed, and
	// the origin is "changeSet:" with the name.
	ChangeSet string
	// Approved are documents whose change is, value by value, that of an approved change set which is merged elsewhere, as a
	// branch of a Git repository is: they may be changed although they are protected.
	Approved []dovetail.ID

	exact bool // deletions never take referrers along
}

// MaxMessage is how many bytes the message of a transaction may have.
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

// Need is a right on a document, which need not exist.
type Need struct {
	Right dovetail.Right
	ID    dovetail.ID
}

// ReasonFenced is the reason of the error when Options.Fence does not hold.
const ReasonFenced = "LEASE_LOST"
