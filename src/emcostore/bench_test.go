package emcostore_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/emcostore"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// BenchmarkFind reads from a project with 10,000 applications.
func BenchmarkFind(b *testing.B) {
	s := open(b, apitest.OpenBolt(b), store.Config{})
	insert := func(key Key, tag string, data any) {
		if err := s.Insert(b.Context(), resources, key, nil, tag, data); err != nil {
			b.Fatal(err)
		}
	}
	insert(projectKey{"p"}, "data", named("p"))
	for v := range 100 {
		version := fmt.Sprint("v", v)
		insert(versionKey{"p", "ca", version}, "data", named("ca"))
		for a := range 100 {
			app := fmt.Sprint("a", a)
			insert(appKey{app, "p", "ca", version}, "data", named(app))
		}
	}
	alone := newStoreWith(b, s.engine, s.engine.Model(), emcostore.Options{Alone: true})
	for _, bench := range []struct {
		name  string
		key   Key
		count int
		s     Store
	}{
		{"one", appKey{"a50", "p", "ca", "v50"}, 1, s},
		{"list", appKey{"", "p", "ca", "v50"}, 100, s},
		{"below", versionKey{"p", "ca", "v50"}, 101, s},
		{"everything", projectKey{"p"}, 10101, s},
		{"projects", projectKey{}, 1, s},
		{"alone", projectKey{"p"}, 1, alone},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				found, err := bench.s.Find(b.Context(), resources, bench.key, "data")
				if err != nil || len(found) != bench.count {
					b.Fatal(len(found), err)
				}
			}
		})
	}
}
