package layering_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
	"github.com/dovetail-store/dovetail/src/store"
)

// stopping is a store that deletes no buckets and contents while it is stopped, as if the process had ended.
type stopping struct {
	*store.Store
	stopped atomic.Bool
}

func (s *stopping) Apply(ctx context.Context, operations []store.Operation, o store.Options) (*store.Result, error) {
	if s.stopped.Load() && slices.ContainsFunc(operations, func(op store.Operation) bool {
		return op.Verb == store.Delete && (strings.HasPrefix(string(op.ID), "layeringBucket/") || strings.HasPrefix(string(op.ID), "layeringContent/"))
	}) {
		return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the process has ended"}
	}
	return s.Store.Apply(ctx, operations, o)
}

// TestDeletionOfMany deletes so many documents that what they held goes after the revisions, also where the process ends between: no reader sees
// a revision of it, and no writer any rest.
func TestDeletionOfMany(t *testing.T) {
	first, err := rendering.Parse("", sitegen.Site(2100))
	if err != nil {
		t.Fatal(err)
	}
	second, err := rendering.Parse("", []byte(strings.ReplaceAll(string(sitegen.Site(2100)), "mtu: 9000", "mtu: 1500")))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		stopped bool
	}{{name: "at once"}, {name: "by another process", stopped: true}} {
		t.Run(tt.name, func(t *testing.T) {
			each := mongotest.Each
			if !tt.stopped { // which the other case does too
				each = func(t *testing.T, test func(*testing.T, func(testing.TB) store.Backend)) { test(t, apitest.OpenBolt) }
			}
			each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
				at := &stopping{Store: newStore(t, open(t))}
				r := layering.New(at, layering.Options{})
				put := func(r *layering.Revisions, documents []*rendering.Document, number int) {
					t.Helper()
					written, err := r.Put(t.Context(), "a", documents, layering.PutOptions{})
					if err != nil || written.Revision.Number != number {
						t.Fatalf("got %+v, %v, want revision %d", written, err, number)
					}
				}
				put(r, first, 1)
				put(r, second, 2)
				at.stopped.Store(tt.stopped)
				if err := r.DeleteAll(t.Context(), store.Options{}); err != nil {
					t.Fatal(err)
				}
				for _, number := range []int{1, 2} {
					if _, err := r.Revision(t.Context(), number); dovetail.CodeOf(err) != dovetail.CodeNotFound {
						t.Errorf("revision %d after the deletion: %v", number, err)
					}
				}
				if tt.stopped {
					if doc, err := at.Get(t.Context(), "layeringBucket/a"); err != nil {
						t.Errorf("the deletion did not stop: %v, %v", doc, err)
					}
					if _, err := r.Put(t.Context(), "a", second, layering.PutOptions{}); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
						t.Errorf("a write before what is left is deleted: %v", err)
					}
				}
				other := layering.New(at.Store, layering.Options{})
				if err := other.DeleteAll(t.Context(), store.Options{}); err != nil {
					t.Errorf("a second deletion: %v", err)
				}
				put(other, first, 1)
				for finding, err := range at.Check(t.Context(), false) {
					t.Errorf("fsck: %+v %v", finding, err)
				}
				page, err := at.List(t.Context(), store.ListQuery{Kind: "layeringContent"})
				if err != nil || len(page.Documents) > 0 {
					t.Errorf("%d contents of older revisions are left: %v", len(page.Documents), err)
				}
				at.stopped.Store(false)
				put(r, second, 2)
			})
		})
	}
}
