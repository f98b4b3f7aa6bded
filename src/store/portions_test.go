package store_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// unlimited counts the lists of snapshots that have no limit.
type unlimited struct {
	store.Backend
	lists *int
	own   *int // documents of the store's own that were read
}

type unlimitedSnapshot struct {
	store.Snapshot
	lists, own *int
}

func (u unlimited) At(ctx context.Context, position store.Cursor) (store.Snapshot, error) {
	s, err := u.Backend.At(ctx, position)
	if err != nil {
		return nil, err
	}
	return unlimitedSnapshot{s, u.lists, u.own}, nil
}

func (u unlimitedSnapshot) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	if q.Limit == 0 {
		*u.lists++
	}
	return func(yield func(*dovetail.Document, error) bool) {
		for doc, err := range u.Snapshot.List(ctx, q) {
			if doc != nil && store.IsInternal(doc.ID) {
				*u.own++
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// TestPagesReadNoMoreThanTheyShow: the embedded store copies all that a list selects before it yields any, so a page of all documents
// asks for no more than it shows, and loses none beside documents of the store's own.
func TestPagesReadNoMoreThanTheyShow(t *testing.T) {
	inner, err := bolt.Open(filepath.Join(memdir.New(t), "store.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	lists, read := 0, 0
	backend := unlimited{inner, &lists, &read}
	s := openOn(t, backend, compile(t, testSchema), store.Config{})
	var lines []string
	for n := range 23 {
		lines = append(lines, fmt.Sprintf("create project/p%02d", n))
	}
	apply(t, s, lines...)
	var own store.Txn
	for n := range 30 {
		own.Puts = append(own.Puts, &dovetail.Document{ID: dovetail.ID(fmt.Sprintf("_own/d%02d", n)), Kind: "_own", UID: "u", Revision: 1})
	}
	if err := backend.Commit(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{1, 2, 7, 22, 23, 24} {
		read = 0
		var got []dovetail.ID
		for q := (store.ListQuery{Limit: limit}); ; {
			page, err := s.List(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range page.Documents {
				got = append(got, doc.ID)
			}
			if page.Next == "" {
				break
			}
			q.After, q.Position = page.Next, page.Position
		}
		if len(got) != 23 || got[0] != "project/p00" || got[22] != "project/p22" {
			t.Errorf("pages of %d have %v", limit, got)
		}
		if read > 1 {
			t.Errorf("pages of %d read %d documents of the store's own", limit, read)
		}
	}
	if lists > 0 {
		t.Errorf("%d lists at a position have no limit", lists)
	}
}
