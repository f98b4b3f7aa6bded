package override_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// inhabited are two clusters, with an environment whose namespaces have ParamSets of every place, and take turns.
func inhabited() map[string]string {
	at := "environments/c1/e1/"
	return map[string]string{
		"environments/parameters/everywhere.yaml":       "name: everywhere\nparameters: {SITE: 1}\napplications: [{appName: app, parameters: {ALL: 1}}]\n",
		"environments/c1/parameters/of-cluster.yaml":    "name: of-cluster\nparameters: {CLUSTER: 1}\napplications: [{appName: app, parameters: {SHARED: 1}}]\n",
		at + "Inventory/parameters/basics.yaml":         "name: basics\nparameters: {BASICS: 1}\napplications: [{appName: app, parameters: {APP: 1}}]\n",
		at + "Inventory/parameters/of-core.yaml":        "name: of-core\nparameters: {}\napplications: [{appName: app, parameters: {CORE: 1}}]\n",
		at + "Namespaces/core/namespace.yml":            "name: e1-core\n",
		at + "Namespaces/core/Applications/app.yml":     "name: app\n",
		at + "Namespaces/other/namespace.yml":           "name: e1-other\n",
		at + "Namespaces/blue/namespace.yml":            "name: e1-blue\n",
		at + "Namespaces/blue/Applications/app.yml":     "name: app\n",
		at + "bg_domain.yml":                            "name: domain\noriginNamespace: {name: e1-blue}\npeerNamespace: {name: e1-other}\n",
		"environments/c1/e2/Namespaces/x/namespace.yml": "name: e2-x\n",
		"environments/c2/e3/Namespaces/x/namespace.yml": "name: e3-x\n",
		at + "Inventory/env_definition.yml": `inventory: {environmentName: e1, cloudPassport: pass}
envTemplate:
  envSpecificParamsets:
    cloud: [everywhere, basics]
    core: [of-cluster, of-core, basics]
    blue-origin: [basics]
`,
	}
}

// placed is a place as requests name it.
type placed struct{ environment, namespace, application string }

func (p placed) query() string {
	query := "context=deploy&environmentId=" + p.environment
	if p.namespace != "" {
		query += "&namespaceName=" + p.namespace
	}
	if p.application != "" {
		query += "&applicationName=" + p.application
	}
	return query
}

