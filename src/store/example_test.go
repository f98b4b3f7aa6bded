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

// What is written to an overlay is staged: kept aside until it is merged with what there is then.
func ExampleStore_Overlay() {
	ctx := context.Background()
	s, end := openExample(ctx)
	defer end()
	type data map[string]any
	_, err := s.Create(ctx, store.NewOperation(store.Create, "team/core", data{"spec": data{"lead": "ann", "size": 3}}))
	must(err)
	var staged []store.Staged
	view, err := s.Overlay(ctx, "", nil, func(_ context.Context, changes []store.Staged) error {
		staged = append(staged, changes...)
		return nil
	})
	must(err)
	_, err = view.Apply(ctx, []store.Operation{
		store.NewOperation(store.Patch, "team/core", data{"spec": data{"size": 5}}),
		store.NewOperation(store.Create, "service/api", data{"spec": data{"team": "core"}}),
	}, store.Options{})
	must(err)
	_, err = s.Get(ctx, "service/api")
	fmt.Println(dovetail.CodeOf(err)) // only the view has it

	_, err = s.Put(ctx, store.NewOperation(store.Put, "team/core", data{"spec": data{"lead": "bob", "size": 3}}))
	must(err)
	operations, conflicts, err := s.MergeOperations(ctx, staged, nil)
	must(err)
	fmt.Println(len(conflicts), "conflicts")
	_, err = s.Apply(ctx, operations, store.Options{})
	must(err)
	team, err := s.Get(ctx, "team/core")
	must(err)
	fmt.Println(string(team.Data))
	// Output:
	// not-found
	// 0 conflicts
	// {"spec":{"lead":"bob","size":5}}
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
