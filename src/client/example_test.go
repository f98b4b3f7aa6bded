package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// startServer starts a server with the kinds project and, below it, app.
func startServer() (url string, stop func()) {
	dir, err := os.MkdirTemp("", "dovetail")
	must(err)
	backend, err := bolt.Open(filepath.Join(dir, "example.db"), bolt.Options{})
	must(err)
	model, err := schema.Compile([]schema.Source{{Name: "example.yaml", Data: []byte(schemaText)}})
	must(err)
	s, err := store.Open(context.Background(), backend, model, store.Config{})
	must(err)
	api := httpapi.New(s, httpapi.Options{})
	server := httptest.NewServer(api)
	return server.URL, func() {
		api.Close()
		server.Close()
		_ = backend.Close()
		_ = os.RemoveAll(dir)
	}
}

// must ends an example that does not work.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func put(id dovetail.ID, data string) store.Operation {
	v, err := value.ParseJSON([]byte(data), value.Limits{})
	must(err)
	return store.Operation{Verb: store.Put, ID: id, Data: v}
}

func Example() {
	ctx := context.Background()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)

	// A child and its parent, in one transaction.
	result, err := c.Apply(ctx, []store.Operation{
		put("project/p1/app/nginx", `{"spec": {"replicas": 2}}`),
		put("project/p1", `{}`),
	}, store.Options{})
	must(err)
	for _, outcome := range result.Outcomes {
		fmt.Println(outcome.Effect, outcome.Document.ID)
	}

	// The parent cannot go while the child is there.
	_, err = c.Delete(ctx, "project/p1", false)
	fmt.Println(dovetail.CodeOf(err), dovetail.AsError(err).BlockedBy.IDs)

	for doc, err := range c.Documents(ctx, store.ListQuery{Kind: "app"}) {
		must(err)
		fmt.Println(doc.ID, string(doc.Data))
	}
	// Output:
	// created project/p1/app/nginx
	// created project/p1
	// in-use [project/p1/app/nginx]
	// project/p1/app/nginx {"spec":{"replicas":2}}
}

func ExampleClient_Watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	from, err := c.Head(ctx) // before what shall be seen
	must(err)
	_, err = c.Apply(ctx, []store.Operation{put("project/p1", `{}`), put("project/p1/app/nginx", `{}`)}, store.Options{})
	must(err)
	for event, err := range c.Watch(ctx, from, store.WatchQuery{Kind: "app"}) {
		must(err)
		for _, change := range event.Changes {
			fmt.Println(change.Op, change.ID)
		}
		cancel() // ends the watch
	}
	// Output:
	// created project/p1/app/nginx
}
