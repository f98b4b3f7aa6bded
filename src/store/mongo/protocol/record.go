package protocol

import (
	"math"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Record is what the server stores for one id, or for an earlier version of a document.
type Record struct {
	ID dovetail.ID
	// Doc is the document that readers see, or, under a create intent, will see. It is nil in a placeholder, which only has an
	// intent. Heads may lack Weak and everything of a document but its Kind, UID, Revision, References and Terms.
	Doc *dovetail.Document
	// Strong and Weak are what the indexes over references find: the ids that Doc refers to and, under an update intent, also those
	// of the next document.
	Strong, Weak []dovetail.ID
	Intent       *Intent
	// Txn is the last transaction that wrote the document. Its commit timestamp is Stamp if it wrote only this document, and Since
	// if it wrote several; the other one is zero, or older.
	Txn          string
	Stamp, Since Stamp
	// By is the provenance of Txn.
	By store.Provenance
	// Origin is the transaction that created the document. Created is its timestamp if it wrote only this document.
	Origin  string
	Created Stamp
	// Rewritten is the last transaction that wrote the document again at the same version.
	Rewritten string
	// Moved means that Stamp is not the timestamp of the write, but a later one that completing it took, mostly by another process.
	Moved bool
	// Gone, only of a version, means that Txn deleted the document. Erased, only of a version, means that Doc lacks its Data, Content
	// and Status for good.
	Gone, Erased bool
}

// Committed returns the commit timestamp of Txn, or zero if it was committed before versions were kept.
func (r *Record) Committed() Stamp { return later(r.Stamp, r.Since) }

// isCreation reports whether Txn created the document.
func (r *Record) isCreation() bool {
	return !r.Gone && (r.Txn == r.Origin || r.Origin == "" && r.Doc.Revision == 1)
}

// Intent announces that a transaction is about to write a record. While it is set, no other transaction changes the record.
type Intent struct {
	Txn string
	Op  Op
	// Multi means that the transaction record decides whether the transaction is committed, not the intent alone.
	Multi bool
	// LockOnly means that the transaction does not write the record, which must stay as it is: absent (Create) or present.
	LockOnly bool
	// Exclusive means that no transaction may add a child of the document or a reference to it. Delete implies it.
	Exclusive bool
	// Next is the document after a multi-document update.
	Next *dovetail.Document
	// Prev, of an update that is made together with its intent, is the version that Doc has replaced. Readers see Doc. The intent
	// stays until Prev is stored as a version and the timestamp of Doc is final: see Engine.updateAtOnce.
	Prev *Record
	// By is the provenance of a multi-document update or deletion.
	By store.Provenance
	// Implicit, of a creation, means that it may have been acknowledged before the intent is removed. The record has the timestamp of
	// its insertion, which must be earlier than Before, if that is not zero; Targets must exist. See Engine.decide.
	Implicit bool
	Targets  []dovetail.ID
	Before   time.Time
	// At is when the intent was set, by the clock of the process that set it. It is only for operators.
	At time.Time
}

// replaced reports whether the record also has the version that its document has replaced.
func (r *Record) replaced() bool { return r.Intent != nil && r.Intent.Prev != nil }

// implicit reports whether the record has an implicit create intent, and so may have been created already.
func (r *Record) implicit() bool { return r.Intent != nil && r.Intent.Implicit }

// Op is the operation that an intent announces.
type Op string

// The operations that an intent can announce.
const (
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
)

// Stamp is a timestamp of the server's clock, as MongoDB defines it.
type Stamp struct {
	Seconds uint32
	Count   uint32 // within the second
}

// IsZero reports whether the timestamp is not set.
func (s Stamp) IsZero() bool { return s == Stamp{} }

// Compare compares timestamps as cmp.Compare does.
func (s Stamp) Compare(t Stamp) int {
	switch {
	case s == t:
		return 0
	case s.Seconds < t.Seconds || s.Seconds == t.Seconds && s.Count < t.Count:
		return -1
	}
	return 1
}

// Before reports whether s is earlier than t.
func (s Stamp) Before(t Stamp) bool { return s.Compare(t) < 0 }

// Back returns the timestamp that is earlier by the whole seconds of a duration.
func (s Stamp) Back(by time.Duration) Stamp {
	seconds := uint32(min(int64(by/time.Second), int64(s.Seconds)))
	return Stamp{s.Seconds - seconds, s.Count}
}

// Forward returns the timestamp that is later by the whole seconds of a duration.
func (s Stamp) Forward(by time.Duration) Stamp {
	return Stamp{s.Seconds + uint32(by/time.Second), s.Count}
}

// next returns the following timestamp.
func (s Stamp) next() Stamp {
	if s.Count == math.MaxUint32 {
		return Stamp{s.Seconds + 1, 0}
	}
	return Stamp{s.Seconds, s.Count + 1}
}

// Time returns the time, with a resolution of a second: Count has no unit.
func (s Stamp) Time() time.Time { return time.Unix(int64(s.Seconds), 0).UTC() }
