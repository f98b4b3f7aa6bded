package layering_test

import (
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestVerify breaks what must hold among revisions, around the service.
func TestVerify(t *testing.T) {
	const bucket = dovetail.ID("layeringBucket/a/layeringSchema/example%2FKind%2Fv1/layeringLayer/site/layeredDocument/d")
	remove := func(ids ...dovetail.ID) func(*testing.T, *store.Store) {
		return func(t *testing.T, s *store.Store) {
			for _, id := range ids {
				if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: id, Cascade: true}}, store.Options{Managed: true}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	// swap gives a document what another one says in a member.
	swap := func(id, from dovetail.ID, member string) func(*testing.T, *store.Store) {
		return func(t *testing.T, s *store.Store) {
			var data [2]*value.Value
			for i, id := range []dovetail.ID{id, from} {
				doc, err := s.Get(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				if data[i], err = value.DataOf(doc, nil); err != nil {
					t.Fatal(err)
				}
			}
			changed := data[0].Clone()
			changed.Set(member, data[1].Get(member))
			if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: id, Data: changed}}, store.Options{Managed: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name, problem string
		repaired      bool
		damage        func(*testing.T, *store.Store)
	}{
		{"a revision is missing", layering.ProblemRevision, false, remove("layeringRevision/2")},
		{"the newest revision is missing", layering.ProblemHead, true, remove("layeringRevision/3")},
		{"an index is missing", layering.ProblemRevision, false, remove("layeringRevision/2/layeringIndex/index")},
		{"an index was changed", layering.ProblemRevision, false, swap("layeringRevision/2/layeringIndex/index", "layeringRevision/3/layeringIndex/index", "documents")},
		{"the head is missing", layering.ProblemHead, true, remove("layeringHead/head")},
		{"a document is missing", layering.ProblemDocument, false, remove(bucket)},
		{"a data key was replaced", layering.ProblemContent, false, swap("secretKey/k1", "secretKey/k2", "spec")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			keys := newKeys(t)
			s := newStoreWith(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}.With(layering.Rules(keys)))
			server := serve(t, s, layering.Options{Keys: keys})
			const head = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [site]}\n---\n" +
				"schema: deckhand/Passphrase/v1\nmetadata: {schema: metadata/Document/v1, name: s, storagePolicy: encrypted, layeringDefinition: {abstract: false, layer: site}}\ndata: secret\n---\n"
			for _, n := range []string{"1", "2", "3"} {
				server.must(200, "PUT", "/api/v1.0/buckets/a/documents", head+"schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: d, layeringDefinition: {abstract: false, layer: site}}\ndata: {n: "+n+"}\n")
			}
			anotherKey(t, s, keys)
			check := func(repair bool) (found []string) {
				for f, err := range s.Check(t.Context(), repair) {
					if err != nil {
						t.Fatal(err)
					}
					if found = append(found, f.Problem); f.Repaired {
						found[len(found)-1] += " repaired"
					}
				}
				return found
			}
			if found := check(false); len(found) > 0 {
				t.Fatalf("before: %v", found)
			}
			test.damage(t, s)
			want := test.problem
			if test.repaired {
				want += " repaired"
			}
			if found := check(test.repaired); !slices.Contains(found, want) {
				t.Errorf("found %v, want %s", found, want)
			}
			if test.repaired && slices.Contains(check(false), test.problem) {
				t.Errorf("%s is found after its repair", test.problem)
			}
		})
	}
}

// anotherKey stores a data key of another store.
func anotherKey(t *testing.T, s *store.Store, keys envelope.Wrapper) {
	t.Helper()
	elsewhere := serve(t, newStore(t, apitest.OpenBolt(t)), layering.Options{Keys: keys})
	elsewhere.must(200, "PUT", "/api/v1.0/buckets/a/documents", "schema: deckhand/Passphrase/v1\nmetadata: {schema: metadata/Document/v1, name: s, storagePolicy: encrypted, layeringDefinition: {abstract: false, layer: site}}\ndata: secret\n")
	doc, err := elsewhere.store.Get(t.Context(), "secretKey/k1")
	if err != nil {
		t.Fatal(err)
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	data = data.Clone()
	data.Get("metadata").Set("name", value.NewString("k2"))
	if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: "secretKey/k2", Data: data}}, store.Options{Managed: true}); err != nil {
		t.Fatal(err)
	}
}
