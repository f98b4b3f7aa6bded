package apitest

import (
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// OpenBolt opens an embedded database. The caller closes it.
func OpenBolt(t testing.TB) store.Backend {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(memdir.New(t), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// Closing closes a backend when the test ends.
func Closing(t testing.TB, backend store.Backend) store.Backend {
	t.Helper()
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	return backend
}

// Compile compiles the ref-schemas of the files.
func Compile(t testing.TB, files ...string) *schema.Model {
	t.Helper()
	var sources []schema.Source
	for _, file := range files {
		source, err := schema.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// NewStore opens a store on a backend with the ref-schemas of the files.
func NewStore(t testing.TB, backend store.Backend, config store.Config, files ...string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), backend, Compile(t, files...), config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
