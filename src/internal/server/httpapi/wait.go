package httpapi

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// waitParameter is how long a write may wait for the status of what it wrote.
const waitParameter = "wait"

// readWait reads it; 0 is not at all.
func (x *requestContext) readWait(p parameters) (time.Duration, error) {
	if !p.has(waitParameter) {
		return 0, nil
	}
	wait, err := time.ParseDuration(p.text(waitParameter))
	if err != nil || wait < 0 {
		return 0, &dovetail.Error{Code: dovetail.CodeInvalid, Message: waitParameter + " is \"" + p.text(waitParameter) + "\"",
			Remedy: "give a duration, as 30s", Err: err}
	}
	return wait, nil
}

// settled returns what says that the status of a document of the kind speaks of its data; nil when no
// service writes one.
func (a *API) settled(kind string) func(*dovetail.Document) bool {
	for _, service := range a.options.Services {
		if settled := service.Settled[kind]; settled != nil {
			return settled
		}
	}
	return nil
}

// await waits, as long as the request asks for, until the documents of the result have the status that
// services make of them, and puts them into the result as they are then. What did not come in time is a
// warning: the write has happened.
func (x *requestContext) await(from store.Cursor, result *store.Result) {
	pending := make(map[dovetail.ID]*store.Outcome)
	for i := range result.Outcomes {
		o := &result.Outcomes[i]
		if o.Effect != store.WasDeleted && o.Document.Data != nil && x.api.settled(o.Document.Kind) != nil {
			pending[o.Document.ID] = o
		}
	}
	if len(pending) == 0 {
		return
	}
	x.leave() // waiting is no work
	own := x.ctx
	done := x.lasting()
	ctx, cancel := context.WithTimeout(x.ctx, x.wait)
	defer func() {
		cancel()
		done()
		x.ctx = own // for the answer
	}()
	for id := range pending {
		if doc, err := x.api.store.Get(ctx, id); err == nil {
			x.arrived(pending, doc)
		}
	}
	if len(pending) > 0 {
		x.follow(ctx, from, pending)
	}
	for _, id := range slices.Sorted(maps.Keys(pending)) {
		x.warn("the status of " + string(id) + " is not there yet")
	}
}

// follow watches the documents until none is pending.
func (x *requestContext) follow(ctx context.Context, from store.Cursor, pending map[dovetail.ID]*store.Outcome) {
	q := store.WatchQuery{}
	if len(pending) == 1 {
		for id := range pending {
			q.ID = id
		}
	}
	for event, err := range x.api.store.Watch(ctx, from, q) {
		if err != nil {
			return
		}
		for _, change := range event.Changes {
			outcome := pending[change.ID]
			switch {
			case change.Document != nil:
				x.arrived(pending, change.Document)
			case change.Op == store.Deleted && outcome != nil && outcome.Document.UID == change.UID: // not an earlier one of the id
				delete(pending, change.ID)
			}
		}
		if len(pending) == 0 {
			return
		}
	}
}

// arrived takes a settled document into the result, and no longer waits for it.
func (x *requestContext) arrived(pending map[dovetail.ID]*store.Outcome, doc *dovetail.Document) {
	outcome := pending[doc.ID]
	if outcome == nil || doc.Revision < outcome.Document.Revision || !x.api.settled(doc.Kind)(doc) {
		return
	}
	outcome.Document = doc
	delete(pending, doc.ID)
}
