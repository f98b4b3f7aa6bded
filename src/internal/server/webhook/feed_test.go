package webhook_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// expired is a backend whose history does not reach back to a position.
type expired struct {
	store.Backend
	position store.Cursor
}

func (b expired) TransactionsAfter(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	if after != b.position {
		return b.Backend.TransactionsAfter(ctx, after)
	}
	return func(yield func(store.Transaction, error) bool) {
		yield(store.Transaction{}, &dovetail.Error{Code: dovetail.CodeExpired, Message: "too old"})
	}
}

// overtaking is a backend whose feed leaves out what a later change of the same document overtakes.
type overtaking struct{ store.Backend }

func (b overtaking) Capabilities() store.Capabilities {
	c := b.Backend.Capabilities()
	c.EveryChange = false
	return c
}

func (b overtaking) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		for set, err := range b.Backend.Changes(ctx, after) {
			if err == nil {
				set.Changes = slices.DeleteFunc(slices.Clone(set.Changes), func(c store.Change) bool {
					doc, err := b.Get(ctx, c.ID)
					return err == nil && doc.Revision != c.Revision || dovetail.CodeOf(err) == dovetail.CodeNotFound && c.Op != store.Deleted
				})
				if len(set.Changes) == 0 {
					continue
				}
			}
			if !yield(set, err) || err != nil {
				return
			}
		}
	}
}

// together is a backend whose commits from one position to another are of one instant: they have the same cursor.
type together struct {
	store.Backend
	from, to store.Cursor
}

func (b together) TransactionsAfter(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		for set, err := range b.Backend.TransactionsAfter(ctx, after) {
			if err == nil && b.before(b.from, set.Cursor) && b.before(set.Cursor, b.to) {
				set.Cursor = b.to
			}
			if !yield(set, err) {
				return
			}
		}
	}
}

func (b together) before(one, other store.Cursor) bool {
	order, err := b.Compare(one, other)
	return err == nil && order < 0
}

// TestCommitsOfOneInstant delivers each of the commits that share a position, also if the process dies between them.
func TestCommitsOfOneInstant(t *testing.T) {
	b := newBench(t, "")
	sub := b.subscription("a", "events: [transaction.committed]")
	b.start(sub)
	b.stop()
	for _, id := range []dovetail.ID{"cluster/a", "cluster/b", "cluster/c"} {
		b.put("ann", "", id)
	}
	head, err := b.store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.backend.Backend = together{b.backend.Backend, store.Cursor(b.list()[0].Position), head}
	records := 0
	b.backend.failWith(func(txn store.Txn) error {
		if len(txn.Puts) > 0 && txn.Puts[0].Kind == "_webhook" {
			if records++; records > 1 {
				return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the process dies here"}
			}
		}
		return nil
	})
	b.start(sub)
	b.receiver.wait(2)
	b.stop()
	b.backend.failWith(nil)
	b.start(sub)
	b.until("all are delivered", func() bool { one := b.list()[0]; return one.Delivered == 3 && one.Behind == 0 })
	b.receiver.mu.Lock()
	defer b.receiver.mu.Unlock()
	events := make(map[string]string)
	for _, one := range b.receiver.all {
		events[one.id] = one.String()
	}
	if got, want := slices.Sorted(maps.Values(events)), []string{"transaction.committed created cluster/a",
		"transaction.committed created cluster/b", "transaction.committed created cluster/c"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestRedeliverOvertaken delivers a dead letter again if the feed shows that it is asked for only as the creation of the letter.
func TestRedeliverOvertaken(t *testing.T) {
	b := newBench(t, "")
	b.backend.Backend = creating{b.backend.Backend}
	refuse := true
	b.receiver.answerWith(func(received) int {
		if refuse {
			return http.StatusUnprocessableEntity
		}
		return http.StatusOK
	})
	b.start(b.subscription("a", "events: [transaction.committed]"))
	b.put("ann", "", "cluster/a")
	b.until("there is a dead letter", func() bool { return len(b.letters("a")) == 1 })
	b.receiver.mu.Lock()
	refuse = false
	b.receiver.mu.Unlock()
	if _, err := b.hooks.Redeliver(system(t), "a", nil); err != nil {
		t.Fatal(err)
	}
	b.receiver.wait(1)
}

// creating is a backend whose feed shows updates as creations.
type creating struct{ store.Backend }

func (b creating) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		for set, err := range b.Backend.Changes(ctx, after) {
			set.Changes = slices.Clone(set.Changes)
			for i := range set.Changes {
				if set.Changes[i].Op == store.Updated {
					set.Changes[i].Op = store.Created
				}
			}
			if !yield(set, err) {
				return
			}
		}
	}
}

