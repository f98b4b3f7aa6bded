package deckhand

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/vault"
)

// Who asks for a revision needs the right to read it, and sees the documents of it that they may read. To render them the
// service itself reads all of it, whoever asks. What is written is written by who asked for it.

// own is the context of what the service reads by itself.
func own(ctx context.Context) context.Context {
	return dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName})
}

// readable leaves the documents out that the principal of the context may not read.
func (r *Revisions) readable(ctx context.Context, of *Revision, all []chosen) ([]chosen, error) {
	var failure error
	all = slices.DeleteFunc(all, func(c chosen) bool {
		may, err := r.store.May(ctx, dovetail.RightRead, placeOf(of.index[c.ID]))
		if err != nil {
			failure = err
		}
		return !may
	})
	return all, failure
}

// shownChanges leaves the changes out of documents that the principal of the context may not read.
func (r *Revisions) shownChanges(ctx context.Context, s *step) ([]layering.Difference, error) {
	var failure error
	shown := slices.DeleteFunc(s.changes(), func(c layering.Difference) bool {
		e, is := s.next.index[c.Document]
		if !is {
			e = s.from.index[c.Document]
		}
		may, err := r.store.May(ctx, dovetail.RightRead, placeOf(e))
		if err != nil {
			failure = err
		}
		return !may
	})
	return shown, failure
}

// maySeeSecrets returns CodeForbidden unless the principal of the context may read data keys: who may have the keys
// may have what they protect.
func (r *Revisions) maySeeSecrets(ctx context.Context) error {
	may, err := r.store.May(ctx, dovetail.RightRead, root.Child(vault.Element, "k1"))
	if err == nil && !may {
		err = &dovetail.Error{Code: dovetail.CodeForbidden, Message: "secrets are not shown to everybody", Remedy: "ask for the right to read the kind " + vault.Element}
	}
	return err
}

// mayDeleteAll returns CodeForbidden unless the principal of the context may delete revisions, of which there may be none.
func (r *Revisions) mayDeleteAll(ctx context.Context) error {
	may, err := r.store.May(ctx, dovetail.RightDelete, revisionID(1))
	if err == nil && !may {
		err = &dovetail.Error{Code: dovetail.CodeForbidden, Message: "revisions are not deleted by everybody", Remedy: "ask for the right to delete the kind " + elementRevision}
	}
	return err
}
