package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// countsReads counts how many documents are read.
type countsReads struct {
	store.Backend
	documents atomic.Int64
}

func (b *countsReads) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	b.documents.Add(1)
	return b.Backend.Get(ctx, id)
}

func (b *countsReads) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	b.documents.Add(int64(len(ids)))
	return b.Backend.GetAll(ctx, ids)
}

// TestWatchesShareReads counts the reads that the changes of a few documents take while many watch them.
func TestWatchesShareReads(t *testing.T) {
	const watches = 200
	tests := []struct {
		name   string
		writes [][]string // each a transaction
		want   int64      // documents read at most
		last   string
	}{
		{name: "a creation", writes: [][]string{{"create project/p"}}, want: 1, last: "created 1 true"},
		{name: "updates", writes: [][]string{{"create project/p"}, {`put project/p {"x":1}`}, {`put project/p {"x":2}`}}, want: 3, last: "updated 3 true"},
		{name: "a transaction of two", writes: [][]string{{"create project/q", "create project/p"}}, want: 2, last: "created 1 true"},
		{name: "a document that has gone", writes: [][]string{{"create project/p"}, {"delete project/p"}}, want: 1, last: "deleted 1 false"},
		{name: "a document that was created again", writes: [][]string{{"create project/p"}, {"delete project/p"}, {"create project/p"}}, want: 2, last: "created 1 true"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			plain := open(t, testSchema)
			backend := &countsReads{Backend: plain.Backend()}
			s := openOn(t, backend, plain.Model(), store.Config{})
			head, err := s.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, transaction := range test.writes {
				apply(t, s, transaction...)
			}
			backend.documents.Store(0)
			var all sync.WaitGroup
			for range watches {
				all.Go(func() {
					n, last := 0, ""
					for event, err := range s.Watch(t.Context(), head, store.WatchQuery{}) {
						if err != nil {
							t.Error(err)
							return
						}
						for _, c := range event.Changes {
							if c.ID == "project/p" {
								last = fmt.Sprintf("%s %d %t", c.Op, c.Revision, c.Document != nil)
							}
						}
						if n++; n == len(test.writes) {
							break
						}
					}
					if last != test.last {
						t.Errorf("a watch gets %s last, want %s", last, test.last)
					}
				})
			}
			all.Wait()
			if n := backend.documents.Load(); n > test.want {
				t.Errorf("%d documents were read for %d watches, want %d", n, watches, test.want)
			}
		})
	}
}

// TestWatchReadsOutliveTheirWatch has a watch end while others wait for what it reads.
func TestWatchReadsOutliveTheirWatch(t *testing.T) {
	plain := open(t, testSchema)
	backend := &stopsReads{Backend: plain.Backend(), reading: make(chan struct{})}
	s := openOn(t, backend, plain.Model(), store.Config{})
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, "create project/p")
	backend.stops.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	first := func(ctx context.Context) error {
		for event, err := range s.Watch(ctx, head, store.WatchQuery{}) {
			if err == nil && event.Changes[0].Document == nil {
				return errors.New("an event without its document")
			}
			return err
		}
		return ctx.Err()
	}
	var all sync.WaitGroup
	all.Go(func() {
		if err := first(ctx); err == nil {
			t.Error("the watch that was ended has got an event")
		}
	})
	<-backend.reading
	for range 10 {
		all.Go(func() {
			if err := first(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	cancel()
	all.Wait()
}

// stopsReads has the first read wait until its context ends.
type stopsReads struct {
	store.Backend
	stops   atomic.Bool
	reading chan struct{}
}

func (b *stopsReads) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	if b.stops.CompareAndSwap(true, false) {
		close(b.reading)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return b.Backend.Get(ctx, id)
}
