// Command outside is a program of another module: it embeds a store and talks to a server, with public packages only.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/embedded"
	"github.com/dovetail-store/dovetail/src/store"
)

const schema = "resources: [{name: team}, {name: service, references: [{name: team}]}]"

// reader is what a store in this process and a server have in common.
type reader interface {
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	Head(ctx context.Context) (store.Cursor, error)
}

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run does the same in a store of its own and on the server at the URL.
func run(ctx context.Context, url string) error {
	operations := []store.Operation{
		embedded.Put("team/core", map[string]any{"spec": map[string]int{"size": 5}}),
		store.NewOperation(store.Put, "service/api", json.RawMessage(`{"spec":{"team":"core"}}`)),
	}
	s, err := embedded.Open(ctx, embedded.Options{Schema: schema})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Apply(ctx, operations...); err != nil {
		return err
	}
	c, err := client.New(url, client.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Apply(ctx, operations, store.Options{}); err != nil {
		return err
	}

	_, err = s.Apply(ctx, embedded.Delete("team/core"))
	fmt.Println("embedded:", dovetail.CodeOf(err), dovetail.AsError(err).BlockedBy.IDs)
	_, err = c.Delete(ctx, "team/core", false)
	fmt.Println("client:", dovetail.CodeOf(err), dovetail.AsError(err).BlockedBy.IDs)
	for _, r := range []reader{s, c} {
		doc, err := r.Get(ctx, "service/api")
		if err != nil {
			return err
		}
		fmt.Println(doc.ID, doc.References[0].ID)
	}
	return nil
}
