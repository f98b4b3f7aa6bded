//go:build !race

package soak_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// TestKilledInMigration kills a migration that is written in batches by SIGKILL at several times: no server serves what is there and
// no command reads it, unless it is what was there before or what is to be there, and the same migration, repeated, finishes it. The race
// detector sees migrations in other tests; here it would see killed processes only.
func TestKilledInMigration(t *testing.T) {
	rounds.Soak(t)
	const documents = 2000
	dir := t.TempDir()
	write := func(name, text string) string {
		writeFile(t, filepath.Join(dir, name), text)
		return filepath.Join(dir, name)
	}
	before, next := write("before.yaml", "resources: [{name: item, unique: [spec.serial]}]"), write("next.yaml", "resources: [{name: thing, unique: [spec.serial]}]")
	steps := write("steps.yaml", "steps: [{rename: {element: item, to: thing}}]")
	all := make([]string, documents)
	for n := range all {
		all[n] = fmt.Sprintf(`{"kind":"item","metadata":{"name":"c%05d"},"spec":{"serial":%d,"text":%q}}`, n, n, strings.Repeat("word ", 4000))
	}
	source := filepath.Join(dir, "source")
	command(t, 0, "["+strings.Join(all, ",")+"]", "apply", "-f", "-", "--store", "bolt:"+filepath.Join(source, "a.db"), "--ref-schemas", before)
	fresh := func() string {
		copied := t.TempDir()
		if err := os.CopyFS(copied, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
		return "bolt:" + filepath.Join(copied, "a.db")
	}
	arguments := func(location string) []string {
		return []string{"schema", "migrate", steps, "--schema", next, "--store", location}
	}
	killAtSizes(t, fresh, 0, arguments, func(location string) bool {
		output, err := apptest.Command(t, "export", "--store", location).CombinedOutput()
		things := strings.Count(string(output), `"id":"thing/`)
		within := err != nil
		switch {
		case within:
			if !strings.Contains(string(output), "dovetail schema migrate") {
				t.Fatalf("an export of half a migration: %s", output)
			}
			output, err := apptest.Command(t, "serve", "--store", location, "--ref-schemas", next, "--listen", "127.0.0.1:0").CombinedOutput()
			if err == nil || !strings.Contains(string(output), "dovetail schema migrate") {
				t.Fatalf("a server on half a migration: %v %s", err, output)
			}
		case things != 0 && things != documents:
			t.Fatalf("%d documents are migrated", things)
		}
		if things == 0 {
			command(t, 0, "", arguments(location)...)
		}
		if things = strings.Count(command(t, 0, "", "export", "--store", location), `"id":"thing/`); things != documents {
			t.Fatalf("%d documents are there", things)
		}
		requireWhole(t, location)
		return within
	})
}

// killAtSizes runs a command that writes to a store in a folder of its own, and kills it by SIGKILL when the folder begins to grow, and at
// fractions of what the whole command makes of it. check looks at what is there, and reports whether the command was killed
// within its work. The test fails if none was. A command that is not killed exits with the code.
func killAtSizes(t *testing.T, fresh func() (location string), code int, arguments func(location string) []string, check func(location string) (within bool)) {
	t.Helper()
	const kills, enough = 5, 3
	size := func(location string) int64 { return apptest.Size(filepath.Dir(strings.TrimPrefix(location, "bolt:"))) }
	location := fresh()
	before := size(location)
	command(t, code, "", arguments(location)...)
	grown := size(location) - before
	within := 0
	for n := int64(0); n < kills && within < enough; n++ {
		location := fresh()
		apptest.KillWithin(t, code, func() bool { return size(location) > before+grown*n/kills }, arguments(location)...)
		if check(location) {
			within++
		}
	}
	if t.Logf("%d were killed within", within); within == 0 {
		t.Error("none was killed within")
	}
}
