package descriptor

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// follow returns the solution descriptors of an environment that name a namespace which gets another name (store.Follow).
func follow(ctx context.Context, from store.Reader, moved dovetail.Move) ([]store.Followed, error) {
	was, is := moved.From.Key(), moved.To.Key()
	last := len(was) - 1
	if was[last].Name != kindNamespace || was[:last].ID() != is[:last].ID() {
		return nil, nil
	}
	var found []store.Followed
	for doc, err := range from.List(ctx, store.Query{Under: was[:last].ID(), Kind: kindDescriptor}) {
		if err != nil {
			return nil, err
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return nil, err
		}
		if data = data.Unplaced(); renameNamespace(data.Get("spec"), was[last].Value, is[last].Value) {
			found = append(found, store.Followed{ID: doc.ID, Data: data})
		}
	}
	return found, nil
}

// renameNamespace gives the applications of a namespace the name that it gets, and reports whether there are any.
func renameNamespace(spec *value.Value, was, is string) (changed bool) {
	applications := spec.Get("applications")
	if applications == nil {
		return false
	}
	for _, application := range applications.Items {
		if postfix := application.Get("deployPostfix"); postfix != nil && postfix.Text == was {
			postfix.Text, changed = is, true
		}
	}
	return changed
}
