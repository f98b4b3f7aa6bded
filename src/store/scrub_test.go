package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestScrub damages what is stored behind the store's back.
func TestScrub(t *testing.T) {
	tests := []struct {
		name     string
		damage   store.Txn
		change   func(doc *dovetail.Document) // of project/p/app/b
		repaired bool                         // while the scrub pauses
		want     []string
	}{
		{name: "nothing"},
		{name: "a parent has gone", damage: store.Txn{Deletes: []dovetail.ID{"project/p"}}, want: []string{"project/p/app/a dangling-parent", "project/p/app/b dangling-parent"}},
		{name: "data that is no object", change: func(doc *dovetail.Document) { doc.Data = []byte(`7`) }, want: []string{"project/p/app/b unreadable-data"}},
		{name: "a write that was under way", damage: store.Txn{Deletes: []dovetail.ID{"project/p"}}, repaired: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := openWith(t, testSchema, store.Config{})
			apply(t, s, "create project/p", "create project/p/app/a", "create project/p/app/b")
			project := get(t, s, "project/p")
			if tt.change != nil {
				doc := get(t, s, "project/p/app/b")
				tt.change(doc)
				tt.damage.Puts = []*dovetail.Document{doc}
			}
			if err := s.Backend().Commit(t.Context(), tt.damage); err != nil {
				t.Fatal(err)
			}
			pauses := 0
			result, err := s.Scrub(t.Context(), func(ctx context.Context) error {
				if pauses++; tt.repaired {
					return s.Backend().Commit(ctx, store.Txn{Puts: []*dovetail.Document{project}})
				}
				return nil
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range result.Findings {
				got = append(got, string(f.ID)+" "+f.Problem)
			}
			if !slices.Equal(got, tt.want) || result.Total != len(tt.want) || pauses == 0 {
				t.Errorf("found %q in %+v, want %q", got, result, tt.want)
			}
			if last, err := s.LastScrub(t.Context()); err != nil || last.Total != result.Total || last.Documents != result.Documents {
				t.Errorf("the last scrub is %+v, %v", last, err)
			}
		})
	}
}

func TestScrubEndsWithItsContext(t *testing.T) {
	s := openWith(t, testSchema, store.Config{})
	apply(t, s, "create project/p")
	ended := errors.New("ended")
	if _, err := s.Scrub(t.Context(), func(context.Context) error { return ended }, nil); !errors.Is(err, ended) {
		t.Errorf("got %v", err)
	}
	if last, err := s.LastScrub(t.Context()); last != nil || err != nil {
		t.Errorf("a scrub that was not finished is %+v, %v", last, err)
	}
}
