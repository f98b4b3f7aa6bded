package webhook_test

import (
	"context"
	"fmt"
	"iter"
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

func (b expired) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	if after != b.position {
		return b.Backend.Changes(ctx, after)
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
