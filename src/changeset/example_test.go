package changeset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// A write in the view of a change set is staged; a merge applies it.
func Example() {
	folder, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(folder)
	backend, err := bolt.Open(filepath.Join(folder, "example.db"), bolt.Options{})
	check(err)
	defer backend.Close()
	var sources []schema.Source
	for _, file := range []string{"testdata/shop.yaml", "ref-schemas/v1.yaml"} {
		source, err := schema.ReadFile(file)
		check(err)
		sources = append(sources, source)
	}
	model, err := schema.Compile(sources)
	check(err)
	ctx := context.Background()
	s, err := store.Open(ctx, backend, model, store.Config{})
	check(err)

	sets := changeset.New(s, changeset.Options{})
	_, err = sets.Create(ctx, "first", "The first project", "", store.Options{})
	check(err)
	view, err := sets.View(ctx, "first", true)
	check(err)
	_, err = view.Store.Create(ctx, store.NewOperation(store.Create, "project/p", map[string]any{"spec": map[string]any{"size": 1}}))
	check(err)
	_, err = s.Get(ctx, "project/p")
	fmt.Println(err)

	merged, err := sets.Merge(ctx, "first", store.Options{})
	check(err)
	fmt.Println(merged.Operations, merged.ChangeSet.State)
	// Output:
	// project/p does not exist
	// [{project/p created}] merged
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
