package override_test

import (
	"context"
	"fmt"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
)

// nothing is a store without documents.
type nothing struct{ override.Store }

func (nothing) Get(_ context.Context, id dovetail.ID) (*dovetail.Document, error) {
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
}

func (nothing) List(context.Context, store.ListQuery) (*store.Page, error) { return &store.Page{}, nil }

func ExampleNew() {
	service := override.New(override.Stored{Store: nothing{}}, override.Options{Mode: override.ModeInstance}).Service()
	for e := range verbs(service, "/api/ui-override") {
		fmt.Println(e.Method, e.Path)
	}
	_, err := service.Endpoints[0].Handle(context.Background(), &httpapi.Request{Query: map[string][]string{"environmentId": {"c/e"}, "context": {"deploy"}}})
	fmt.Println(err)
	// Output:
	// GET /api/ui-override
	// POST /api/ui-override
	// PUT /api/ui-override
	// DELETE /api/ui-override
	// the environment c/e does not exist; create it, or correct environmentId
}

func verbs(service httpapi.Service, path string) iter.Seq[httpapi.Endpoint] {
	return func(yield func(httpapi.Endpoint) bool) {
		for _, e := range service.Endpoints {
			if e.Path == path && !yield(e) {
				return
			}
		}
	}
}