// TestErasedChangeSet says which events are lost if the versions that they are made of were erased.
func TestErasedChangeSet(t *testing.T) {
	b := newBench(t, "")
	sub := b.subscription("a", "events: ['change-set.*']")
	b.start(sub)
	b.stop()
	b.apply("ann", "", store.Operation{Verb: store.Put, ID: "changeSet/x", Data: b.value(`{}`)})
	for i := range 3 {
		b.apply("ann", "", store.Operation{Verb: store.PutStatus, ID: "changeSet/x", Data: b.value(fmt.Sprintf(`{"state": "open", "digest": "%d"}`, i))})
	}
	retention := store.Retention{Kinds: map[string]store.KindRetention{"changeSet": {Versions: 1}}}
	if err := b.store.Backend().Expire(t.Context(), retention); err != nil {
		t.Fatal(err)
	}
	b.apply("ann", "", store.Operation{Verb: store.PutStatus, ID: "changeSet/x", Data: b.value(`{"state": "closed", "digest": "2"}`)})
	b.start(sub)
	want := []string{"events.lost", "events.lost", "events.lost", "change-set.edited x", "change-set.closed x"}
	if got := b.receiver.wait(len(want)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if failing, lost, err := b.hooks.Standing(t.Context()); failing != 0 || lost != 1 || err != nil {
		t.Errorf("%d are failing, %d have lost events, %v", failing, lost, err)
	}
	b.receiver.mu.Lock()
	defer b.receiver.mu.Unlock()
	ids := make(map[string]bool)
	for i, one := range b.receiver.all[:3] {
		ids[one.id] = true
		if i > 0 && one.event.Data.After != string(b.receiver.all[i-1].event.Data.Position) {
			t.Errorf("event %d is %+v", i, one.event.Data)
		}
	}
	if len(ids) != 3 {
		t.Errorf("there are %d ids of 3 events", len(ids))
	}
}

// TestOvertaken delivers each transaction whole and once, in order, also where the feed leaves changes out.
func TestOvertaken(t *testing.T) {
	b := newBench(t, "")
	b.backend.Backend = overtaking{b.backend.Backend}
	sub := b.subscription("a", "events: [transaction.committed]")
	b.start(sub)
	b.put("ann", "0", "cluster/a")
	b.receiver.wait(1)
	b.until("it is recorded", func() bool { return b.list()[0].Delivered == 1 })
	b.stop()
	for i := range 4 {
		b.put("ann", fmt.Sprint(i), "cluster/a", dovetail.ID(fmt.Sprintf("cluster/b%d", i/2)))
	}
	b.apply("ann", "", store.Operation{Verb: store.Delete, ID: "cluster/b0"})
	b.start(sub)
	want := []string{"transaction.committed created cluster/a",
		"transaction.committed updated cluster/a created cluster/b0", "transaction.committed updated cluster/a updated cluster/b0",
		"transaction.committed updated cluster/a created cluster/b1", "transaction.committed updated cluster/a updated cluster/b1",
		"transaction.committed deleted cluster/b0"}
	got := b.receiver.wait(len(want))
	b.until("all are recorded", func() bool { return b.list()[0].Delivered == len(want) })
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
