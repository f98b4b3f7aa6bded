package webhook

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// maxLetters is how many dead letters of a subscription are kept; the oldest goes when there is one more.
const maxLetters = 1000

// letter is an event that was given up.
type letter struct {
	dovetail.DeadLetter
	Number int `json:"number"` // in the order of events

	doc *dovetail.Document
}

// giveUp makes a dead letter of an event, and continues with the next.
func (f *feed) giveUp(ctx context.Context, p *progress, event *Event, body []byte) error {
	all, err := f.letters(ctx, f.sub.Name)
	if err != nil {
		return err
	}
	one := letter{DeadLetter: dovetail.DeadLetter{ID: event.id, Type: event.Type, Since: p.Failure.Since, Attempts: p.Failure.Attempts,
		Last: f.options.Clock.Now().UTC().Truncate(time.Millisecond), Error: p.Failure.Error, Event: body}}
	if len(all) > 0 {
		one.Number = all[len(all)-1].Number + 1
	}
	doc, condition, err := f.document(letterID(f.sub.Name, event.id), letterKind, one, nil)
	if err != nil {
		return err
	}
	txn := store.Txn{Puts: []*dovetail.Document{doc}, Require: []store.Condition{condition}}
	if len(all) >= maxLetters {
		f.options.Log.Error("the oldest dead letter of a webhook is dropped to make room", "webhook", f.sub.Name, "event", all[0].ID)
		txn.Deletes = []dovetail.ID{all[0].doc.ID}
	}
	f.options.Observe(f.sub.Name, Dead)
	f.options.Log.Error("a webhook event was given up and is kept as a dead letter", "webhook", f.sub.Name, "event", event.id, "attempts", one.Attempts, "error", one.Error)
	p.Failure = nil
	p.Sent = append(p.Sent, event.id)
	return f.save(ctx, f.sub.Name, p, f.fence, txn)
}

func letterID(name, event string) dovetail.ID { return progressID(name).Child(letterKind, event) }

// letters are the dead letters of a subscription, in the order of events.
func (w *Webhooks) letters(ctx context.Context, name string) ([]*letter, error) {
	var all []*letter
	for doc, err := range w.store.Backend().List(ctx, store.Query{Under: progressID(name), Kind: letterKind}) {
		if err != nil {
			return nil, err
		}
		one := &letter{doc: doc}
		if err := json.Unmarshal(doc.Data, one); err != nil {
			return nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Key: doc.ID, Message: "a dead letter cannot be read", Err: err}
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *letter) int { return cmp.Compare(a.Number, b.Number) })
	return all, nil
}

// Redeliver has dead letters of a subscription delivered again, all without ids, and returns how many. It returns before that is done:
// a letter that is delivered is gone.
func (w *Webhooks) Redeliver(ctx context.Context, name string, ids []string) (int, error) {
	if err := w.known(name); err != nil {
		return 0, err
	}
	queued := 0
	return queued, store.Transact(ctx, func() error {
		all, err := w.letters(ctx, name)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if !slices.ContainsFunc(all, func(one *letter) bool { return one.ID == id }) {
				return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the webhook " + name + " has no dead letter " + id,
					Remedy: "see `dovetail webhooks dead-letters " + name + "`"}
			}
		}
		var txn store.Txn
		queued = 0
		for _, one := range all {
			if len(ids) > 0 && !slices.Contains(ids, one.ID) {
				continue
			}
			queued++
			if one.Redeliver {
				continue
			}
			one.Redeliver = true
			doc, condition, err := w.document(one.doc.ID, letterKind, one, one.doc)
			if err != nil {
				return err
			}
			txn.Puts, txn.Require = append(txn.Puts, doc), append(txn.Require, condition)
		}
		if len(txn.Puts) == 0 {
			return nil
		}
		if err := w.store.Backend().Commit(ctx, txn); store.IsConflict(err) {
			return store.Retry(err)
		} else if err != nil {
			return err
		}
		return nil
	})
}

// redeliver delivers dead letters again when that is asked for, until the context ends, or an error.
func (f *feed) redeliver(ctx context.Context) error {
	head, err := f.store.Head(ctx)
	if err != nil {
		return err
	}
	if err := f.redeliverAsked(ctx); err != nil {
		return err
	}
	for set, err := range f.store.Backend().Changes(ctx, head) {
		if err != nil {
			return err
		}
		// The update of a new letter may come as its creation: see Backend.Changes.
		if slices.ContainsFunc(set.Changes, func(c store.Change) bool {
			return c.Kind == letterKind && c.Op != store.Deleted && c.ID.IsDescendantOf(progressID(f.sub.Name))
		}) {
			if err := f.redeliverAsked(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// redeliverAsked tries each dead letter once for which that is asked.
func (f *feed) redeliverAsked(ctx context.Context) error {
	all, err := f.letters(ctx, f.sub.Name)
	if err != nil {
		return err
	}
	for _, one := range all {
		if !one.Redeliver {
			continue
		}
		if err := f.redeliverOne(ctx, one); err != nil && !store.IsConflict(err) {
			return err
		}
	}
	return nil
}

func (f *feed) redeliverOne(ctx context.Context, one *letter) error {
	failure := f.stillReadable(ctx, one.Event)
	if failure == nil {
		failure = f.post(ctx, f.sub, one.ID, one.Event).err
	}
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	txn := store.Txn{Require: []store.Condition{*f.fence}}
	if failure == nil {
		f.options.Observe(f.sub.Name, Delivered)
		txn.Require = append(txn.Require, store.Condition{Test: store.AtVersion, ID: one.doc.ID, Version: one.doc.ETag()})
		txn.Deletes = []dovetail.ID{one.doc.ID}
		return f.store.Backend().Commit(ctx, txn)
	}
	f.options.Observe(f.sub.Name, Failed)
	one.Redeliver, one.Error, one.Last = false, failure.Error(), f.options.Clock.Now().UTC().Truncate(time.Millisecond)
	one.Attempts++
	doc, condition, err := f.document(one.doc.ID, letterKind, one, one.doc)
	if err != nil {
		return err
	}
	txn.Puts, txn.Require = []*dovetail.Document{doc}, append(txn.Require, condition)
	return f.store.Backend().Commit(ctx, txn)
}

// stillReadable returns an error where the principal of the subscription may no longer read what an event says.
func (f *feed) stillReadable(ctx context.Context, body []byte) error {
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	reads := f.store.Readable(f.sub.seeing(ctx))
	if reads == nil {
		return nil
	}
	forbidden := event.Data.ChangeSet != nil && !reads(changeSetKind, dovetail.ID("").Child(changeSetKind, event.Data.ChangeSet.Name))
	if forbidden || slices.ContainsFunc(event.Data.Changes, func(c Change) bool { return !reads(c.Kind, c.ID) }) {
		return dovetail.Errorf(dovetail.CodeForbidden, "the principal of the webhook may no longer read what the event says")
	}
	return nil
}
