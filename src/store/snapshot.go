package store

import (
	"context"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Reader reads documents: those of now, or those of a position.
type Reader interface {
	// Get returns the document, or CodeNotFound.
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)

	// GetAll returns the documents of the ids, in their order; nil for those that do not exist. It
	// costs a bounded number of round trips, however many ids there are.
	GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error)

	// List yields the documents that the query selects, in the byte order of their ids. The
	// sequence ends after the first error; only one that concerns a single document comes with that document, and the
	// sequence goes on if the reader likes. All of one call is read at one instant where the
	// backend's Capabilities say SnapshotList, and in a Snapshot; otherwise each document is current when it is read.
	List(ctx context.Context, q Query) iter.Seq2[*dovetail.Document, error]

	// Referrers returns the ids of documents that hold a reference to any of the ids, weak ones included: each once, in
	// the order of ids, at most limit of them that come after the id `after` ("" for all); limit 0
	// means no limit. References of a document to itself do not count. The targets need not exist. It costs a bounded number of
	// round trips, however many ids there are.
	Referrers(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int) ([]dovetail.ID, error)
}

// Snapshot is the store as of a position. It holds nothing open; its reads fail with CodeExpired once the history
// no longer reaches back to its position. It is safe for concurrent use.
type Snapshot interface {
	Reader
	// Position is what Historian.At takes to return the same snapshot.
	Position() Cursor
}

// Historian keeps the earlier versions of documents, for as long as its history reaches back.
//
// Documents of the store's own, whose ids begin with an underscore, have no earlier versions: a snapshot shows those of now.
// A Put of a document under the uid and revision that it has already, which is how stored data are encrypted again, makes
// no version. It erases the earlier versions of the document, whose reads then return CodeExpired.
type Historian interface {
	// At returns the store as of a position: after all commits up to the one whose cursor it is, and before those that
	// follow. "" is the position of now: it has every commit that returned before the call. CodeExpired where the history
	// does not reach back so far, CodeInvalid where no such cursor was given out.
	At(ctx context.Context, position Cursor) (Snapshot, error)

	// Compare reports whether a position is before another one (-1), the same (0), or after it (1). CodeInvalid where one was not
	// given out.
	Compare(a, b Cursor) (int, error)

	// PositionAt returns the position of the last commit that is not later than the time: that of now for one in the
	// future, CodeExpired for one before the history.
	PositionAt(ctx context.Context, at time.Time) (Cursor, error)

	// Versions yields what happened to a document, newest first, as far as the history reaches. CodeNotFound where nothing
	// is known of it.
	Versions(ctx context.Context, id dovetail.ID) iter.Seq2[Version, error]

	// CurrentVersions returns the versions that the documents of the ids have, without their Document, in their order; nil for those
	// that do not exist. It costs a bounded number of round trips, however many ids there are.
	CurrentVersions(ctx context.Context, ids []dovetail.ID) ([]*Version, error)

	// Transaction returns the commit whose cursor a position is: CodeExpired where the history does not reach back to it,
	// CodeInvalid where no such cursor was given out.
	Transaction(ctx context.Context, position Cursor) (Transaction, error)

	// Transactions yields the commits before a position, newest first, as far as the history reaches; "" yields the
	// latest first. A position is itself not among them.
	Transactions(ctx context.Context, before Cursor) iter.Seq2[Transaction, error]

	// TransactionsAfter yields every commit after a position, oldest first, up to all that returned before the call. Unlike Changes it
	// omits nothing but commits that change documents of the store's own only; and no commit comes before one that it depends on.
	// The last transaction has no changes: its Cursor is the position of now, from which a later call continues. Commits of one
	// instant may have the same Cursor, which is then the position after all of them.
	// The position may also be a cursor of Head or Changes: then some commits from before it may come, too.
	// The sequence ends with CodeExpired if the history no longer reaches back to the position or, once it is read, to the next
	// commits; with CodeInvalid where no such cursor was given out.
	TransactionsAfter(ctx context.Context, after Cursor) iter.Seq2[Transaction, error]

	// Expire drops what the retention does not keep. What has expired never comes back, and expiring it again does nothing.
	// The position that PositionAt returns for Retention.Before can still be read, and all later ones; those from a second
	// before the last commit there cannot. Of the kinds, references and existence of documents at all positions stay known.
	Expire(ctx context.Context, retention Retention) error
}

// Version is one state of a document.
type Version struct {
	Change
	// Transaction is the commit that made it, without its Changes. Of versions older than the history the Cursor is empty.
	Transaction
	// Document is that state; nil for a deletion, and for a version that was erased.
	Document *dovetail.Document
	// Renamed is, where Store.Rename made the version, the id that the document had before, of a deletion that which it has
	// since. Only Store.History sets it, for principals that may read that document.
	Renamed dovetail.ID
}

// Provenance says on whose behalf, and why, a transaction was committed. It is kept with it for as long as the history.
type Provenance struct {
	Principal string `json:"principal,omitempty"` // "" where the store does not know the caller
	Message   string `json:"message,omitempty"`   // what the writer says of it
	Origin    string `json:"origin,omitempty"`    // where it comes from, where that is not a request: "git:<commit>"
}
