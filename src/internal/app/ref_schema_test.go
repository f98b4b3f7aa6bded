package app

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// A server whose ref-schema is refused starts under the last good one, says so, and takes the files once they are good.
func TestStartUnderLastGood(t *testing.T) {
	cases := []struct{ name, text, says string }{
		{name: "it does not compile", text: "resources: [", says: "schema.yaml:1"},
		{name: "it has an unknown parent", text: twoKinds + "  - name: x\n    parent: nosuch\n", says: "unknown parent"},
		{name: "it would orphan a document", text: oneKind, says: "project/p/app/a"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			schemas := newConfigMap(t, map[string]string{"schema.yaml": twoKinds})
			settings := map[string]string{"ref-schemas": schemas.dir, "store": "bolt:" + filepath.Join(t.TempDir(), "dovetail.db")}
			first := start(t, settings)
			first.must(t, 201, "POST", "/v2/projects", named("p"))
			first.must(t, 201, "POST", "/v2/projects/p/apps", named("a"))
			if err := first.stop(); err != nil {
				t.Fatal(err)
			}
			schemas.swap(t, map[string]string{"schema.yaml": c.text})
			server := start(t, settings)
			server.must(t, 200, "GET", "/v2/projects/p/apps/a", "")
			server.must(t, 201, "POST", "/v2/projects/p/apps", named("b"))
			if ready := server.must(t, 200, "GET", "/readyz", ""); !strings.Contains(ready, "refused, see the log") || strings.Contains(ready, c.says) {
				t.Errorf("/readyz, which needs no authentication, says %s", ready)
			}
			if !strings.Contains(server.logs.String(), c.says) {
				t.Errorf("the log lacks %q: %s", c.says, server.logs)
			}
			metrics := server.must(t, 200, "GET", "/metrics", "")
			for _, line := range []string{"dovetail_schema_current 0", `dovetail_schema_reloads_total{result="refused"} 1`} {
				if !strings.Contains(metrics, line) {
					t.Errorf("the metrics lack %q", line)
				}
			}
			schemas.swap(t, map[string]string{"schema.yaml": twoKinds + "  - name: site\n"})
			eventually(t, "the good files are in force", func() bool {
				status, _ := server.call(t, "GET", "/v2/sites", "")
				return status == 200
			})
			eventually(t, "the metrics say that the files are in force", func() bool { // a moment after they are
				return strings.Contains(server.must(t, 200, "GET", "/metrics", ""), "dovetail_schema_current 1")
			})
			server.fsck(t)
		})
	}
}

// With nothing stored there is no schema to start under, and a directory that does not exist is a wrong setting.
func TestStartWithoutGood(t *testing.T) {
	used := start(t, nil)
	if err := used.stop(); err != nil {
		t.Fatal(err)
	}
	bad := newConfigMap(t, map[string]string{"schema.yaml": "resources: ["})
	for name, settings := range map[string]map[string]string{
		"a new database":   {"ref-schemas": bad.dir, "store": "bolt:" + filepath.Join(t.TempDir(), "dovetail.db")},
		"a missing folder": {"ref-schemas": filepath.Join(t.TempDir(), "nosuch"), "store": used.config.Store},
	} {
		settings["listen"] = "127.0.0.1:0"
		config, err := Load(settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Start(t.Context(), config, &apptest.Logs{}); dovetail.CodeOf(err) != dovetail.CodeSchema {
			t.Errorf("%s: %v", name, err)
		}
	}
}
