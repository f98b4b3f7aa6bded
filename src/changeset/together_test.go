package changeset_test

import (
	"context"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// commits keeps the transactions of a backend.
type commits struct {
	store.Backend
	all []store.Txn
}

func (c *commits) Commit(ctx context.Context, txn store.Txn) error {
	c.all = append(c.all, txn)
	return c.Backend.Commit(ctx, txn)
}

// TestStagedTogetherWithKey stages a write under an idempotency key: one transaction has both, so that neither can be lost without the other.
func TestStagedTogetherWithKey(t *testing.T) {
	backend := &commits{Backend: apitest.Closing(t, apitest.OpenBolt(t))}
	s := apitest.NewStore(t, backend, store.Config{}, "testdata/shop.yaml", "ref-schemas/v1.yaml")
	sets := changeset.New(s, changeset.Options{})
	if _, err := sets.Create(t.Context(), "one", "", "", store.Options{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		view, err := sets.View(t.Context(), "one", true)
		if err != nil {
			t.Fatal(err)
		}
		op := store.Operation{Verb: store.Create, ID: "project/p", Data: spec(t, "{}")}
		if _, err := view.Store.Apply(t.Context(), []store.Operation{op}, store.Options{Key: "k"}); err != nil {
			t.Fatal(err)
		}
	}
	writes := func(txn store.Txn, kind string) bool {
		return slices.ContainsFunc(txn.Puts, func(doc *dovetail.Document) bool { return doc.Kind == kind })
	}
	staged := 0
	for _, txn := range backend.all {
		if keyed := writes(txn, store.IdempotencyKind); keyed != writes(txn, changeset.KindOperation) {
			t.Errorf("the key and what is staged are written apart: %v", txn.Puts)
		} else if keyed {
			staged++
		}
	}
	if staged != 1 {
		t.Errorf("it was staged %d times", staged)
	}
}
