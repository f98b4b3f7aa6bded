package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
)

// configMap imitates the mount of a ConfigMap: files are links through ..data, which is swapped as a
// whole.
type configMap struct {
	dir   string
	swaps int
}

func newConfigMap(t testing.TB, files map[string]string) *configMap {
	t.Helper()
	m := &configMap{dir: t.TempDir()}
	m.swap(t, files)
	for name := range files {
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(m.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *configMap) swap(t testing.TB, files map[string]string) {
	t.Helper()
	m.swaps++
	version := "..version" + strings.Repeat("i", m.swaps)
	if err := os.Mkdir(filepath.Join(m.dir, version), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		writeFile(t, filepath.Join(m.dir, version, name), text)
	}
	next := filepath.Join(m.dir, "..data_tmp")
	if err := os.Symlink(version, next); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(m.dir, "..data")); err != nil {
		t.Fatal(err)
	}
}

const (
	oneKind  = "resources:\n  - name: project\n"
	twoKinds = oneKind + "  - name: app\n    parent: project\n"
)

// TestReloadOfFile replaces a ref-schema that is one file, as an editor does.
func TestReloadOfFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.yaml")
	put := func(text string) {
		t.Helper()
		next := file + ".new"
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, file); err != nil {
			t.Fatal(err)
		}
	}
	put(oneKind)
	server := start(t, map[string]string{"ref-schemas": file})
	server.must(t, 201, "POST", "/v2/projects", named("p"))
	put(twoKinds)
	eventually(t, "the new kind is served", func() bool {
		status, _ := server.call(t, "GET", "/v2/projects/p/apps", "")
		return status == 200
	})
}

func TestReload(t *testing.T) {
	t.Parallel()
	schemas := newConfigMap(t, map[string]string{"schema.yaml": oneKind})
	server := start(t, map[string]string{"ref-schemas": schemas.dir, "log-level": "info"})
	server.must(t, 201, "POST", "/v2/projects", named("p"))
	server.must(t, 404, "POST", "/v2/projects/p/apps", named("a"))

	schemas.swap(t, map[string]string{"schema.yaml": twoKinds})
	eventually(t, "the new kind is served", func() bool {
		status, _ := server.call(t, "GET", "/v2/projects/p/apps", "")
		return status == 200
	})
	server.must(t, 201, "POST", "/v2/projects/p/apps", named("a"))

	ready := func() string { return server.must(t, 200, "GET", "/readyz", "") }
	refusals := []struct{ name, text, says string }{
		{name: "not YAML", text: "resources: [", says: "schema.yaml:1"},
		{name: "unknown parent", text: twoKinds + "  - name: x\n    parent: nosuch\n", says: "unknown parent"},
		{name: "orphans a document", text: oneKind, says: "project/p/app/a"},
	}
	for _, refusal := range refusals {
		schemas.swap(t, map[string]string{"schema.yaml": refusal.text})
		eventually(t, refusal.name+" is refused in /readyz", func() bool { return strings.Contains(ready(), "refused, see the log") })
		server.must(t, 200, "GET", "/v2/projects/p/apps/a", "")
		eventually(t, refusal.name+" is explained in the log", func() bool { return strings.Contains(server.logs.String(), refusal.says) })
		if shown := ready(); strings.Contains(shown, refusal.says) || strings.Contains(shown, schemas.dir) { // it needs no authentication
			t.Errorf("%s: /readyz names documents or files: %s", refusal.name, shown)
		}
		if metrics := server.must(t, 200, "GET", "/metrics", ""); !strings.Contains(metrics, "dovetail_schema_current 0") {
			t.Errorf("%s: the metric says that the schema is current", refusal.name)
		}
	}
	schemas.swap(t, map[string]string{"schema.yaml": twoKinds})
	eventually(t, "the good schema is back", func() bool { return !strings.Contains(ready(), "refused") })
	metrics := server.must(t, 200, "GET", "/metrics", "")
	for _, line := range []string{"dovetail_schema_current 1", `dovetail_schema_reloads_total{result="refused"} 3`} {
		if !strings.Contains(metrics, line) {
			t.Errorf("the metrics lack %q", line)
		}
	}
	server.fsck(t)
}

// TestAwaitQuiet has files change in many ways; they are read when the directory is quiet. A directory that is never quiet does not keep
// a revoked token in force.
func TestAwaitQuiet(t *testing.T) {
	const settle, every = 100 * time.Millisecond, time.Hour
	for _, test := range []struct {
		name   string
		pause  time.Duration // between changes
		events int
		errors int
		most   time.Duration // until the last change is read
		reads  int
	}{
		{"no change", 0, 0, 0, settle, 1},
		{"one change", settle, 1, 0, settle, 2},
		{"changes in a row", settle / 10, 9, 0, settle, 1},
		{"changes without an end", settle / 10, 600, 0, 3 * settle, 20},
		{"a lost event", settle, 0, 1, settle, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				events, errs := make(chan fsnotify.Event), make(chan error)
				reads, failures := 0, 0
				var last time.Time
				go awaitQuiet(ctx, events, settle, every, func(context.Context) { reads++; last = time.Now() }, errs, func(error) { failures++ })
				changed := time.Now()
				for range test.events {
					clocktest.Advance(test.pause)
					events <- fsnotify.Event{}
					changed = time.Now()
				}
				for range test.errors {
					clocktest.Advance(test.pause)
					errs <- errors.New("an overflow")
					changed = time.Now()
				}
				clocktest.Advance(every / 2)
				if reads != test.reads || failures != test.errors || last.Sub(changed) > test.most || last.Before(changed) {
					t.Errorf("%d reads, the last one %s after the last change; %d failures", reads, last.Sub(changed), failures)
				}
			})
		})
	}
}
