package override_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
	"github.com/dovetail-store/dovetail/src/store"
)

// stagingServer serves the parameters of files in the store and in its change sets.
func stagingServer(t *testing.T, files map[string]string, o override.Options) (*apitest.Server, *store.Store) {
	t.Helper()
	s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}, "../inventory/ref-schemas/v1.yaml", "../descriptor/ref-schemas/v1.yaml", "ref-schemas/v1.yaml", "../changeset/ref-schemas/v1.yaml")
	load(t, s, files, "")
	sets := changeset.New(s, changeset.Options{Carriers: map[string]changeset.Carrier{override.ServiceName: {Kinds: override.CarriedKinds, MadeOf: override.MadeOf, Carry: override.Carry(o)}}})
	service := override.New(override.Stored{Store: s}, o).Service()
	service.At = func(then *store.Store) httpapi.Service {
		return override.New(override.Stored{Store: then}, o).Service()
	}
	return apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{service, sets.Service()}, ChangeSet: sets.View}), s
}

// orders are the places of the associations of an object, which ParamSet by which.
func orders(t *testing.T, s *store.Store, object string) string {
	t.Helper()
	at := make(map[int][]string)
	for doc, err := range s.Documents(t.Context(), store.ListQuery{Kind: "paramSetAssociation"}) {
		if err != nil {
			t.Fatal(err)
		}
		var data struct {
			Spec struct {
				AssociatedObject, Context, EnvironmentParamSet, ClusterParamSet, SiteParamSet string
				Order                                                                         int
			}
		}
		if err := json.Unmarshal(doc.Data, &data); err != nil {
			t.Fatal(err)
		}
		if data.Spec.AssociatedObject == object && data.Spec.Context == "deploy" {
			at[data.Spec.Order] = append(at[data.Spec.Order], data.Spec.EnvironmentParamSet+data.Spec.ClusterParamSet+data.Spec.SiteParamSet)
		}
	}
	var all []string
	for _, order := range slices.Sorted(maps.Keys(at)) {
		all = append(all, fmt.Sprint(order, "=", strings.Join(at[order], "+")))
	}
	return strings.Join(all, " ")
}

// TestMergedOverrides merges change sets with overrides that depend on one another: the generated files are those that are calculated afterwards.
func TestMergedOverrides(t *testing.T) {
	files := generatedFiles(t)
	o := override.Options{Mode: override.ModeEffectiveSet, Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")}
	const environment = `{"environmentId":"cluster-01/pl-01","context":"deploy",`
	const namespace = environment + `"namespaceName":"pl-01-pg",`
	type step struct {
		method, path, body string
		status             int
	}
	post := func(set, body string) step { return step{"POST", overrides + "?changeSet=" + set, body, 201} }
	merge := func(set string) step { return step{"POST", "/api/change-sets/" + set + "/merge", "", 200} }
	host, url := post("one", environment+`"parameters":{"STORAGE_PROVIDER":"of one"}}`), post("two", namespace+`"parameters":{"URL":"at ${STORAGE_PROVIDER}"}}`)
	for _, test := range []struct {
		name  string
		steps []step
		has   string // a line of the parameters of an application
	}{
		{name: "what refers last", steps: []step{host, url, merge("one"), {"GET", "/api/change-sets/two/check", "", 200}, merge("two")}, has: "at of one"},
		{name: "what is referred to last", steps: []step{host, url, merge("two"), merge("one")}, has: "at of one"},
		{name: "one of them in the store", steps: []step{host, {"POST", overrides, url.body, 201}, merge("one")}, has: "at of one"},
		{name: "after a rebase", steps: []step{host, url, merge("one"), {"POST", "/api/change-sets/two/rebase", "", 200}, merge("two")}, has: "at of one"},
		{name: "the first one reverted", steps: []step{host, url, merge("one"), merge("two"), {"POST", "/api/change-sets/one/revert", "", 201}, merge("revert-one")}, has: "at "},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, st := stagingServer(t, files, o)
			for _, name := range []string{"one", "two"} {
				s.Must(201, "POST", "/api/change-sets", `{"name":"`+name+`"}`)
			}
			for _, step := range test.steps {
				a := s.Send(step.method, step.path, step.body)
				if a.Status != step.status {
					t.Fatalf("%s %s: %d %s", step.method, step.path, a.Status, a.Text)
				}
				if strings.HasSuffix(step.path, "/check") && !strings.Contains(a.Text, `"mergeable":true`) {
					t.Errorf("%s: %s", step.path, a.Text)
				}
			}
			const query = "/api/effective-set?environmentId=cluster-01/pl-01&onOverlap=last&context=deploy&namespaceName=pl-01-pg&applicationName=postgres&view="
			toBe := decodeToBe(t, s.Must(200, "GET", query+"to-be", "").Text)
			if len(toBe.Changes) > 0 || len(toBe.Findings) > 0 || toBe.Basis != "calculation" {
				t.Errorf("stale: %v %v", toBe.Changes, toBe.Findings)
			}
			if text := s.Must(200, "GET", query+"generated", "").Text; !strings.Contains(text, `"URL":"`+test.has) {
				t.Errorf("%s lacks %s", text, test.has)
			}
			for f, err := range st.Check(t.Context(), false) {
				t.Error(f, err)
			}
		})
	}
}

func decodeToBe(t *testing.T, text string) (toBe struct {
	Basis             string
	Changes, Findings []json.RawMessage
},
) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &toBe); err != nil {
		t.Fatal(err)
	}
	return toBe
}

// TestMergedAssociations merges change sets that associate ParamSets with one object: each has a place of its own.
func TestMergedAssociations(t *testing.T) {
	use := func(name, order string) string {
		return `{"name":"` + name + `","location":"environments/cluster-01/env-01/Inventory/parameters","parameters":{"A":"` + name + `"},"associations":[{"environmentId":"cluster-01/env-01","associatedObject":"core","context":"deploy"` + order + `}]}`
	}
	for _, test := range []struct {
		name, one, two string
		revert         bool
		want           string
	}{
		{name: "both last", want: "0=shared 1=core-params 2=one 3=two"},
		{name: "one at a place", one: `,"order":0`, want: "0=one 1=shared 2=core-params 3=two"},
		{name: "both at a place", one: `,"order":1`, two: `,"order":1`, want: "0=shared 1=one 2=two 3=core-params"},
		{name: "the first one reverted", revert: true, want: "0=shared 1=core-params 2=two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, st := stagingServer(t, overridetest.Inventory(), override.Options{})
			for name, order := range map[string]string{"one": test.one, "two": test.two} {
				s.Must(201, "POST", "/api/change-sets", `{"name":"`+name+`"}`)
				s.Must(201, "POST", "/api/paramset?changeSet="+name, use(name, order))
			}
			s.Must(200, "POST", "/api/change-sets/one/merge", "")
			s.Must(200, "POST", "/api/change-sets/two/merge", "")
			if test.revert {
				s.Must(201, "POST", "/api/change-sets/one/revert", "")
				s.Must(200, "POST", "/api/change-sets/revert-one/merge", "")
			}
			if got := orders(t, st, "core"); got != test.want {
				t.Errorf("ordered %s, want %s", got, test.want)
			}
		})
	}
}
