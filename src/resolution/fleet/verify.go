package fleet

import (
	"context"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// ProblemMember is the problem of an ActiveResolution that is not one of those that its set makes: nothing keeps it, but it can be activated.
const ProblemMember = "resolution-member"

// Verify finds ActiveResolutions that belong to a set without being what the set makes for a cluster. Those that it makes for another cluster
// or under another name are there, too, or are made by the controller, so that repair deletes the others.
func Verify(ctx context.Context, then *store.Store) iter.Seq2[store.Defect, error] {
	return func(yield func(store.Defect, error) bool) {
		for doc, err := range then.Documents(ctx, store.ListQuery{Kind: state.Kind}) {
			if err != nil {
				yield(store.Defect{}, err)
				return
			}
			at, err := see(doc)
			if err != nil || !at.isStray(doc) {
				continue // what cannot be read the store finds
			}
			message := string(doc.ID) + " belongs to the set " + at.set + ", which makes another ActiveResolution for the cluster " + at.cluster + "; delete it"
			repair := []store.Operation{{Verb: store.Delete, ID: doc.ID}}
			if !yield(store.Defect{Finding: store.Finding{Problem: ProblemMember, ID: doc.ID, Message: message}, Repair: repair}, nil) {
				return
			}
		}
	}
}

// isStray reports whether an ActiveResolution has the set and the cluster of another one.
func (at *seen) isStray(doc *dovetail.Document) bool {
	return at.set != "" && at.cluster != "" && doc.ID != memberID(at.set, at.cluster)
}
