package store

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// MaxAuthors is of how many documents Authors may be asked at once.
const MaxAuthors = 100

// Author is who made the version of a document that is stored.
type Author struct {
	ID        dovetail.ID `json:"id"`
	Version   string      `json:"version"`
	Principal string      `json:"principal,omitempty"` // "" where the store did not know who asked, or the history does not reach back
}

// Authors returns who changed some documents last, in their order, without reading the documents. It leaves out those that do not
// exist, and those that the principal may not read.
func (s *Store) Authors(ctx context.Context, ids []dovetail.ID) ([]Author, error) {
	v := s.view(ctx)
	readable := slices.DeleteFunc(slices.Clone(ids), func(id dovetail.ID) bool { return isInternal(id) || !v.readsID(id) })
	versions, err := s.backend.CurrentVersions(ctx, readable)
	if err != nil {
		return nil, err
	}
	authors := []Author{}
	for _, version := range versions {
		if version != nil {
			authors = append(authors, Author{version.ID, dovetail.ETag{UID: version.UID, Revision: version.Revision}.Version(), version.Principal})
		}
	}
	return authors, nil
}
