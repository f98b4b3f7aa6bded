package changeset_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

const sites = `
resources:
  - name: site
  - name: device
    parent: site
  - name: port
    references: [{name: device, at: spec.on}]
`

const siteSteps = `steps: [{rename: {element: device, to: host}}, {split: {kind: device, member: spec.size, into: [spec.length, spec.unit], separator: " "}}]`

// compileSites compiles a ref-schema beside that of change sets.
func compileSites(t *testing.T, text string) *schema.Model {
	t.Helper()
	own, err := os.ReadFile("ref-schemas/v1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile([]schema.Source{{Name: "sites.yaml", Data: []byte(text)}, {Name: "changeset.yaml", Data: own}})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestMigrate migrates a store with change sets: those that are not merged are as if they had been made after it.
func TestMigrate(t *testing.T) {
	migrations := []struct {
		name    string
		migrate func(t *testing.T, backend store.Backend, s *store.Store, file store.MigrationFile, dryRun bool) (*store.Migrated, error)
	}{
		{"by the server", func(t *testing.T, _ store.Backend, s *store.Store, file store.MigrationFile, dryRun bool) (*store.Migrated, error) {
			m, err := store.ParseMigration(file, s.Model())
			if err != nil {
				t.Fatal(err)
			}
			return s.Migrate(t.Context(), m, store.MigrateOptions{DryRun: dryRun})
		}},
		{"in batches", func(t *testing.T, backend store.Backend, _ *store.Store, file store.MigrationFile, dryRun bool) (*store.Migrated, error) {
			return store.MigrateOffline(t.Context(), backend, file, store.MigrateOptions{DryRun: dryRun}, store.Config{MaxMigration: 1, Holders: changeset.Holders()})
		}},
	}
	for _, migration := range migrations {
		t.Run(migration.name, func(t *testing.T) {
			backend := apitest.Closing(t, apitest.OpenBolt(t))
			open := func(model *schema.Model) (*store.Store, *apitest.Server) {
				s, err := store.Open(t.Context(), backend, model, store.Config{Holders: changeset.Holders()})
				if err != nil {
					t.Fatal(err)
				}
				return s, serve(t, s)
			}
			next := compileSites(t, strings.ReplaceAll(sites, "device", "host"))
			st, s := open(compileSites(t, sites))
			put := func(path, body string) { s.Send("PUT", "/v2/"+path, body) }
			put("sites/a", `{}`)
			put("sites/a/devices/d1", `{"spec":{"v":1,"size":"3 m"}}`)
			put("sites/a/devices/d2", `{"spec":{"v":1}}`)
			put("ports/p1", `{"spec":{"on":{"site":"a","device":"d1"}}}`)
			for _, name := range []string{"open", "closed", "merged", "empty", "bad"} {
				s.Must(201, "POST", "/api/change-sets", `{"name":"`+name+`"}`)
			}
			put("sites/a/devices/d1?changeSet=open", `{"spec":{"v":2,"size":"4 m"}}`)
			put("sites/a/devices/d3?changeSet=open", `{"spec":{"v":3}}`)
			put("ports/p2?changeSet=open", `{"spec":{"on":{"site":"a","device":"d3"}}}`)
			s.Must(204, "DELETE", "/v2/sites/a/devices/d2?changeSet=open", "")
			put("sites/a/devices/d4?changeSet=closed", `{"spec":{"v":4}}`)
			put("sites/a?changeSet=merged", `{"spec":{"v":5}}`)
			put("sites/a/devices/d5?changeSet=bad", `{"spec":{"size":"4"}}`)
			s.Must(200, "POST", "/api/change-sets/open/reviews", `{"decision":"approve"}`)
			s.Must(200, "POST", "/api/change-sets/closed/close", "")
			s.Must(200, "POST", "/api/change-sets/merged/merge", "")
			put("sites/a/devices/d1", `{"spec":{"v":1,"size":"3 m","w":7}}`)

			file := store.MigrationFile{Name: "m.yaml", Text: []byte(siteSteps), Next: next}
			for _, dryRun := range []bool{true, false} {
				_, err := migration.migrate(t, backend, st, file, dryRun)
				if err == nil || !strings.Contains(err.Error(), "the open change set bad stages site/a/device/d5") {
					t.Fatalf("what cannot be rewritten: %v", err)
				}
			}
			s.Must(200, "POST", "/api/change-sets/bad/close", "")
			plan, err := migration.migrate(t, backend, st, file, true)
			if err != nil {
				t.Fatal(err)
			}
			want := "[{changeSet/bad 0} {changeSet/closed 1} {changeSet/empty 0} {changeSet/open 4}]"
			if got := fmt.Sprint(plan.ChangeSets); got != want {
				t.Errorf("planned %s, want %s", got, want)
			}
			done, err := migration.migrate(t, backend, st, file, false)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(done.ChangeSets); got != want {
				t.Errorf("done %s, want %s", got, want)
			}

			st, s = open(next)
			for path, parts := range map[string][]string{
				"/v2/sites/a/hosts?changeSet=open":       {`[{"spec":{"v":2,"length":"4","unit":"m"}},{"spec":{"v":3}}]`},
				"/v2/sites/a/hosts?changeSet=empty":      {`[{"spec":{"v":1,"w":7,"length":"3","unit":"m"}},{"spec":{"v":1}}]`},
				"/v2/ports/p2?changeSet=open":            {`"host":"d3"`},
				"/api/change-sets/open":                  {`"current":false`, `site/a/host/d3`, `"total":4`},
				"/api/change-sets/open/check":            {`"mergeable":true`},
				"/api/change-sets/open/diff":             {`"id":"site/a/host/d1"`},
				"/api/change-sets/merged":                {`"total":1`},
				"/api/change-sets?state=open&author=bob": {`"items":[]`},
			} {
				text := s.Must(200, "GET", path, "").Text
				for _, part := range parts {
					if !strings.Contains(text, part) {
						t.Errorf("%s: %s lacks %s", path, text, part)
					}
				}
			}
			s.Must(201, "PUT", "/v2/sites/a/hosts/d6?changeSet=empty", `{"spec":{}}`, "If-None-Match", "*")
			s.Must(200, "POST", "/api/change-sets/empty/rebase", `{}`)
			s.Must(200, "POST", "/api/change-sets/open/merge", "")
			s.Must(200, "POST", "/api/change-sets/closed/reopen", "")
			s.Must(200, "POST", "/api/change-sets/closed/merge", "")
			s.Must(200, "POST", "/api/change-sets/bad/reopen", "")
			s.Must(200, "DELETE", "/api/change-sets/bad/operations?id=site%2Fa%2Fdevice%2Fd5", "")
			if text, want := s.Must(200, "GET", "/v2/sites/a/hosts", "").Text, `[{"spec":{"v":2,"w":7,"length":"4","unit":"m"}},{"spec":{"v":3}},{"spec":{"v":4}}]`; strings.TrimSpace(text) != want {
				t.Errorf("merged\n%s\nwant\n%s", text, want)
			}
			for f, err := range st.Check(t.Context(), false) {
				t.Error(f, err)
			}
		})
	}
}
