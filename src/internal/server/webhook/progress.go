package webhook

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The kinds of the documents of the store's own: how far a subscription has come and, below it, its dead letters.
const (
	progressKind = "_webhook"
	letterKind   = "_deadLetter"
)

func progressID(name string) dovetail.ID { return dovetail.ID("").Child(progressKind, name) }

// progress is how far a subscription has come.
type progress struct {
	After store.Cursor `json:"after"` // of the last transaction that is done with
	Time  time.Time    `json:"time"`  // of that; only earlier versions of Dovetail read it
	// Sent are the events of later transactions that were delivered.
	Sent      []string          `json:"sent,omitempty"`
	Delivered int               `json:"delivered"` // events in all
	Failure   *dovetail.Failure `json:"failure,omitempty"`
	Lost      *dovetail.Lost    `json:"lost,omitempty"` // the last ones

	doc *dovetail.Document // as it was read or written; nil if there is none
}

// advance records in memory that a transaction, and all before it, are done with.
func (p *progress) advance(done store.Transaction) {
	if p.After != done.Cursor {
		p.After, p.Time, p.Sent = done.Cursor, done.Time, nil
	}
}

// load reads the progress of a subscription, nil if there is none.
func (w *Webhooks) load(ctx context.Context, name string) (*progress, error) {
	documents, err := w.store.Backend().GetAll(ctx, []dovetail.ID{progressID(name)})
	if err != nil || documents[0] == nil {
		return nil, err
	}
	p := &progress{doc: documents[0]}
	if err := json.Unmarshal(documents[0].Data, p); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Key: documents[0].ID, Message: "the progress of the webhook " + name + " cannot be read", Err: err}
	}
	return p, nil
}

// begin reads the progress of a subscription, and makes it if there is none.
func (w *Webhooks) begin(ctx context.Context, name string) (*progress, error) {
	for {
		p, err := w.load(ctx, name)
		if p != nil || err != nil {
			return p, err
		}
		now, err := w.store.Backend().At(ctx, "")
		if err != nil {
			return nil, err
		}
		p = &progress{After: now.Position(), Time: w.options.Clock.Now()}
		if err := w.save(ctx, name, p, nil, store.Txn{}); !store.IsConflict(err) { // another process was faster
			return p, err
		}
	}
}

// save writes the progress, unless another process did since it was read, together with other writes.
func (w *Webhooks) save(ctx context.Context, name string, p *progress, fence *store.Condition, more store.Txn) error {
	doc, condition, err := w.document(progressID(name), progressKind, p, p.doc)
	if err != nil {
		return err
	}
	more.Puts = append(more.Puts, doc)
	more.Require = append(more.Require, condition)
	if fence != nil {
		more.Require = append(more.Require, *fence)
	}
	if err := w.store.Backend().Commit(ctx, more); err != nil {
		return err
	}
	p.doc = doc
	return nil
}

// document is the next version of a document of the store's own, with the condition that no other process writes it.
func (w *Webhooks) document(id dovetail.ID, kind string, content any, was *dovetail.Document) (*dovetail.Document, store.Condition, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, store.Condition{}, dovetail.AsError(err)
	}
	now := w.options.Clock.Now().UTC().Truncate(time.Millisecond)
	doc := &dovetail.Document{ID: id, Kind: kind, Data: data, UID: w.options.NewUID(), Revision: 1, Created: now, Updated: now}
	if was == nil {
		return doc, store.Condition{Test: store.Absent, ID: id}, nil
	}
	doc.UID, doc.Revision, doc.Created = was.UID, was.Revision+1, was.Created
	return doc, store.Condition{Test: store.AtVersion, ID: id, Version: was.ETag()}, nil
}
