package store

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// WatchQuery selects changes: those of one document (ID), or of all documents below Under and of the kind Kind. The
// zero query selects everything.
type WatchQuery struct {
	ID    dovetail.ID
	Under dovetail.ID
	Kind  string
}

func (q WatchQuery) selects(c Change) bool {
	switch {
	case isInternal(c.ID):
		return false
	case q.ID != "":
		return c.ID == q.ID
	}
	return (q.Kind == "" || c.Kind == q.Kind) && (q.Under == "" || c.ID.IsDescendantOf(q.Under))
}

// Event has the changes of one transaction that a watch selects.
type Event struct {
	Cursor  Cursor        `json:"cursor"`
	Time    time.Time     `json:"time"`
	Changes []EventChange `json:"changes"`
}

// EventChange is a change with the document, read some time after the change: it may have a later version than the
// change, and is nil if it was deleted or recreated in the meantime. Watches share it: it must not be modified.
type EventChange struct {
	Change
	Document *dovetail.Document `json:"document,omitempty"`
}

// bookmarkEvery is after how many commits that a watch does not select it yields its cursor, so that
// a quiet watch does not fall behind the history.
const bookmarkEvery = 1000

// Head returns the current cursor; see Backend.Head.
func (s *Store) Head(ctx context.Context) (Cursor, error) { return s.backend.Head(ctx) }

// CheckCursor returns CodeInvalid if a cursor is not one of this store, so that a client can be informed before its watch starts.
func (s *Store) CheckCursor(ctx context.Context, after Cursor) error {
	for _, err := range s.backend.ChangesUntilNow(ctx, after) {
		if dovetail.CodeOf(err) == dovetail.CodeExpired { // which Changes says
			return nil
		}
		return err
	}
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	return nil
}

// CatchUp calls see with each change that was committed after a cursor, and returns the cursor to continue from. It includes at least
// everything that was committed before the call. With the cursor "" it returns the current cursor and calls nothing. It is for caches:
// it does not check rights or read documents, and includes changes of internal documents. The errors are those of Backend.Changes.
func (s *Store) CatchUp(ctx context.Context, from Cursor, see func(Change)) (Cursor, error) {
	if from == "" {
		return s.backend.Head(ctx)
	}
	for set, err := range s.backend.ChangesUntilNow(ctx, from) {
		if err != nil {
			return "", err
		}
		for _, c := range set.Changes {
			see(c)
		}
		from = set.Cursor
	}
	if ctx.Err() != nil {
		return "", dovetail.AsError(ctx.Err())
	}
	return from, nil
}

// Watch yields the transactions committed after the cursor and then waits for more, until the context ends;
// see Backend.Changes for the guarantees and errors. From time to time it yields an event without changes,
// which only advances the cursor.
func (s *Store) Watch(ctx context.Context, after Cursor, q WatchQuery) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		skipped := 0
		for set, err := range s.backend.Changes(ctx, after) {
			event := Event{Cursor: set.Cursor, Time: set.Time}
			if err == nil {
				event.Changes, err = s.selected(ctx, set, q)
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			if len(event.Changes) == 0 {
				if skipped++; skipped < bookmarkEvery {
					continue
				}
			}
			skipped = 0
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (s *Store) selected(ctx context.Context, set Transaction, q WatchQuery) ([]EventChange, error) {
	first := slices.IndexFunc(set.Changes, q.selects)
	if first < 0 { // of most commits, for most watches
		return nil, nil
	}
	v := s.view(ctx) // asked each time, so that a right that is taken away ends what is shown
	var changes []EventChange
	for _, c := range set.Changes[first:] {
		if q.selects(c) && v.reads(c.Kind, c.ID) {
			changes = append(changes, EventChange{Change: c})
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	documents, err := s.watchReads.documents(ctx, s.backend, changes)
	if err != nil {
		return nil, err
	}
	record := s.reading(ctx)
	for n, doc := range documents {
		if c := &changes[n]; doc != nil {
			c.Document = v.show(doc)
			record.add(ctx, doc)
		}
	}
	return changes, record.keep(ctx)
}
