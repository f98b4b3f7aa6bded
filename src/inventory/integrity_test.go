package inventory_test

import (
	"path/filepath"
	"slices"
	"testing"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// kept is an environment with a namespace and ParamSets at the three places, each associated once.
const kept = `
cluster/c: {}
cluster/c/environment/e: {}
cluster/c/environment/e/deployPostfix/core: {namespace: e-core}
cluster/c/environment/e/deployPostfix/free: {namespace: e-free}
siteParamSet/p: {parameters: {a: 1}}
siteParamSet/free: {parameters: {a: 1}}
cluster/c/clusterParamSet/p: {parameters: {a: 2}}
cluster/c/environment/e/environmentParamSet/p: {parameters: {a: 3}}
cluster/c/environment/e/paramSetAssociation/00000000-0000-5000-8000-000000000001: {context: deploy, associatedObject: cloud, order: 0, siteParamSet: p}
cluster/c/environment/e/paramSetAssociation/00000000-0000-5000-8000-000000000002: {context: deploy, associatedObject: cloud, order: 1, clusterParamSet: p}
cluster/c/environment/e/paramSetAssociation/00000000-0000-5000-8000-000000000003: {context: runtime, associatedObject: core, order: 0, environmentParamSet: p, deployPostfix: core}
`

const association = "cluster/c/environment/e/paramSetAssociation/00000000-0000-5000-8000-00000000000"

// newStore returns a store with the built-in kinds and what is kept.
func newStore(t *testing.T) *store.Store {
	t.Helper()
	sources, err := schema.ReadFS(refschemas.FS)
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = backend.Close() })
	s, err := store.Open(t.Context(), backend, model, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(t, s, kept); err != nil {
		t.Fatal(err)
	}
	return s
}

// put stores documents, whose specs stand below their ids, in one transaction.
func put(t *testing.T, s *store.Store, text string) error {
	t.Helper()
	values, err := yaml.Parse("", []byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var operations []store.Operation
	for _, m := range values[0].Members {
		id := dovetail.ID(m.Name)
		key := id.Key()
		metadata := value.NewMap(value.Member{Name: "name", Value: value.NewString(key[len(key)-1].Value)})
		operations = append(operations, store.Operation{Verb: store.Put, ID: id,
			Data: value.NewMap(value.Member{Name: "metadata", Value: metadata}, value.Member{Name: "spec", Value: m.Value})})
	}
	_, err = s.Apply(t.Context(), operations, store.Options{})
	return err
}

// What associations use cannot be deleted; the refusal names them.
func TestWhatIsAssociatedStays(t *testing.T) {
	tests := []struct {
		name string
		id   dovetail.ID
		held []dovetail.ID // nil when it goes
	}{
		{"a ParamSet for all environments", "siteParamSet/p", []dovetail.ID{association + "1"}},
		{"one of a cluster", "cluster/c/clusterParamSet/p", []dovetail.ID{association + "2"}},
		{"one of an environment", "cluster/c/environment/e/environmentParamSet/p", []dovetail.ID{association + "3"}},
		{"a namespace", "cluster/c/environment/e/deployPostfix/core", []dovetail.ID{association + "3"}},
		{"an environment", "cluster/c/environment/e", []dovetail.ID{association + "1", association + "2", association + "3"}},
		{"an unused ParamSet", "siteParamSet/free", nil},
		{"an unused namespace", "cluster/c/environment/e/deployPostfix/free", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStore(t)
			_, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: test.id}}, store.Options{})
			if test.held == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if dovetail.CodeOf(err) != dovetail.CodeInUse {
				t.Fatalf("it is gone: %v", err)
			}
			for _, id := range test.held {
				if e := dovetail.AsError(err); e.BlockedBy == nil || !slices.Contains(e.BlockedBy.IDs, id) {
					t.Errorf("%s is not named: %+v", id, e.BlockedBy)
				}
			}
			if _, err := s.Get(t.Context(), test.id); err != nil {
				t.Error(err)
			}
		})
	}
}

// Once it is not associated any more it goes, also in the same transaction.
func TestWhatWasAssociatedGoes(t *testing.T) {
	s := newStore(t)
	_, err := s.Apply(t.Context(), []store.Operation{
		{Verb: store.Delete, ID: "cluster/c/environment/e/environmentParamSet/p"},
		{Verb: store.Delete, ID: "cluster/c/environment/e/deployPostfix/core"},
		{Verb: store.Delete, ID: association + "3"},
	}, store.Options{})
	if err != nil {
		t.Error(err)
	}
	if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: "cluster/c/environment/e", Cascade: true}}, store.Options{}); err != nil {
		t.Error(err)
	}
}

func TestAssociationsThatThereCannotBe(t *testing.T) {
	tests := []struct {
		name, spec string
		code       dovetail.Code
	}{
		{"no such ParamSet", "{context: deploy, associatedObject: cloud, order: 0, siteParamSet: x}", dovetail.CodeMissing},
		{"one of another place", "{context: deploy, associatedObject: cloud, order: 0, environmentParamSet: free}", dovetail.CodeMissing},
		{"no such namespace", "{context: deploy, associatedObject: x, order: 0, siteParamSet: p, deployPostfix: x}", dovetail.CodeMissing},
		{"no ParamSet", "{context: deploy, associatedObject: cloud, order: 0}", dovetail.CodeUnprocessable},
		{"two ParamSets", "{context: deploy, associatedObject: cloud, order: 0, siteParamSet: p, clusterParamSet: p}", dovetail.CodeUnprocessable},
		{"a namespace that is not named", "{context: deploy, associatedObject: core, order: 0, siteParamSet: p}", dovetail.CodeUnprocessable},
		{"cloud with a namespace", "{context: deploy, associatedObject: cloud, order: 0, siteParamSet: p, deployPostfix: core}", dovetail.CodeUnprocessable},
		{"another context", "{context: deployment, associatedObject: cloud, order: 0, siteParamSet: p}", dovetail.CodeUnprocessable},
		{"no order", "{context: deploy, associatedObject: cloud, siteParamSet: p}", dovetail.CodeUnprocessable},
	}
	s := newStore(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := put(t, s, association+"9: "+test.spec); dovetail.CodeOf(err) != test.code {
				t.Errorf("%v, want %s", err, test.code)
			}
		})
	}
}
