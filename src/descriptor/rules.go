package descriptor

import (
	"context"
	"iter"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// ProblemDescriptor is the problem of a document that is no solution descriptor: no request can merge it.
const ProblemDescriptor = "solution-descriptor"

// Rules returns what the service knows of its documents.
func Rules() store.Service { return store.Service{Follow: follow, Verify: verify} }

// verify finds documents that are no solution descriptors.
func verify(ctx context.Context, then *store.Store) iter.Seq2[store.Defect, error] {
	return func(yield func(store.Defect, error) bool) {
		ctx := dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName})
		for doc, err := range then.Documents(ctx, store.ListQuery{Kind: kindDescriptor}) {
			if err != nil {
				yield(store.Defect{}, err)
				return
			}
			data, err := value.DataOf(doc, nil)
			if err != nil {
				continue // the store finds that
			}
			if _, err := sd.New(dovetail.Position{Path: "/spec"}, data.Get("spec").Unplaced()); err != nil {
				message := string(doc.ID) + " is no solution descriptor: " + dovetail.AsError(err).Error() + "; put it again, or delete it"
				if !yield(store.Defect{Finding: store.Finding{Problem: ProblemDescriptor, ID: doc.ID, Message: message}}, nil) {
					return
				}
			}
		}
	}
}
