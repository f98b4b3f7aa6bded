package embedded

import (
	"context"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
)

// Query selects documents. All conditions must hold; the zero Query selects every document.
type Query struct {
	Kind  string      // name of a kind in the ref-schema
	Under dovetail.ID // descendants of this document, at any depth
	// Labels is a label selector on metadata.labels, as Kubernetes writes it: "tier=backend,stage in (test, live),!legacy".
	Labels string
	// Fields is a field selector on the data: "spec.port=443,spec.owner!=core".
	Fields string
	After  dovetail.ID // documents whose id comes later, in byte order
	Limit  int         // at most this many; 0 means all
}

// Get returns the document, or CodeNotFound. Its Data are JSON, for json.Unmarshal.
func (s *Store) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	return s.engine.Get(ctx, id)
}

// List yields the documents that the query selects, in the byte order of their ids, as they are at one instant. The sequence
// ends after the first error, such as CodeInvalid for a selector that cannot be read. To read page by page, set Limit, and After
// to the last id of the page before.
func (s *Store) List(ctx context.Context, q Query) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		query := store.ListQuery{Kind: q.Kind, Under: q.Under, After: q.After, Limit: q.Limit}
		var err error
		if query.Labels, err = selector.ParseLabels(q.Labels); err == nil {
			query.Fields, err = selector.ParseFields(q.Fields)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		count := 0
		for doc, err := range s.engine.Documents(ctx, query) {
			if count++; !yield(doc, err) || count == q.Limit {
				return
			}
		}
	}
}

// References returns the documents that the document references, or CodeNotFound.
func (s *Store) References(ctx context.Context, id dovetail.ID) ([]dovetail.Reference, error) {
	doc, err := s.engine.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return doc.References, nil
}

// Referrers returns the ids of the documents that reference the document, in byte order.
func (s *Store) Referrers(ctx context.Context, id dovetail.ID) ([]dovetail.ID, error) {
	return s.engine.Referrers(ctx, id, "", 0)
}

// Head returns the cursor of now: Watch from it yields what is written from here on.
func (s *Store) Head(ctx context.Context) (store.Cursor, error) { return s.engine.Head(ctx) }

// Watch yields what was written after the cursor, "" for the start of the iteration, and then waits for more, until the context
// ends; that ends the sequence without an error. An event is one transaction. The cursor of the last event seen resumes a watch,
// also after a restart of the program; CodeExpired means that the history no longer reaches so far back: list again. An event
// without changes is only a later cursor.
func (s *Store) Watch(ctx context.Context, after store.Cursor, q store.WatchQuery) iter.Seq2[store.Event, error] {
	if after != "" {
		return s.engine.Watch(ctx, after, q)
	}
	return func(yield func(store.Event, error) bool) {
		head, err := s.engine.Head(ctx)
		if err != nil {
			yield(store.Event{}, err)
			return
		}
		s.engine.Watch(ctx, head, q)(yield)
	}
}
