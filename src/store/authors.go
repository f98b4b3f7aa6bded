package store

import (
	"context"

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
	v, authors := s.view(ctx), []Author{}
	for _, id := range ids {
		if isInternal(id) || !v.readsID(id) {
			continue
		}
		for version, err := range s.backend.Versions(ctx, id) {
			switch {
			case dovetail.CodeOf(err) == dovetail.CodeNotFound:
			case err != nil:
				return nil, err
			case version.Op != Deleted:
				authors = append(authors, Author{id, dovetail.ETag{UID: version.UID, Revision: version.Revision}.Version(), version.Principal})
			}
			break // the first one is the last
		}
	}
	return authors, nil
}
