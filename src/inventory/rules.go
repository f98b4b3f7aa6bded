package inventory

import (
	"context"
	"fmt"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// ProblemName is the problem of a document that has another name in spec.name than its own: a build finds it by the one, and its parameters by
// the other.
const ProblemName = "inventory-name"

// named are the kinds whose spec.name repeats their own name.
var named = []string{"application", "environmentApplication", "renderedProfile", "bgDomain"}

// Rules returns what the service knows of its documents.
func Rules() store.Service { return store.Service{Follow: Follow, Verify: verify} }

// verify finds documents with names that a rename which did not know of them has left behind.
func verify(ctx context.Context, then *store.Store) iter.Seq2[store.Defect, error] {
	return func(yield func(store.Defect, error) bool) {
		ctx := dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + "inventory"})
		for _, kind := range named {
			if _, known := then.Model().Kind(kind); !known {
				continue
			}
			for doc, err := range then.Documents(ctx, store.ListQuery{Kind: kind}) {
				if err != nil {
					yield(store.Defect{}, err)
					return
				}
				data, err := value.DataOf(doc, nil)
				if err != nil {
					continue // the store finds that
				}
				if d, found := wrongName(doc, data.Unplaced()); found && !yield(d, nil) {
					return
				}
			}
		}
	}
}

// wrongName returns the defect of a document whose spec.name is another name than its own. Repair gives it its own: that is the one by which the
// document is found.
func wrongName(doc *dovetail.Document, data *value.Value) (store.Defect, bool) {
	key := doc.Key()
	own := key[len(key)-1].Value
	name := data.At("spec", "name")
	if name == nil || name.Kind != value.String || name.Text == own {
		return store.Defect{}, false
	}
	message := fmt.Sprintf("%s: spec.name is %s; make it %s, or rename the document", doc.ID, name.Text, own)
	name.Text = own
	repair := []store.Operation{{Verb: store.Put, ID: doc.ID, Data: data, IfMatch: []dovetail.ETag{doc.ETag()}}}
	return store.Defect{Finding: store.Finding{Problem: ProblemName, ID: doc.ID, Message: message}, Repair: repair}, true
}
