package webhook

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// skipped is after how many transactions without an event the progress is written all the same, so that it does not fall behind the
// history. Each such write is a transaction of the feed itself.
const skipped = 1000

// remembered is how many transactions that were done with are known, where the feed may leave some out.
const remembered = 1000

// feed makes the events of a subscription of the transactions of the store.
type feed struct {
	*Webhooks
	sub    Subscription
	fence  *store.Condition
	recent []store.Cursor // that were done with
}

// follow delivers events until the context ends, or an error.
func (f *feed) follow(ctx context.Context) error {
	p, err := f.begin(ctx, f.sub.Name)
	if err != nil {
		return err
	}
	f.recent = nil
	if last, err := f.store.Backend().Transaction(ctx, p.After); err == nil {
		f.recent = []store.Cursor{last.Cursor}
	}
	idle := 0
	for set, err := range f.store.Backend().Changes(ctx, p.After) {
		if code := dovetail.CodeOf(err); err != nil && (code == dovetail.CodeExpired || code == dovetail.CodeInvalid) { // or of another database
			return f.lost(ctx, p)
		}
		if err != nil {
			return err
		}
		sent, err := f.deliverAll(ctx, p, set)
		if err != nil {
			return err
		}
		if idle++; sent == 0 && idle < skipped {
			continue
		}
		idle = 0
		p.After, p.Time, p.Sent = set.Cursor, set.Time, nil
		if err := f.save(ctx, f.sub.Name, p, f.fence, store.Txn{}); err != nil {
			return err
		}
	}
	return nil
}

// deliverAll delivers the events of a transaction of the feed, and of those that the feed left out before it. It returns how many
// there are.
func (f *feed) deliverAll(ctx context.Context, p *progress, set store.Transaction) (int, error) {
	if !slices.ContainsFunc(set.Changes, func(c store.Change) bool { return !store.IsInternal(c.ID) }) {
		return 0, nil
	}
	all := []store.Transaction{set}
	if !f.store.Backend().Capabilities().EveryChange {
		var err error
		if all, err = f.complete(ctx, p.Time, set); err != nil {
			return 0, err
		}
	}
	n := 0
	for _, one := range all {
		events, err := f.events(ctx, one)
		if err != nil {
			return n, err
		}
		for _, event := range events {
			n++
			if slices.Contains(p.Sent, event.id) {
				continue
			}
			if err := f.deliver(ctx, p, event); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// complete returns a transaction of the feed with all of its changes, after those since a time that the feed left out because
// later changes of the same documents overtook them.
func (f *feed) complete(ctx context.Context, since time.Time, set store.Transaction) ([]store.Transaction, error) {
	backend := f.store.Backend()
	whole, err := backend.Transaction(ctx, set.Cursor)
	if dovetail.CodeOf(err) == dovetail.CodeExpired {
		return []store.Transaction{set}, nil
	}
	if err != nil {
		return nil, err
	}
	all := []store.Transaction{whole}
	for _, c := range whole.Changes {
		if store.IsInternal(c.ID) {
			continue
		}
		for v, err := range backend.Versions(ctx, c.ID) {
			if dovetail.CodeOf(err) == dovetail.CodeNotFound || err == nil && (v.Cursor == "" || v.Time.Before(since)) {
				break
			}
			if err != nil {
				return nil, err
			}
			if v.Time.After(whole.Time) || v.Cursor == whole.Cursor {
				continue
			}
			earlier, err := backend.Transaction(ctx, v.Cursor)
			if dovetail.CodeOf(err) == dovetail.CodeExpired {
				break
			}
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(all, func(t store.Transaction) bool { return t.Cursor == earlier.Cursor }) && earlier.Cursor != whole.Cursor {
				all = append(all, earlier)
			}
		}
	}
	all = slices.DeleteFunc(all, func(t store.Transaction) bool { return slices.Contains(f.recent, t.Cursor) })
	slices.SortStableFunc(all, func(a, b store.Transaction) int { return a.Time.Compare(b.Time) })
	for _, t := range all {
		f.recent = append(f.recent, t.Cursor)
	}
	f.recent = f.recent[max(0, len(f.recent)-remembered):]
	return all, nil
}

// events are those of a transaction, as the principal of the subscription may see it now.
func (f *feed) events(ctx context.Context, set store.Transaction) ([]*Event, error) {
	ctx = f.sub.seeing(ctx)
	shown, some := f.store.Shown(ctx, set)
	if !some {
		return nil, nil
	}
	var events []*Event
	if e := f.sub.transactionEvent(shown); e != nil {
		events = append(events, e)
	}
	for _, c := range shown.Changes {
		if c.Kind != changeSetKind {
			continue
		}
		before, after, err := f.around(ctx, shown.Cursor, c)
		if err != nil {
			return nil, err
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

// around returns a document before and after a transaction, nil where it was not there or is no longer kept.
func (f *feed) around(ctx context.Context, position store.Cursor, c store.Change) (before, after *dovetail.Document, err error) {
	found := false
	for v, err := range f.store.History(ctx, c.ID) {
		switch code := dovetail.CodeOf(err); {
		case err != nil && (code == dovetail.CodeNotFound || code == dovetail.CodeExpired):
			return nil, after, nil
		case err != nil:
			return nil, nil, err
		case found && v.Op == store.Deleted:
			return nil, after, nil
		case found:
			return v.Document, after, nil
		case v.Cursor == position, v.UID == c.UID && v.Revision == c.Revision && (v.Op == store.Deleted) == (c.Op == store.Deleted):
			if found, after = true, v.Document; c.Op == store.Created {
				return nil, after, nil
			}
		}
	}
	return nil, after, nil
}

// lost tells the receiver that the history no longer reaches back to the last event, and goes on from now.
func (f *feed) lost(ctx context.Context, p *progress) error {
	head, err := f.store.Head(ctx)
	if err != nil {
		return err
	}
	f.options.Log.Error("webhook events were lost, as the history no longer reaches back to the last one", "webhook", f.sub.Name, "after", p.After)
	event := &Event{Type: EventsLost, Time: f.options.Clock.Now().UTC(), Data: Data{Position: head, After: string(p.After)}}
	event.identify(f.sub.Name, string(p.After))
	if err := f.deliver(ctx, p, event); err != nil {
		return err
	}
	p.After, p.Time, p.Sent = head, event.Time, nil
	return f.save(ctx, f.sub.Name, p, f.fence, store.Txn{})
}

// seeing returns a context with the rights of the subscription.
func (s *Subscription) seeing(ctx context.Context) context.Context {
	return dovetail.WithPrincipal(ctx, s.As)
}
