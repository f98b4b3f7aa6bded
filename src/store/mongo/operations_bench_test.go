package mongo

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// BenchmarkOperations measures operations of the store that take several commands, for comparisons of versions.
func BenchmarkOperations(b *testing.B) {
	backend := mustOpen(b, freshURI(b))
	defer backend.Close()
	model, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: []byte("resources:\n  - name: box\n  - name: item\n    parent: box\n")}})
	must(b, err)
	s, err := store.Open(b.Context(), backend, model, store.Config{})
	must(b, err)
	apply := func(key string, verb store.Verb, ids ...string) error {
		operations := make([]store.Operation, len(ids))
		for i, id := range ids {
			operations[i] = store.Operation{Verb: verb, ID: dovetail.ID(id)}
			if verb != store.Delete {
				operations[i].Data = item("red", id, "")
			}
		}
		_, err := s.Apply(b.Context(), operations, store.Options{Key: key})
		return err
	}
	must(b, apply("", store.Create, "box/1"))
	round := 0
	for _, writers := range []int{1, 8} {
		for _, operation := range []struct {
			name string
			do   func(id string) error
		}{
			{"keyed", func(id string) error { return apply(id, store.Create, id) }},
			{"two", func(id string) error { return apply("", store.Create, id, id+"-2") }},
			{"delete", func(id string) error { return apply("", store.Delete, id) }},
		} {
			b.Run(fmt.Sprintf("%s/writers=%d", operation.name, writers), func(b *testing.B) {
				round++
				id := func(i int) string { return fmt.Sprintf("box/1/item/%d-%d", round, i) }
				if operation.name == "delete" {
					parallel(b, 8, 0, b.N, func(i int) error { return apply("", store.Create, id(i)) })
				}
				b.ResetTimer()
				parallel(b, writers, 0, b.N, func(i int) error { return operation.do(id(i)) })
			})
		}
	}
	b.Run("create while others are refused to delete the parent", func(b *testing.B) {
		round++
		ctx, cancel := context.WithCancel(b.Context())
		var deleters sync.WaitGroup
		for range 4 {
			deleters.Go(func() {
				for ctx.Err() == nil {
					if err := apply("", store.Delete, "box/1"); dovetail.CodeOf(err) != dovetail.CodeInUse && dovetail.CodeOf(err) != dovetail.CodeConflict {
						b.Error(err)
						return
					}
				}
			})
		}
		b.ResetTimer()
		parallel(b, 1, 0, b.N, func(i int) error { return apply("", store.Create, fmt.Sprintf("box/1/item/%d-%d", round, i)) })
		b.StopTimer()
		cancel()
		deleters.Wait()
	})
}
