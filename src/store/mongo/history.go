package mongo

import (
	"context"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// snapshot reads in causally consistent sessions, on which the protocol relies.
type snapshot struct {
	store.Snapshot
	backend *Backend
}

// At returns the store as of a position; see store.Historian.
func (b *Backend) At(ctx context.Context, position store.Cursor) (store.Snapshot, error) {
	ctx, end := b.consistent(ctx)
	defer end()
	s, err := b.Engine.At(ctx, position)
	if err != nil {
		return nil, err
	}
	return snapshot{s, b}, nil
}

// PositionAt returns a position after the commits up to the end of the second of a time; see store.Historian.
func (b *Backend) PositionAt(ctx context.Context, at time.Time) (store.Cursor, error) {
	ctx, end := b.consistent(ctx)
	defer end()
	return b.Engine.PositionAt(ctx, at)
}

// Versions yields the history of a document, newest first; see store.Historian.
func (b *Backend) Versions(ctx context.Context, id dovetail.ID) iter.Seq2[store.Version, error] {
	return consistently(ctx, b, func(ctx context.Context) iter.Seq2[store.Version, error] { return b.Engine.Versions(ctx, id) })
}

// CurrentVersions returns the versions that documents have; see store.Historian.
func (b *Backend) CurrentVersions(ctx context.Context, ids []dovetail.ID) ([]*store.Version, error) {
	ctx, end := b.consistent(ctx)
	defer end()
	return b.Engine.CurrentVersions(ctx, ids)
}

// Transaction returns the commit with the position; see store.Historian.
func (b *Backend) Transaction(ctx context.Context, position store.Cursor) (store.Transaction, error) {
	ctx, end := b.consistent(ctx)
	defer end()
	return b.Engine.Transaction(ctx, position)
}

// Transactions yields the commits before a position, newest first; see store.Historian.
func (b *Backend) Transactions(ctx context.Context, before store.Cursor) iter.Seq2[store.Transaction, error] {
	return consistently(ctx, b, func(ctx context.Context) iter.Seq2[store.Transaction, error] {
		return b.Engine.Transactions(ctx, before)
	})
}

// TransactionsAfter yields all commits after a position up to now, oldest first; see store.Historian.
func (b *Backend) TransactionsAfter(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return consistently(ctx, b, func(ctx context.Context) iter.Seq2[store.Transaction, error] {
		return b.Engine.TransactionsAfter(ctx, after)
	})
}

// consistently yields a sequence that is read in one session.
func consistently[T any](ctx context.Context, b *Backend, items func(context.Context) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, end := b.consistent(ctx)
		defer end()
		items(ctx)(yield)
	}
}

// Get implements store.Reader.
func (s snapshot) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	ctx, end := s.backend.consistent(ctx)
	defer end()
	return s.Snapshot.Get(ctx, id)
}

// GetAll implements store.Reader.
func (s snapshot) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	ctx, end := s.backend.consistent(ctx)
	defer end()
	return s.Snapshot.GetAll(ctx, ids)
}

// List implements store.Reader.
func (s snapshot) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return consistently(ctx, s.backend, func(ctx context.Context) iter.Seq2[*dovetail.Document, error] { return s.Snapshot.List(ctx, q) })
}

// Referrers implements store.Reader.
func (s snapshot) Referrers(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	ctx, end := s.backend.consistent(ctx)
	defer end()
	return s.Snapshot.Referrers(ctx, of, after, limit)
}
