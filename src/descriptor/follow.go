package descriptor

import (
	"context"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// follow returns the solution descriptors of an environment that name a namespace which gets another name (store.Follow). Those that name an
// application keep its name, which is that of what was published.
func follow(ctx context.Context, from store.Reader, moved dovetail.Move) ([]store.Followed, error) {
	was, is := moved.From.Key(), moved.To.Key()
	last := len(was) - 1
	kind := was[last].Name
	if kind != kindNamespace && kind != kindApplication {
		return nil, nil
	}
	environment := was[:2].ID()
	if kind == kindNamespace && is[:last].ID() != environment {
		return nil, nil // what the descriptors refer to cannot leave
	}
	var found []store.Followed
	for doc, err := range from.List(ctx, store.Query{Under: environment, Kind: kindDescriptor}) {
		if err != nil {
			return nil, err
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return nil, err
		}
		switch {
		case kind == kindNamespace:
			if data = data.Unplaced(); renameNamespace(data.Get("spec"), was[last].Value, is[last].Value) {
				found = append(found, store.Followed{ID: doc.ID, Data: data})
			}
		case deploys(data.Get("spec"), was[last-1].Value, was[last].Value):
			found = append(found, store.Followed{ID: doc.ID, Keeps: "deploys the application " + was[last].Value + " to the namespace " + was[last-1].Value})
		}
	}
	return found, nil
}

// deploys reports whether a descriptor has an application for a namespace.
func deploys(spec *value.Value, namespace, application string) bool {
	applications := spec.Get("applications")
	return applications != nil && slices.ContainsFunc(applications.Items, func(item *value.Value) bool {
		version, _ := item.Get("version").Str()
		name, _, _ := strings.Cut(version, ":")
		postfix, _ := item.Get("deployPostfix").Str()
		return name == application && postfix == namespace
	})
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
