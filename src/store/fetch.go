package store

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// fetch returns the documents of the ids whoever asks, nil for those that do not exist.
func (s *Store) fetch(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	return fetch(ctx, s.backend, ids)
}

// fetch is GetAll that saves the machinery for none and one.
func fetch(ctx context.Context, from Reader, ids []dovetail.ID) ([]*dovetail.Document, error) {
	switch len(ids) {
	case 0:
		return nil, nil
	case 1:
		doc, err := from.Get(ctx, ids[0])
		if err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
			return nil, err
		}
		return []*dovetail.Document{doc}, nil
	}
	return from.GetAll(ctx, ids)
}
