package layering_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// Puts two buckets, and shows the error when a document is removed that the other bucket needs.
func Example() {
	ctx := context.Background()
	folder, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(folder)
	var sources []schema.Source
	for _, file := range []string{"ref-schemas/v1.yaml", "../internal/secret/keyring/ref-schemas/v1.yaml"} {
		source, _ := schema.ReadFile(file)
		sources = append(sources, source)
	}
	model, _ := schema.Compile(sources)
	backend, _ := bolt.Open(filepath.Join(folder, "x.db"), bolt.Options{})
	defer backend.Close()
	s, _ := store.Open(ctx, backend, model, store.Config{})
	revisions := layering.New(s, layering.Options{})

	global, _ := rendering.Parse("global.yaml", []byte(seed))
	site, _ := rendering.Parse("site.yaml", []byte(seedSite))
	_, _ = revisions.Put(ctx, "global", global, layering.PutOptions{})
	written, _ := revisions.Put(ctx, "site", site, layering.PutOptions{})
	fmt.Println("revision", written.Revision.Number, "of", written.Revision.Buckets())
	_, err := revisions.Put(ctx, "global", global[:1], layering.PutOptions{})
	fmt.Println(err)
	// Output:
	// revision 2 of [global site]
	// example/Kind/v1 global-1234 in global cannot go: example/Kind/v1 site-1234 in site needs it as its parent; change or remove that one in the same PUT, or put with validate=structure
}