// TestFollow renames and moves what parameters are for: these stay, overrides are found and can be changed, ids are those that an export and an
// import give, and the revert brings everything back.
func TestFollow(t *testing.T) {
	const e1 = "cluster/c1/environment/e1"
	same := func(p placed) placed { return p }
	tests := []struct {
		name, from, to string
		place          func(placed) placed
	}{
		{"a cluster", "cluster/c1", "cluster/z", func(p placed) placed { p.environment = "z/e1"; return p }},
		{"an environment", e1, "cluster/c1/environment/z", func(p placed) placed { p.environment = "c1/z"; return p }},
		{"a namespace", e1 + "/deployPostfix/core", e1 + "/deployPostfix/z", same},
		{"a namespace with a role", e1 + "/deployPostfix/blue", e1 + "/deployPostfix/z", same},
		{"an application", e1 + "/deployPostfix/core/application/app", e1 + "/deployPostfix/core/application/z", func(p placed) placed {
			if p.namespace == "e1-core" && p.application != "" {
				p.application = "z"
			}
			return p
		}},
		{"a ParamSet of an environment", e1 + "/environmentParamSet/basics", e1 + "/environmentParamSet/z", same},
		{"a ParamSet of a cluster", "cluster/c1/clusterParamSet/of-cluster", "cluster/c1/clusterParamSet/z", same},
		{"a ParamSet of all", "siteParamSet/everywhere", "siteParamSet/z", same},
	}
	for _, tt := range tests {
		for _, within := range []string{"the store", "a change set"} {
			t.Run(tt.name+" in "+within, func(t *testing.T) {
				s := newStore(t, apitest.OpenBolt(t), inhabited())
				places := []placed{{"c1/e1", "", ""}, {"c1/e1", "e1-core", ""}, {"c1/e1", "e1-core", "app"}, {"c1/e1", "e1-blue", ""}, {"c1/e1", "e1-blue", "app"}}
				c := newClient(t, override.Stored{Store: s}, override.Options{})
				var before []string
				for i, p := range places {
					c.must("POST", overrides, "", fmt.Sprintf(`{"environmentId":%q,"context":"deploy","namespaceName":%q,"applicationName":%q,"parameters":{"O":%d}}`,
						p.environment, p.namespace, p.application, i))
				}
				for _, p := range places {
					before = append(before, parametersAt(t, c, p))
				}
				stored := everything(t, s)
				renamed := s
				if within == "a change set" {
					var err error
					if renamed, err = s.Overlay(t.Context(), "", nil, func(context.Context, []store.Staged) error { return nil }); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := renamed.Rename(t.Context(), dovetail.ID(tt.from), dovetail.ID(tt.to), store.Options{}); err != nil {
					t.Fatal(err)
				}
				c = newClient(t, override.Stored{Store: renamed}, override.Options{})
				for i, p := range places {
					if got := parametersAt(t, c, tt.place(p)); got != before[i] {
						t.Errorf("%v has %s, want %s", p, got, before[i])
					}
					c.must("GET", overrides, tt.place(p).query(), "")
				}
				checkRoundTrip(t, renamed)
				if renamed != s {
					return
				}
				page, err := s.Transactions(t.Context(), store.TransactionQuery{Limit: 1})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Revert(t.Context(), page.Transactions[0].Cursor, store.Options{}); err != nil {
					t.Fatal(err)
				}
				if got := everything(t, s); !maps.Equal(got, stored) {
					t.Errorf("the revert left %v", got)
				}
			})
		}
	}
}

// TestFollowOtherParent moves what overrides are for to another parent.
func TestFollowOtherParent(t *testing.T) {
	const e1 = "cluster/c1/environment/e1"
	tests := []struct {
		name, from, to string
		at             placed // of the override afterwards
		refused        dovetail.Code
	}{
		{name: "an environment", from: e1, to: "cluster/c2/environment/e1", refused: dovetail.CodeMissing}, // it uses a ParamSet of the cluster
		{name: "an application to another namespace", from: e1 + "/deployPostfix/blue/application/app", to: e1 + "/deployPostfix/core/application/moved", at: placed{"c1/e1", "e1-core", "moved"}},
		{name: "an application to another environment", from: e1 + "/deployPostfix/blue/application/app", to: "cluster/c1/environment/e2/deployPostfix/x/application/app",
			at: placed{"c1/e2", "e2-x", "app"}},
		{name: "a namespace to another environment", from: e1 + "/deployPostfix/other", to: "cluster/c1/environment/e2/deployPostfix/other", at: placed{"c1/e2", "e1-other", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t, apitest.OpenBolt(t), inhabited())
			c := newClient(t, override.Stored{Store: s}, override.Options{})
			for _, p := range []string{`"namespaceName":"e1-blue","applicationName":"app"`, `"namespaceName":"e1-blue"`, `"namespaceName":"e1-core","applicationName":"app"`, `"namespaceName":"e1-other"`} {
				c.must("POST", overrides, "", `{"environmentId":"c1/e1","context":"deploy","parameters":{"O":1},`+p+`}`)
			}
			_, err := s.Rename(t.Context(), dovetail.ID(tt.from), dovetail.ID(tt.to), store.Options{})
			if dovetail.CodeOf(err) != tt.refused {
				t.Fatalf("it is answered with %v", err)
			}
			if tt.refused != "" {
				return
			}
			c.must("GET", overrides, tt.at.query(), "")
			if got := parametersAt(t, c, tt.at); !strings.Contains(got, `"O":1`) {
				t.Errorf("it has %s", got)
			}
			checkRoundTrip(t, s)
		})
	}
}

func parametersAt(t *testing.T, c *client, p placed) string {
	t.Helper()
	_, parameters, _ := strings.Cut(answer(t, c.must("GET", "/api/parameters", p.query(), "").Body), `"parameters":`)
	return parameters
}

// everything returns what a store holds, by id.
func everything(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for doc, err := range s.Documents(t.Context(), store.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		all[string(doc.ID)] = string(doc.Data)
	}
	return all
}

// checkRoundTrip exports the documents to an instance repository, and compares them with those that its files make.
func checkRoundTrip(t *testing.T, s *store.Store) {
	t.Helper()
	var documents []instancerepo.Document
	stored := make(map[dovetail.ID]*value.Value)
	for doc, err := range s.Documents(t.Context(), store.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		document, err := instancerepo.FromStored(doc)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, document)
		stored[document.ID] = document.Data
	}
	files, problems := instancerepo.Files(documents)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	contents, err := instancerepo.Survey(func(yield func(instancerepo.File, error) bool) {
		for _, file := range files {
			if !yield(file, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range contents.Documents() {
		if was := stored[doc.ID]; !value.Equal(was, doc.Data) {
			t.Errorf("%s is %s after an export and an import, and was %s", doc.ID, doc.Data.JSON(), was.JSON())
		}
		delete(stored, doc.ID)
	}
	if len(stored) > 0 {
		t.Errorf("an export and an import delete %v", stored)
	}
}
