package lease

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The kinds of the two documents; their ids begin with an underscore, as those of all internal ones.
const (
	termKind = "_lease"
	beatKind = "_beat"
)

// record is the data of both documents.
type record struct {
	Holder   string `json:"holder"`
	Term     uint64 `json:"term"`               // how often the lease was taken
	ID       string `json:"id"`                 // of this term alone: two processes may try to begin one of the same number
	Released bool   `json:"released,omitempty"` // no process leads
}

// term is the time that this process leads: the documents as it wrote them last.
type term struct {
	record     record
	held, sign *dovetail.Document
	until      time.Time // when it ends without another heartbeat; other candidates wait a little longer
}

func (l *Lease) termID() dovetail.ID { return dovetail.ID("").Child(termKind, l.name) }
func (l *Lease) beatID() dovetail.ID { return dovetail.ID("").Child(beatKind, l.name) }

// fence holds as long as no other process leads.
func (t *term) fence() store.Condition {
	return store.Condition{Test: store.AtVersion, ID: t.held.ID, Version: t.held.ETag()}
}

// take begins a term, if both documents are still as they were read; nil is one that was not there.
func (l *Lease) take(ctx context.Context, held, sign *dovetail.Document) (*term, error) {
	began := time.Now()
	t := &term{record: record{Holder: l.options.Holder, Term: 1, ID: l.options.NewUID()}}
	if held != nil {
		t.record.Term = read(held).Term + 1
	}
	txn := store.Txn{Require: []store.Condition{unchanged(l.termID(), held), unchanged(l.beatID(), sign)}}
	t.held, t.sign = l.next(l.termID(), termKind, held, t.record), l.next(l.beatID(), beatKind, sign, t.record)
	txn.Puts = []*dovetail.Document{t.held, t.sign}
	if err := l.commit(ctx, txn, t.sign); err != nil {
		return nil, err
	}
	t.until = l.end(began)
	return t, nil
}

// end is when a term ends whose last heartbeat began to be written at a time.
func (l *Lease) end(began time.Time) time.Time { return began.Add(l.options.TTL - l.interval()) }

// beat writes a heartbeat, or releases the lease. It fails with a conflict when another process leads: that has written both
// documents, so that the condition on this one is enough, and backends need one compare-and-set for it.
func (l *Lease) beat(ctx context.Context, t *term, release bool) error {
	began := time.Now()
	says := t.record
	says.Released = release
	sign := l.next(l.beatID(), beatKind, t.sign, says)
	err := l.commit(ctx, store.Txn{Require: []store.Condition{unchanged(sign.ID, t.sign)}, Puts: []*dovetail.Document{sign}}, sign)
	if store.IsConflict(err) && l.isOurs(ctx, t) {
		return l.beat(ctx, t, release)
	}
	if err != nil {
		return err
	}
	t.sign, t.until = sign, l.end(began)
	return nil
}

// isOurs says whether the stored heartbeat is of this term, though not the last one known: a
// write whose answer never came. It takes that as the last one.
func (l *Lease) isOurs(ctx context.Context, t *term) bool {
	found, err := l.backend.Get(ctx, l.beatID())
	if err != nil || read(found).ID != t.record.ID || found.Revision == t.sign.Revision {
		return false
	}
	t.sign = found
	return true
}

// commit reads whether the write was committed where the backend reports an unknown outcome.
func (l *Lease) commit(ctx context.Context, txn store.Txn, written *dovetail.Document) error {
	err := l.backend.Commit(ctx, txn)
	if dovetail.CodeOf(err) != dovetail.CodeUnknown {
		return err
	}
	found, again := l.backend.Get(ctx, written.ID)
	if again == nil && found.ETag() == written.ETag() && read(found) == read(written) {
		return nil
	}
	return err
}

// unchanged is the condition that a document is as it was read.
func unchanged(id dovetail.ID, doc *dovetail.Document) store.Condition {
	if doc == nil {
		return store.Condition{Test: store.Absent, ID: id}
	}
	return store.Condition{Test: store.AtVersion, ID: id, Version: doc.ETag()}
}

// next is the document after the one that was there, nil for none.
func (l *Lease) next(id dovetail.ID, kind string, was *dovetail.Document, says record) *dovetail.Document {
	now := time.Now().UTC().Truncate(time.Millisecond)
	doc := &dovetail.Document{ID: id, Kind: kind, UID: l.options.NewUID(), Revision: 1, Created: now, Updated: now}
	if was != nil {
		doc.UID, doc.Revision, doc.Created = was.UID, was.Revision+1, was.Created
	}
	doc.Data, _ = json.Marshal(says) // a flat struct of texts and numbers
	return doc
}

// read returns the record of a document; the zero record for a document that no process of ours wrote.
func read(doc *dovetail.Document) record {
	var r record
	if json.Unmarshal(doc.Data, &r) != nil {
		return record{}
	}
	return r
}

func released(doc *dovetail.Document) bool { return read(doc).Released }
