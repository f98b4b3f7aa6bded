package protocol

import (
	"math"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Record is what the server stores for one id, and what it keeps of an earlier version of a document.
type Record struct {
	ID dovetail.ID
	// Doc is the document that readers see, but under a create intent, where it is the one that they
	// will see. Nil for a placeholder, which holds nothing but an intent.
	// Heads lack its Data, Content and Status.
	Doc *dovetail.Document
	// Strong and Weak are what the indexes over references find: the ids that Doc refers to and,
	// under an update intent, also those of the next document.
	Strong, Weak []dovetail.ID
	Intent       *Intent
	// Txn is the last transaction that wrote the document. Stamp is when it committed if it wrote no other document, Since
	// if it wrote several; the other one is zero, or older.
	Txn          string
	Stamp, Since Stamp
	// By is the provenance of Txn.
	By store.Provenance
	// Origin is the transaction that created the document, and Created when that was, if it wrote no other.
	Origin  string
	Created Stamp
	// Rewritten is the last transaction that wrote the document again under its version.
	Rewritten string
	// Moved: Stamp is not that of the write, but was given later by another process than the writer, which had not come to it.
	Moved bool
	// Gone, only of a version: Txn deleted the document. Erased, only of a version: Doc lacks what heads lack.
	Gone, Erased bool
}

// Committed is when Txn committed, the zero Stamp where that was before versions were kept.
func (r *Record) Committed() Stamp { return later(r.Stamp, r.Since) }

// isCreation says whether Txn created the document.
func (r *Record) isCreation() bool {
	return !r.Gone && (r.Txn == r.Origin || r.Origin == "" && r.Doc.Revision == 1)
}

// Intent says that a transaction is about to write a record. While it is there, no other
// transaction changes the record.
type Intent struct {
	Txn string
	Op  Op
	// Multi: the log says whether the transaction has happened, not this intent alone.
	Multi bool
	// LockOnly: the transaction only needs the record to stay as it is, absent (Create), or there.
	LockOnly bool
	// Exclusive: no transaction may add a reference to the document or a child of it. Delete implies it.
	Exclusive bool
	// Next is the document after a multi update. Heads lack its Data, Content and Status.
	Next *dovetail.Document
	// Prev, of an update that is made together with its intent, is the version that Doc has replaced. Readers see Doc. The intent
	// stays until Prev is kept among the versions and the stamp of Doc is sure: see Engine.updateAtOnce.
	Prev *Record
	// By is the provenance of a multi update or deletion.
	By store.Provenance
	// Implicit, of the creation of one document: it may have been answered although the intent is there. The record has the stamps
	// of its insertion, which it was to be made before Before, if that is not zero; Targets must be there. See Engine.decide.
	Implicit bool
	Targets  []dovetail.ID
	Before   time.Time
	// At is when the intent was set, by the clock of the process that set it, for operators only.
	At time.Time
}

// replaced says whether the record holds the version that its document has replaced.
func (r *Record) replaced() bool { return r.Intent != nil && r.Intent.Prev != nil }

// implicit says whether the record may have been created although an intent says that it is about to be.
func (r *Record) implicit() bool { return r.Intent != nil && r.Intent.Implicit }

// Op is what an intent announces.
type Op string

// The operations.
const (
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
)

// Stamp is a moment of the server's clock: what MongoDB calls a timestamp.
type Stamp struct {
	Seconds uint32
	Count   uint32 // within the second
}

// IsZero says whether there is no stamp.
func (s Stamp) IsZero() bool { return s == Stamp{} }

// Compare orders stamps, as cmp.Compare does.
func (s Stamp) Compare(t Stamp) int {
	switch {
	case s == t:
		return 0
	case s.Seconds < t.Seconds || s.Seconds == t.Seconds && s.Count < t.Count:
		return -1
	}
	return 1
}

// Before says whether s is earlier than t.
func (s Stamp) Before(t Stamp) bool { return s.Compare(t) < 0 }

// Back is the stamp whole seconds earlier.
func (s Stamp) Back(by time.Duration) Stamp {
	seconds := uint32(min(int64(by/time.Second), int64(s.Seconds)))
	return Stamp{s.Seconds - seconds, s.Count}
}

// Forward is the stamp whole seconds later.
func (s Stamp) Forward(by time.Duration) Stamp {
	return Stamp{s.Seconds + uint32(by/time.Second), s.Count}
}

// next is the stamp that follows.
func (s Stamp) next() Stamp {
	if s.Count == math.MaxUint32 {
		return Stamp{s.Seconds + 1, 0}
	}
	return Stamp{s.Seconds, s.Count + 1}
}

// Time is the moment to the second: what Count means is the server's own.
func (s Stamp) Time() time.Time { return time.Unix(int64(s.Seconds), 0).UTC() }
