package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// listOnly lists some ids, and counts how often it is asked.
type listOnly struct {
	Reader
	ids   []dovetail.ID // sorted
	asked int
}

// List implements Reader.
func (l *listOnly) List(_ context.Context, q Query) iter.Seq2[*dovetail.Document, error] {
	l.asked++
	return func(yield func(*dovetail.Document, error) bool) {
		n := 0
		for _, id := range l.ids {
			if id <= q.After || !id.IsDescendantOf(q.Under) {
				continue
			}
			if n++; !yield(&dovetail.Document{ID: id}, nil) || n == q.Limit {
				return
			}
		}
	}
}

// TestEachDescendantLikeDefinition looks below ids of any shape, among them prefixes of each other.
func TestEachDescendantLikeDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{"a", "a-", "a0", "b", "aa", "%2F", "z"})
		ids := rapid.Custom(func(t *rapid.T) (id dovetail.ID) {
			for range rapid.IntRange(1, 3).Draw(t, "depth") {
				id = id.Child(rapid.SampledFrom([]string{"k", "l"}).Draw(t, "name"), value.Draw(t, "value"))
			}
			return id
		})
		stored := rapid.SliceOfNDistinct(ids, 0, 80, rapid.ID).Draw(t, "stored")
		of := rapid.SliceOfN(ids, 0, 12).Draw(t, "of")
		slices.SortFunc(stored, cmp.Compare[dovetail.ID])
		var want, got []dovetail.ID
		for _, id := range stored {
			if slices.ContainsFunc(of, id.IsDescendantOf) {
				want = append(want, id)
			}
		}
		err := eachDescendant(context.Background(), &listOnly{ids: stored}, of, func(doc *dovetail.Document) error {
			got = append(got, doc.ID)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("below %v of %v: got %v (%v), want %v", of, stored, got, err, want)
		}
	})
}

func TestEachDescendantReadsOfNeighborsTogether(t *testing.T) {
	const parents, children = 1000, 10
	var stored listOnly
	var of []dovetail.ID
	for p := range parents {
		parent := dovetail.ID(fmt.Sprintf("box/%04d", p))
		of, stored.ids = append(of, parent), append(stored.ids, parent)
		for c := range children {
			stored.ids = append(stored.ids, parent.Child("part", fmt.Sprint(c)))
		}
	}
	found := 0
	err := eachDescendant(t.Context(), &stored, of, func(*dovetail.Document) error { found++; return nil })
	if err != nil || found != parents*children || stored.asked > 20 {
		t.Errorf("%d documents were found in %d reads: %v", found, stored.asked, err)
	}
}
