package override_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
	"github.com/dovetail-store/dovetail/src/store"
)

// newStore returns a store with what files of an instance repository say.
func newStore(t testing.TB, backend store.Backend, files map[string]string) *store.Store {
	t.Helper()
	s := apitest.NewStore(t, apitest.Closing(t, backend), store.Config{Follow: []store.Follow{inventory.Follow, override.Follow}}, "../inventory/ref-schemas/v1.yaml", "../descriptor/ref-schemas/v1.yaml", "ref-schemas/v1.yaml")
	load(t, s, files, "")
	return s
}

// load stores what files of an instance repository say, of the documents below an id.
func load(t testing.TB, s *store.Store, files map[string]string, under dovetail.ID) {
	t.Helper()
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
		if strings.HasPrefix(string(doc.ID), string(under)) {
			operations = append(operations, store.Operation{Verb: store.Create, ID: doc.ID, Data: doc.Data})
		}
	}
	slices.SortFunc(operations, func(a, b store.Operation) int { return cmp.Compare(a.ID, b.ID) })
	if _, err := s.Apply(t.Context(), operations, store.Options{}); err != nil {
		t.Fatal(err)
	}
}

func serve(t testing.TB, s *store.Store, options override.Options) string {
	t.Helper()
	return apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{override.New(override.Stored{Store: s}, options).Service()}}).URL
}

func TestUseCases(t *testing.T) {
	for name, open := range map[string]func(testing.TB) store.Backend{"bolt": apitest.OpenBolt, "mongo": mongotest.Open} {
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
