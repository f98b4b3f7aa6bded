package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

const (
	devicesSchema = "resources:\n  - name: device\n  - name: port\n    parent: device\n  - name: cable\n    references: [{name: port, at: spec.a, required: true}]\n"
	hostsSchema   = "resources:\n  - name: host\n  - name: port\n    parent: host\n  - name: cable\n    references: [{name: port, at: spec.from, required: true}]\n"
	hostsSteps    = "steps:\n  - rename: {element: device, to: host}\n  - move: {kind: cable, member: spec.a, to: spec.from}\n"
	hostsPlan     = `{"kinds":[{"kind":"cable","to":"cable","renamed":0,"rewritten":1},{"kind":"device","to":"host","renamed":1,"rewritten":0},` +
		`{"kind":"port","to":"port","renamed":1,"rewritten":0}],"documents":3,"references":1,"lost":0`
)

func createDevices(t *testing.T, server *running) {
	t.Helper()
	server.must(t, 201, "POST", "/v2/devices", named("d"))
	server.must(t, 201, "POST", "/v2/devices/d/ports", named("p"))
	server.must(t, 201, "POST", "/v2/cables", `{"metadata":{"name":"c"},"spec":{"a":{"device":"d","port":"p"}}}`)
}

// hostsMigration is the body of a request, with other steps where they are given.
func hostsMigration(t *testing.T, steps string) string {
	t.Helper()
	if steps == "" {
		steps = `[{"rename":{"element":"device","to":"host"}},{"move":{"kind":"cable","member":"spec.a","to":"spec.from"}}]`
	}
	text, err := json.Marshal(hostsSchema)
	if err != nil {
		t.Fatal(err)
	}
	return `{"steps":` + steps + `,"sources":[{"name":"schema.yaml","text":` + string(text) + `}]}`
}

// A server is migrated while it runs. It says that its files are those of before; a start with them is under the ref-schema that the
// documents have, and once the files are the new ones, all is as it should be.
func TestMigrateServer(t *testing.T) {
	schemas := newConfigMap(t, map[string]string{"schema.yaml": devicesSchema})
	settings := map[string]string{"ref-schemas": schemas.dir, "store": "bolt:" + filepath.Join(t.TempDir(), "dovetail.db")}
	server := start(t, settings)
	createDevices(t, server)

	for _, refused := range []struct {
		name, body, says string
		status           int
	}{
		{"a misspelt step", hostsMigration(t, `[{"renam":{}}]`), `"path":"/steps/0/renam"`, 400},
		{"a misspelt kind", hostsMigration(t, `[{"drop":{"kind":"cabel","member":"spec.a"}}]`), `did you mean \"cable\"?`, 400},
		{"no steps", hostsMigration(t, `[]`), "step", 400},
		{"no sources", `{"steps":[{"drop":{"kind":"cable","member":"spec.a"}}]}`, "sources", 400},
		{"another member", `{"steps":[],"source":[]}`, `did you mean`, 400},
		{"as if it came with the server", `{"steps":[],"sources":[{"name":"dovetail:changeset","text":"resources: []"}]}`, "give it another name", 400},
		{"documents that do not fit", hostsMigration(t, `[{"rename":{"element":"device","to":"host"}},{"drop":{"kind":"cable","member":"spec.a"}}]`), "cable/c", 422},
	} {
		for _, query := range []string{"?dryRun=true", ""} {
			if status, text := server.call(t, "POST", "/v2/schema/migrate"+query, refused.body); status != refused.status || !strings.Contains(text, refused.says) {
				t.Errorf("%s: %d %s", refused.name, status, text)
			}
		}
	}
	if plan := server.must(t, 200, "POST", "/v2/schema/migrate?dryRun=true", hostsMigration(t, "")); plan != hostsPlan+`,"dryRun":true}` {
		t.Errorf("the plan is %s", plan)
	}
	server.must(t, 200, "GET", "/v2/devices/d", "")
	if done := server.must(t, 200, "POST", "/v2/schema/migrate", hostsMigration(t, "")); done != hostsPlan+"}" {
		t.Errorf("it did %s", done)
	}
	server.must(t, 404, "GET", "/v2/devices/d", "")
	server.must(t, 200, "GET", "/v2/hosts/d/ports/p", "")
	server.must(t, 201, "POST", "/v2/hosts", named("e"))
	if again := server.must(t, 400, "POST", "/v2/schema/migrate", hostsMigration(t, "")); !strings.Contains(again, "has the element") {
		t.Errorf("migrated again: %s", again)
	}
	differ := func(server *running, says string) {
		t.Helper()
		if ready := server.must(t, 200, "GET", "/readyz", ""); !strings.Contains(ready, says) {
			t.Errorf("/readyz lacks %q: %s", says, ready)
		}
		if metrics := server.must(t, 200, "GET", "/metrics", ""); !strings.Contains(metrics, "dovetail_schema_current 0") {
			t.Error("the metrics do not say that the files are others")
		}
		eventually(t, "the log says "+says, func() bool { return strings.Contains(server.logs.String(), schemas.dir) })
	}
	differ(server, "a migration or another process has replaced it")
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}

	server = start(t, settings)
	server.must(t, 200, "GET", "/v2/hosts/d/ports/p", "")
	differ(server, "are refused, see the log")
	schemas.swap(t, map[string]string{"schema.yaml": hostsSchema})
	eventually(t, "the files are those in force", func() bool {
		return strings.Contains(server.must(t, 200, "GET", "/metrics", ""), "dovetail_schema_current 1")
	})
	server.fsck(t)
}

// TestMigrateByClient migrates through one server of two on a database, with the Go client.
func TestMigrateByClient(t *testing.T) {
	schemas := newConfigMap(t, map[string]string{"schema.yaml": devicesSchema})
	settings := map[string]string{"ref-schemas": schemas.dir, "store": freshMongo(t).String()}
	server, other := start(t, settings), start(t, settings)
	createDevices(t, server)
	c, err := client.New(server.URL(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	from, err := c.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: []byte(hostsSchema)}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := store.ParseMigration(store.MigrationFile{Name: "hosts.yaml", Text: []byte(hostsSteps), Next: next}, from)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := c.Migrate(t.Context(), m, store.MigrateOptions{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	done, err := c.Migrate(t.Context(), m, store.MigrateOptions{Message: "devices are hosts"})
	if err != nil {
		t.Fatal(err)
	}
	if plan.DryRun = false; fmt.Sprint(plan) != fmt.Sprint(done) || done.Documents != 3 {
		t.Errorf("planned %+v, done %+v", plan, done)
	}
	eventually(t, "the other server serves what was migrated", func() bool {
		status, _ := other.call(t, "GET", "/v2/hosts/d/ports/p", "")
		return status == 200
	})
	other.must(t, 201, "POST", "/v2/hosts", named("e"))
	if transactions := other.must(t, 200, "GET", "/v2/transactions", ""); !strings.Contains(transactions, "devices are hosts") {
		t.Errorf("the transactions are %s", transactions)
	}
	if _, err := c.Migrate(t.Context(), m, store.MigrateOptions{}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("migrated again: %v", err)
	}
}
