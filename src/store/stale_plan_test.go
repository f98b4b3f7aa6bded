package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// meddled is a backend on which another writer is done between two reads.
type meddled struct {
	store.Backend
	reads  int
	before int // which read it is that the other writer is faster than
	write  func()
}

func (b *meddled) read() {
	if b.reads++; b.reads == b.before {
		b.write()
	}
}

func (b *meddled) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	b.read()
	return b.Backend.Get(ctx, id)
}

func (b *meddled) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	b.read()
	return b.Backend.GetAll(ctx, ids)
}

// TestRefusalsOfStalePlans: the reason for which a transaction is refused holds at one moment, whenever another writer commits: a transaction
// is not refused for what it could have done.
func TestRefusalsOfStalePlans(t *testing.T) {
	tests := []struct {
		name  string
		given []string
		other string
		ops   []string
	}{
		{name: "put of what is created", other: "create project/p", ops: []string{"put project/p", "create project/q/app/a", "delete project/r"}},
		{name: "put of what is changed", given: []string{"create project/p"}, other: `put project/p {"a":1}`, ops: []string{`put project/p {"a":2}`, "create project/q/app/a", "delete project/r"}},
		{name: "put of what is deleted", given: []string{"create project/p"}, other: "delete project/p", ops: []string{`put project/p {"a":2}`, "create project/q/app/a", "delete project/r"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			most := 0
			for before := 1; before <= max(most, 1); before++ {
				s := open(t, testSchema)
				if len(tt.given) > 0 {
					apply(t, s, tt.given...)
				}
				b := &meddled{Backend: s.Backend(), write: func() { apply(t, s, tt.other) }}
				over := openOn(t, b, s.Model(), store.Config{})
				b.reads, b.before = 0, before
				_, err := over.Apply(t.Context(), ops(t, tt.ops...), store.Options{})
				var about []dovetail.ID
				for _, part := range dovetail.AsError(err).Errors {
					about = append(about, part.Key)
				}
				if want := []dovetail.ID{"project/q/app/a", "project/r"}; !slices.Equal(about, want) {
					t.Errorf("before read %d: %v", before, err)
				}
				most = max(most, b.reads)
			}
			if most < 2 {
				t.Errorf("only %d reads", most)
			}
		})
	}
}
