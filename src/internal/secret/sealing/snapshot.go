package sealing

import (
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// snapshot opens what a snapshot of the inner backend holds.
type snapshot struct {
	store.Snapshot
	backend *Backend
}

// At implements store.Historian.
func (b *Backend) At(ctx context.Context, position store.Cursor) (store.Snapshot, error) {
	s, err := b.Backend.At(ctx, position)
	if err != nil {
		return nil, err
	}
	return &snapshot{s, b}, nil
}

// Get implements store.Reader.
func (s *snapshot) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	doc, err := s.Snapshot.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.backend.openEarlier(ctx, doc)
}

// GetAll implements store.Reader.
func (s *snapshot) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	documents, err := s.Snapshot.GetAll(ctx, ids)
	for i, doc := range documents {
		if doc != nil && err == nil {
			documents[i], err = s.backend.openEarlier(ctx, doc)
		}
	}
	if err != nil {
		return nil, err
	}
	return documents, nil
}

// List implements store.Reader, as Backend.List does.
func (s *snapshot) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return opened(ctx, listStored(ctx, s.Snapshot, q), s.backend.openEarlier)
}

// ListSealed is Sealer.ListSealed of the snapshot.
func (s *snapshot) ListSealed(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return s.backend.listSealed(ctx, s.Snapshot, q)
}

// openEarlier opens a document that may be an earlier version. With its data key it has expired.
func (b *Backend) openEarlier(ctx context.Context, doc *dovetail.Document) (*dovetail.Document, error) {
	opened, err := b.open(ctx, doc)
	if err == nil {
		return opened, nil
	}
	if s, unreadable := parse(doc); unreadable == nil && dovetail.AsError(err).Reason == ReasonKeyMissing {
		if record, failed := b.keys.record(ctx, s.Header.Key); failed == nil && record == nil {
			return nil, &dovetail.Error{Code: dovetail.CodeExpired, Key: doc.ID,
				Message: "this version of " + string(doc.ID) + " was encrypted with a data key that was retired since", Remedy: "read a later version", Err: err}
		}
	}
	return nil, err
}

// Versions implements store.Historian. A version that cannot be opened comes without its document.
func (b *Backend) Versions(ctx context.Context, id dovetail.ID) iter.Seq2[store.Version, error] {
	return func(yield func(store.Version, error) bool) {
		for v, err := range b.Backend.Versions(ctx, id) {
			if err == nil && v.Document != nil {
				v.Document, err = b.openEarlier(ctx, v.Document)
				if dovetail.CodeOf(err) == dovetail.CodeExpired {
					err = nil
				}
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// Transaction implements store.Historian. Changes of data keys are left out.
func (b *Backend) Transaction(ctx context.Context, position store.Cursor) (store.Transaction, error) {
	set, err := b.Backend.Transaction(ctx, position)
	set.Changes = slices.DeleteFunc(set.Changes, isKey)
	return set, err
}

// Transactions implements store.Historian. Changes of data keys are left out.
func (b *Backend) Transactions(ctx context.Context, before store.Cursor) iter.Seq2[store.Transaction, error] {
	return withoutKeys(b.Backend.Transactions(ctx, before))
}

// TransactionsAfter implements store.Historian. Changes of data keys are left out.
func (b *Backend) TransactionsAfter(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return withoutKeys(b.Backend.TransactionsAfter(ctx, after))
}

func isKey(c store.Change) bool { return c.Kind == keyKind }

// withoutKeys leaves out the changes of data keys, and the commits that are nothing else.
func withoutKeys(sets iter.Seq2[store.Transaction, error]) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		for set, err := range sets {
			if slices.ContainsFunc(set.Changes, isKey) {
				if set.Changes = slices.DeleteFunc(slices.Clone(set.Changes), isKey); len(set.Changes) == 0 {
					continue
				}
			}
			if !yield(set, err) {
				return
			}
		}
	}
}
