package finder

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/store"
)

// database is a Source with a feed that the test writes.
type database struct {
	documents []*dovetail.Document
	feed      chan store.Transaction
	err       error
	fills     int
}

func (d *database) Head(context.Context) (store.Cursor, error) { return "1", d.err }

func (d *database) List(context.Context, store.Query) iter.Seq2[*dovetail.Document, error] {
	d.fills++
	return func(yield func(*dovetail.Document, error) bool) {
		for _, doc := range d.documents {
			if !yield(doc, nil) {
				return
			}
		}
	}
}

func (d *database) Changes(ctx context.Context, _ store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		for {
			select {
			case set, open := <-d.feed:
				if !open {
					yield(store.Transaction{}, errors.New("the feed is lost"))
					return
				}
				if !yield(set, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func newDatabase(ids ...dovetail.ID) *database {
	d := &database{feed: make(chan store.Transaction)}
	for _, id := range ids {
		d.documents = append(d.documents, &dovetail.Document{ID: id, Kind: "cluster"})
	}
	return d
}

func finds(t *testing.T, f *Finder, text string) int {
	t.Helper()
	found, _, err := f.Find(t.Context(), Query{Text: text, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func TestFinderFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase("cluster/a1", "_internal/a2")
		f := New(d)
		defer f.Close()
		if n := finds(t, f, "a"); n != 1 {
			t.Errorf("found %d, want one", n)
		}
		d.feed <- store.Transaction{Changes: []store.Change{{Op: store.Created, ID: "cluster/a3", Kind: "cluster"}, {Op: store.Deleted, ID: "cluster/a1", Kind: "cluster"}, {Op: store.Created, ID: "_internal/a4"}, {Op: store.Updated, ID: "cluster/a5", Kind: "cluster"}}}
		synctest.Wait()
		if n := finds(t, f, "a"); n != 2 || d.fills != 1 {
			t.Errorf("found %d after %d fills, want 2 after one", n, d.fills)
		}
		clocktest.Advance(idle + time.Second)
		synctest.Wait()
		if f.current != nil {
			t.Error("the index is kept although it is not used")
		}
		finds(t, f, "a")
		close(d.feed) // lost: the next query fills another
		synctest.Wait()
		d.feed = make(chan store.Transaction)
		if finds(t, f, "a"); d.fills != 3 {
			t.Errorf("filled %d times, want 3", d.fills)
		}
	})
}

func TestFinderPartial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(newDatabase("cluster/a1", "cluster/a2"))
		defer f.Close()
		f.most = 1
		found, partial, err := f.Find(t.Context(), Query{Text: "a", Limit: 10})
		if len(found) != 1 || !partial || err != nil {
			t.Errorf("got %v, %v, %v", found, partial, err)
		}
	})
}

func TestFinderBecomesPartial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase("cluster/a1", "cluster/a2")
		f := New(d)
		defer f.Close()
		f.most = 2
		for _, step := range []struct {
			change  store.Change
			partial bool
		}{
			{store.Change{Op: store.Updated, ID: "cluster/a1", Kind: "cluster"}, false},
			{store.Change{Op: store.Created, ID: "_internal/a3"}, false},
			{store.Change{Op: store.Created, ID: "cluster/a4", Kind: "cluster"}, true},
			{store.Change{Op: store.Updated, ID: "cluster/a1", Kind: "cluster"}, true},
		} {
			if _, _, err := f.Find(t.Context(), Query{}); err != nil { // the index is filled before it follows
				t.Fatal(err)
			}
			d.feed <- store.Transaction{Changes: []store.Change{step.change}}
			synctest.Wait()
			if _, partial, err := f.Find(t.Context(), Query{Text: "a", Limit: 10}); partial != step.partial || err != nil {
				t.Errorf("after %s %s: partial is %v, %v", step.change.Op, step.change.ID, partial, err)
			}
		}
	})
}

func TestFinderFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase("cluster/a1")
		d.err = errors.New("no database")
		f := New(d)
		defer f.Close()
		if _, _, err := f.Find(t.Context(), Query{Text: "a"}); !errors.Is(err, d.err) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		d.err = nil
		if n := finds(t, f, "a"); n != 1 {
			t.Errorf("found %d after the database is back, want one", n)
		}
	})
}
