package httpapi

import (
	"context"
	"maps"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// makesStatus reports whether the request may read documents in a change set of which services make the status then.
func (x *requestContext) makesStatus() bool {
	switch {
	case x.changeSet == "" || !x.reads() || x.method.endpoint != nil:
		return false
	case x.route.kind == nil:
		return x.method.past // of documents of all kinds
	}
	return x.api.settled(x.route.kind.Name) != nil
}

// shown is the view of a change set whose documents are read with the status that services would make of them.
type shown struct {
	*store.Store
	by    map[string]Show // kind
	pause func() (time.Duration, error)
}

// shownIn returns the view of a change set as the request reads it.
func (x *requestContext) shownIn(view *store.Store) Store {
	if !x.makesStatus() {
		return view
	}
	s := shown{view, make(map[string]Show), x.pause}
	for _, service := range x.api.options.Services {
		if len(service.Settled) > 0 && service.At != nil {
			maps.Copy(s.by, service.At(view).Shown)
		}
	}
	return s
}

// Get implements Store.
func (s shown) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	doc, err := s.Store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.show(ctx, doc)
}

// List implements Store.
func (s shown) List(ctx context.Context, q store.ListQuery) (*store.Page, error) {
	page, err := s.Store.List(ctx, q)
	if err != nil {
		return nil, err
	}
	for i, doc := range page.Documents {
		if page.Documents[i], err = s.show(ctx, doc); err != nil {
			return nil, err
		}
	}
	return page, nil
}

func (s shown) show(ctx context.Context, doc *dovetail.Document) (*dovetail.Document, error) {
	show := s.by[doc.Kind]
	if show == nil {
		return doc, nil
	}
	return show(ctx, doc, s.pause)
}
