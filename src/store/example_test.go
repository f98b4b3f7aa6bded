package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// must ends an example that does not work. A program handles the error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// openExample opens a new store with the kinds team and service, and a function that closes and removes it.
func openExample(ctx context.Context) (s *store.Store, end func()) {
	dir, err := os.MkdirTemp("", "example")
	must(err)
	model, err := schema.Compile([]schema.Source{{Name: "catalog.yaml", Data: []byte(`
resources:
  - name: team
  - name: service
    references:
      - name: team
`)}})
	must(err)
	backend, err := bolt.Open(filepath.Join(dir, "catalog.db"), bolt.Options{})
	must(err)
	s, err = store.Open(ctx, backend, model, store.Config{})
	must(err)
	return s, func() {
		must(backend.Close())
		must(os.RemoveAll(dir))
	}
}

func ExampleStore_Apply() {
	ctx := context.Background()
	s, end := openExample(ctx)
	defer end()
	type data map[string]any
	operations := []store.Operation{
		store.NewOperation(store.Create, "service/api", data{"spec": data{"team": "core"}}),
		store.NewOperation(store.Create, "team/core", data{}),
	}
	_, err := s.Apply(ctx, operations[:1], store.Options{})
	fmt.Println(dovetail.CodeOf(err), dovetail.AsError(err).Missing)

	result, err := s.Apply(ctx, operations, store.Options{Key: "deployment 7"}) // the order does not matter
	must(err)
	for _, outcome := range result.Outcomes {
		fmt.Println(outcome.Effect, outcome.Document.ID, outcome.Document.References)
	}
	result, err = s.Apply(ctx, operations, store.Options{Key: "deployment 7"}) // repeated after a lost answer, for instance
	must(err)
	fmt.Println("repeated:", result.Repeated)
	// Output:
	// missing [team/core]
	// created service/api [{team/core team false false}]
	// created team/core []
	// repeated: true
}

func ExampleStore_List() {
	ctx := context.Background()
	s, end := openExample(ctx)
	defer end()
	for name, tier := range map[string]string{"a": "backend", "b": "backend", "c": "frontend"} {
		_, err := s.Put(ctx, store.NewOperation(store.Put, dovetail.ID("").Child("team", name),
			map[string]any{"metadata": map[string]any{"labels": map[string]string{"tier": tier}}}))
		must(err)
	}
	labels, err := selector.ParseLabels("tier=backend")
	must(err)
	query := store.ListQuery{Kind: "team", Labels: labels, Limit: 1}
	for {
		page, err := s.List(ctx, query)
		must(err)
		fmt.Println(page.Documents[0].ID)
		if query.After = page.Next; page.Next == "" {
			break
		}
	}
	// Output:
	// team/a
	// team/b
}

func ExampleStore_Check() {
	ctx := context.Background()
	s, end := openExample(ctx)
	defer end()
	findings := 0
	for finding, err := range s.Check(ctx, false) {
		must(err)
		fmt.Println(finding.Problem, finding.ID)
		findings++
	}
	fmt.Println(findings, "findings")
	// Output: 0 findings
}

// Another schema is put in force only if the stored documents fit it.
func ExampleStore_SetModel() {
	ctx := context.Background()
	s, end := openExample(ctx)
	defer end()
	_, err := s.Create(ctx, store.NewOperation(store.Create, "team/core", map[string]any{}))
	must(err)
	next, err := schema.Compile([]schema.Source{{Name: "next.yaml", Data: []byte("resources: [{name: service}]")}})
	must(err)
	err = s.SetModel(ctx, next)
	fmt.Println(dovetail.CodeOf(err), dovetail.AsError(err).Errors[0].Key)
	// Output: schema team/core
}
