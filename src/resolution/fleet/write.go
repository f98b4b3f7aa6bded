package fleet

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Reasons of problems beside those of conditions and codes.
const (
	ReasonNameTaken = "NameTaken" // an ActiveResolution is called so that does not belong to the set
	ReasonNotMember = "NotAMember"
)

// chunk is how many ActiveResolutions are written in one transaction.
const chunk = 100

// operations are those that make what is stored what a set asks for, with the errors, by id, of what cannot be made so. Those that were
// deleted with their clusters go along; one that says that it belongs to the set, and was not made by it, stays.
func (l *loop) operations(k *kept, now time.Time) ([]store.Operation, map[dovetail.ID]error) {
	refused := make(map[dovetail.ID]error)
	if k.wrong != nil {
		return nil, refused
	}
	var operations []store.Operation
	rests := func(id dovetail.ID) bool { return k.refused[id] != nil && now.Before(k.retry) }
	for _, m := range k.members {
		at := l.stored[m.ID]
		switch {
		case rests(m.ID):
		case at == nil:
			operations = append(operations, store.Operation{Verb: store.Create, ID: m.ID, Data: m.Data})
		case at.set != k.set.Name:
			refused[m.ID] = taken(m.ID, k.set.Name)
		case at.digest != m.digest:
			operations = append(operations, store.Operation{Verb: store.Put, ID: m.ID, Data: m.Data, IfMatch: []dovetail.ETag{at.version}})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.stored)) {
		at := l.stored[id]
		switch {
		case at.set != k.set.Name || k.asked[id] || rests(id):
		case at.cluster != "" && id == memberID(k.set.Name, at.cluster):
			operations = append(operations, store.Operation{Verb: store.Delete, ID: id, IfMatch: []dovetail.ETag{at.version}})
		default:
			refused[id] = &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNotMember, Key: id,
				Message: string(id) + " says that it belongs to the set, which has no such cluster", Remedy: "take set out of its spec, or add the cluster to the set"}
		}
	}
	return operations, refused
}

func taken(id dovetail.ID, set string) error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNameTaken, Key: id, Message: string(id) + " is there and does not belong to the set",
		Remedy: "delete it, or write set: " + set + " into its spec, to give it to the set"}
}

// work is what a worker does for one set.
type work struct {
	*Controller
	fence      store.Condition
	of         *kept
	doc        *dovetail.Document
	set        *Set
	operations []store.Operation
	status     *Status
}

// done is what a worker did.
type done struct {
	of      *kept
	set     *Set
	written []*dovetail.Document
	deleted []store.Operation
	tried   map[dovetail.ID]bool
	refused map[dovetail.ID]error // of these, what the store does not take
	stale   bool                  // another writer was faster: an event follows

	forbidden error // the actor of the set may not do what the set asks for: nothing was done
	failed    bool  // the rest was not tried
}

func (w *work) do(ctx context.Context) done {
	d := done{of: w.of, set: w.set, tried: make(map[dovetail.ID]bool), refused: make(map[dovetail.ID]error)}
	if err := w.permitted(ctx); dovetail.CodeOf(err) == dovetail.CodeForbidden {
		d.forbidden, w.operations, w.status = err, nil, invalid(w.set, err, w.status.Clusters)
	} else if err != nil {
		d.fail(w, err)
		return d
	}
	w.sign()
	for some := range slices.Chunk(w.operations, chunk) {
		if d.failed {
			break
		}
		for _, one := range some {
			d.tried[one.ID] = true
		}
		if err := w.apply(ctx, some, &d); err != nil {
			for _, one := range some { // so that the others do not wait for what one of them lacks
				if err := w.apply(ctx, []store.Operation{one}, &d); err != nil {
					d.sort(w, one.ID, err)
				}
			}
		}
	}
	switch err := w.say(ctx, &d); dovetail.CodeOf(err) {
	case "", dovetail.CodeNotFound: // then the set has gone
	case dovetail.CodeStale:
		d.stale = true
	default:
		d.fail(w, err)
	}
	return d
}

// permitted returns the error of store.MayAct for the actor of the set, by the rights that it has now.
func (w *work) permitted(ctx context.Context) error {
	data, err := value.DataOf(w.doc, nil)
	if err != nil {
		return err
	}
	return w.Store.MayAct(ctx, w.doc.ID, store.ActorOf(w.doc), Needs(w.doc.ID, nil, data))
}

func (w *work) apply(ctx context.Context, operations []store.Operation, d *done) error {
	result, err := w.Store.Apply(ctx, operations, store.Options{Fence: &w.fence, Message: "keep " + string(w.doc.ID)})
	if err != nil {
		return err
	}
	for i, outcome := range result.Outcomes {
		if operations[i].Verb == store.Delete {
			d.deleted = append(d.deleted, operations[i])
		} else {
			d.written = append(d.written, outcome.Document)
		}
	}
	return nil
}

// sort notes why something could not be written.
func (d *done) sort(w *work, id dovetail.ID, err error) {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeStale, dovetail.CodeExists, dovetail.CodeNotFound:
		d.stale = true
	case dovetail.CodeUnavailable, dovetail.CodeUnknown, dovetail.CodeTimeout, dovetail.CodeCanceled:
		d.fail(w, err)
	default:
		d.refused[id] = err
	}
}

func (d *done) fail(w *work, err error) {
	if !d.failed && dovetail.CodeOf(err) != dovetail.CodeCanceled {
		w.Log.Warn("a set of resolutions was not brought up to date", "set", w.doc.ID, "error", err, "again", w.Retry)
	}
	d.failed = true
}

// say writes the status of the set, if it differs.
func (w *work) say(ctx context.Context, d *done) error {
	before := ReadStatus(w.doc)
	w.status.Date(before, w.Clock())
	w.status.Author, w.status.Actor = before.Author, before.Actor
	next, err := value.FromAny(w.status)
	if err != nil || d.failed || bytes.Equal(next.AppendJSON(nil), w.doc.Status) {
		return err
	}
	_, err = w.Store.Apply(ctx, []store.Operation{{Verb: store.PutStatus, ID: w.doc.ID, Data: next, Inputs: w.set.Inputs(), IfMatch: []dovetail.ETag{w.doc.ETag()}}},
		store.Options{Fence: &w.fence})
	return err
}

// sign notes in what is written who made the set ask for it, where the plans need an approval.
func (w *work) sign() {
	author := ReadStatus(w.doc).Author
	if author == "" { // then no principal is known to be another one
		return
	}
	for i, one := range w.operations {
		if one.Data == nil {
			continue
		}
		data := one.Data.Clone()
		metadata := data.Get("metadata")
		if metadata.Get("annotations") == nil {
			metadata.Set("annotations", value.NewMap())
		}
		metadata.Get("annotations").Set(state.AuthorAnnotation, value.NewString(author))
		w.operations[i].Data = data
	}
}

// Author returns the author of what a set asks for (store.AuthorOf), where plans need an approval.
func Author(writer, author string, before, after *value.Value) string {
	next := readData(after)
	switch {
	case !next.approval:
		return ""
	case before != nil && author != "" && readData(before).Digest == next.Digest:
		return author
	}
	return writer
}
