package webhook

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// skipped is after how many transactions without an event the progress is written all the same, so that it does not fall behind the
// history. Each such write is a transaction of the feed itself.
const skipped = 1000

// feed makes the events of a subscription of the transactions of the store.
type feed struct {
	*Webhooks
	sub   Subscription
	fence *store.Condition
	idle  int // transactions without an event since the progress was written
}

// follow delivers events until the context ends, or an error. The events come from the history, which has every commit; changes, which
// may lack superseded ones, only show when the history has more.
func (f *feed) follow(ctx context.Context) error {
	p, err := f.begin(ctx, f.sub.Name)
	if err != nil {
		return err
	}
	head, err := f.store.Head(ctx)
	if err != nil {
		return err
	}
	if err := f.catchUp(ctx, p); err != nil {
		return err
	}
	for set, err := range f.store.Backend().Changes(ctx, head) {
		if err != nil {
			return err
		}
		if f.idle++; f.idle < skipped && !f.sub.concerns(set) {
			continue
		}
		if order, err := f.store.Backend().Compare(set.Cursor, p.After); err != nil {
			return err
		} else if order <= 0 { // the history had it
			continue
		}
		if err := f.catchUp(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// catchUp delivers the events of the commits between the progress and now.
func (f *feed) catchUp(ctx context.Context, p *progress) error {
	sent := 0
	done := store.Transaction{Cursor: p.After, Time: p.Time}
	for set, err := range f.store.Backend().TransactionsAfter(ctx, p.After) {
		if err == nil && set.Cursor != done.Cursor || isLost(err) { // commits of one instant share a cursor
			p.advance(done)
		}
		switch {
		case isLost(err):
			if err := f.lose(ctx, p); err != nil {
				return err
			}
			return f.catchUp(ctx, p) // what was committed since the loss was found out
		case err != nil:
			return err
		}
		n, err := f.deliverAll(ctx, p, set)
		if err != nil {
			return err
		}
		sent += n
		done = set
		if f.idle++; f.idle >= skipped && n == 0 {
			if err := f.record(ctx, p); err != nil {
				return err
			}
		}
	}
	p.advance(done)
	if sent == 0 && f.idle < skipped {
		return nil
	}
	return f.record(ctx, p)
}

// record writes the progress.
func (f *feed) record(ctx context.Context, p *progress) error {
	f.idle = 0
	return f.save(ctx, f.sub.Name, p, f.fence, store.Txn{})
}

// isLost reports whether an error means that the history no longer reaches back to a position, or never had it.
func isLost(err error) bool {
	code := dovetail.CodeOf(err)
	return code == dovetail.CodeExpired || code == dovetail.CodeInvalid
}

// deliverAll delivers the events of a transaction that were not delivered yet. It returns how many events the transaction has.
func (f *feed) deliverAll(ctx context.Context, p *progress, set store.Transaction) (int, error) {
	events, err := f.events(ctx, set)
	if err != nil {
		return 0, err
	}
	for _, event := range events {
		if slices.Contains(p.Sent, event.id) {
			continue
		}
		if event.Type == EventsLost {
			event.Data.After = string(p.After)
			f.noteLost(p, dovetail.Lost{After: event.Data.After, Position: string(event.Data.Position)})
		}
		if err := f.deliver(ctx, p, event); err != nil {
			return 0, err
		}
	}
	return len(events), nil
}

// events are those of a transaction, as the principal of the subscription may see it now.
func (f *feed) events(ctx context.Context, set store.Transaction) ([]*Event, error) {
	ctx = f.sub.seeing(ctx)
	shown, some := f.store.Shown(ctx, set)
	if !some {
		return nil, nil
	}
	var events []*Event
	if e := f.sub.transactionEvent(shown, versionOf(set.Changes[0])); e != nil {
		events = append(events, e)
	}
	for _, c := range shown.Changes {
		if c.Kind != changeSetKind || !f.sub.wantsChangeSets() {
			continue
		}
		before, after, known, err := f.around(ctx, shown.Cursor, c)
		if err != nil {
			return nil, err
		}
		if !known {
			events = append(events, f.sub.lostEvent(shown.Cursor, f.options.Clock.Now().UTC(), string(c.ID)+" "+versionOf(c)))
			continue
		}
		more, err := f.sub.changeSetEvents(shown, c.ID, before, after)
		if err != nil {
			f.options.Log.Error("a change set cannot be read, so that its webhook events are left out", "id", c.ID, "error", err)
			continue
		}
		events = append(events, more...)
	}
	return events, nil
}

// around returns a document before and after a transaction, nil where it was not there. Known is false if one of these versions is no
// longer kept.
func (f *feed) around(ctx context.Context, position store.Cursor, c store.Change) (before, after *dovetail.Document, known bool, err error) {
	found := false
	for v, err := range f.store.History(ctx, c.ID) {
		switch code := dovetail.CodeOf(err); {
		case err != nil && (code == dovetail.CodeNotFound || code == dovetail.CodeExpired):
			return nil, nil, false, nil
		case err != nil:
			return nil, nil, false, err
		case v.Op != store.Deleted && v.Document == nil && (found || isVersion(v, position, c)):
			return nil, nil, false, nil // erased
		case found:
			return v.Document, after, true, nil
		case isVersion(v, position, c):
			if found, after = true, v.Document; c.Op == store.Created {
				return nil, after, true, nil
			}
		}
	}
	return nil, nil, false, nil
}

// isVersion reports whether a version is that which a change made.
func isVersion(v store.Version, position store.Cursor, c store.Change) bool {
	return v.UID == c.UID && v.Revision == c.Revision && (v.Op == store.Deleted) == (c.Op == store.Deleted) || v.Cursor == position
}

// lose tells the receiver that the history no longer reaches back to the last event, and continues after the commits that may be lost.
// They are recorded first, so that a process that goes on tells of the same commits.
func (f *feed) lose(ctx context.Context, p *progress) error {
	if p.Lost == nil || p.Lost.After != string(p.After) {
		now, err := f.store.Backend().At(ctx, "")
		if err != nil {
			return err
		}
		f.noteLost(p, dovetail.Lost{After: string(p.After), Position: string(now.Position())})
		if err := f.record(ctx, p); err != nil {
			return err
		}
	}
	event := f.sub.lostEvent(store.Cursor(p.Lost.Position), p.Lost.Time, "")
	event.Data.After = p.Lost.After
	if !slices.Contains(p.Sent, event.id) {
		if err := f.deliver(ctx, p, event); err != nil {
			return err
		}
	}
	p.advance(store.Transaction{Cursor: store.Cursor(p.Lost.Position), Time: p.Lost.Time})
	return f.record(ctx, p)
}

// noteLost puts lost events into the progress, which shows the last ones, the log and the metrics.
func (f *feed) noteLost(p *progress, lost dovetail.Lost) {
	lost.Time = f.options.Clock.Now().UTC()
	p.Lost = &lost
	f.options.Observe(f.sub.Name, Lost)
	f.options.Log.Error("webhook events are lost, as the history no longer has them", "webhook", f.sub.Name, "after", lost.After, "position", lost.Position)
}

// seeing returns a context with the rights of the subscription.
func (s *Subscription) seeing(ctx context.Context) context.Context {
	return dovetail.WithPrincipal(ctx, s.As)
}
