package override_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// problems returns the problems of a store, and repairs what can be repaired if that is asked for.
func problems(t *testing.T, s *store.Store, repair bool) (all []string) {
	t.Helper()
	for f, err := range s.Check(t.Context(), repair) {
		if err != nil {
			t.Fatal(err)
		}
		text := f.Problem
		if f.Repaired {
			text += " repaired"
		}
		all = append(all, text)
	}
	return all
}

// TestVerify breaks what must hold among ParamSets and associations, around the service, and repairs it.
func TestVerify(t *testing.T) {
	const e1, another = dovetail.ID("cluster/c1/environment/e1"), "00000000-0000-4000-8000-000000000000"
	associations := func(t *testing.T, s *store.Store, object string) (all []*dovetail.Document) {
		page, err := s.List(t.Context(), store.ListQuery{Under: e1, Kind: "paramSetAssociation"})
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(page.Documents, func(doc *dovetail.Document) bool {
			return !strings.Contains(string(doc.Data), `"associatedObject":"`+object+`"`)
		})
	}
	change := func(t *testing.T, s *store.Store, doc *dovetail.Document, member string, to *value.Value) {
		data, err := value.DataOf(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		data = data.Clone()
		data.Get("spec").Set(member, to)
		if _, err := s.Put(t.Context(), store.Operation{ID: doc.ID, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, problem string
		left          bool // it cannot be repaired
		damage        func(t *testing.T, s *store.Store)
	}{
		{name: "equal places", problem: override.ProblemOrder, damage: func(t *testing.T, s *store.Store) {
			all := associations(t, s, "core")
			change(t, s, all[0], "order", value.NewNumber(1))
			change(t, s, all[1], "order", value.NewNumber(1))
		}},
		{name: "another object", problem: override.ProblemObject, damage: func(t *testing.T, s *store.Store) {
			change(t, s, associations(t, s, "core")[0], "associatedObject", value.NewString("former"))
		}},
		{name: "another id", problem: override.ProblemAssociation, damage: func(t *testing.T, s *store.Store) {
			doc := associations(t, s, "cloud")[0]
			data := strings.Replace(string(doc.Data), lastOf(doc.ID), another, 1)
			parsed, err := value.ParseJSON([]byte(data), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: doc.ID}, {Verb: store.Create, ID: e1.Child("paramSetAssociation", another), Data: parsed}}, store.Options{}); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "an override of something else", problem: override.ProblemTarget, left: true, damage: func(t *testing.T, s *store.Store) {
			c := newClient(t, override.Stored{Store: s}, override.Options{})
			c.must("POST", overrides, "", `{"environmentId":"c1/e1","context":"deployment","namespaceName":"e1-core","parameters":{"a":1}}`)
			if _, err := s.Rename(t.Context(), e1.Child("environmentParamSet", "core-deploy-ui-override"), e1.Child("environmentParamSet", "other-deploy-ui-override"), store.Options{}); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}.With(store.Service{Follow: inventory.Follow}, override.Rules()),
				"../inventory/ref-schemas/v1.yaml", "../descriptor/ref-schemas/v1.yaml", "ref-schemas/v1.yaml")
			load(t, s, inhabited(), "")
			if found := problems(t, s, false); len(found) > 0 {
				t.Fatalf("before: %v", found)
			}
			test.damage(t, s)
			if found := problems(t, s, false); !slices.Contains(found, test.problem) {
				t.Errorf("found %v, want %s", found, test.problem)
			}
			if r, err := s.Scrub(t.Context(), func(context.Context) error { return nil }, nil); err != nil || r.Total == 0 {
				t.Errorf("the scrub found %+v, %v", r, err)
			}
			problems(t, s, true)
			if left := problems(t, s, false); test.left != (len(left) > 0) {
				t.Errorf("left are %v", left)
			}
		})
	}
}

func lastOf(id dovetail.ID) string { key := id.Key(); return key[len(key)-1].Value }
