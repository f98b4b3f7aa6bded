package override_test

import (
	"cmp"
	"crypto/rand"
	"maps"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/instancerepo"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/mongo"
)

// mongoVariable names the MongoDB server to test on, as a connection string.
const mongoVariable = "DOVETAIL_TEST_MONGO_URI"

func onBolt(t testing.TB) store.Backend {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

func onMongo(t testing.TB) store.Backend {
	t.Helper()
	given := os.Getenv(mongoVariable)
	if given == "" {
		t.Skip(mongoVariable + " names no MongoDB server to test on")
	}
	uri, err := url.Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	uri.Path = "/dovetail_test_" + strings.ToLower(rand.Text())
	backend, err := mongo.Open(t.Context(), uri.String(), mongo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// newStore returns a store with what files of an instance repository say.
func newStore(t testing.TB, backend store.Backend, files map[string]string) *store.Store {
	t.Helper()
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	var sources []schema.Source
	for _, name := range []string{"inventory", "descriptor", "override"} {
		source, err := schema.ReadFile("../" + name + "/ref-schemas/v1.yaml")
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), backend, model, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	contents, err := instancerepo.Survey(func(yield func(instancerepo.File, error) bool) {
		for _, path := range slices.Sorted(maps.Keys(files)) {
			if !yield(instancerepo.File{Path: path, Data: []byte(files[path])}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var operations []store.Operation
	for _, doc := range contents.Documents() {
		operations = append(operations, store.Operation{Verb: store.Create, ID: doc.ID, Data: doc.Data})
	}
	slices.SortFunc(operations, func(a, b store.Operation) int { return cmp.Compare(a.ID, b.ID) })
	if _, err := s.Apply(t.Context(), operations, store.Options{}); err != nil {
		t.Fatal(err)
	}
	return s
}

func serve(t testing.TB, s *store.Store, options override.Options) string {
	t.Helper()
	api := httpapi.New(s, httpapi.Options{Services: []httpapi.Service{override.New(override.Stored{Store: s}, options).Service()}})
	server := httptest.NewServer(api)
	t.Cleanup(func() { api.Close(); server.Close() })
	return server.URL
}

func TestUseCases(t *testing.T) {
	for name, open := range map[string]func(testing.TB) store.Backend{"bolt": onBolt, "mongo": onMongo} {
		start := func(t testing.TB, files map[string]string) string {
			return serve(t, newStore(t, open(t), files), override.Options{})
		}
		t.Run(name, func(t *testing.T) { overridetest.Run(t, start) })
		t.Run(name+"/structure", func(t *testing.T) { overridetest.RunStructure(t, start) })
		t.Run(name+"/conflicts", func(t *testing.T) { overridetest.RunConflicts(t, start) })
		t.Run(name+"/mode effective-set", func(t *testing.T) {
			overridetest.RunEffectiveSetMode(t, func(t testing.TB, files map[string]string) string {
				return serve(t, newStore(t, open(t), files), override.Options{Mode: override.ModeEffectiveSet})
			})
		})
	}
}
