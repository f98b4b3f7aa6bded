//go:build !race

package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apptest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// TestKilledInMigration kills a migration that is written in batches by SIGKILL at several times: no server serves what is there and
// no command reads it, unless it is what was there before or what is to be there, and the same migration, repeated, finishes it. The race
// detector sees migrations in other tests; here it would see killed processes only.
func TestKilledInMigration(t *testing.T) {
	rounds.Soak(t)
	const documents, want, most = 2000, 3, 30
	path, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
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
	began := time.Now()
	if output, err := exec.Command(path, "schema", "migrate", steps, "--schema", next, "--store", fresh()).CombinedOutput(); err != nil {
		t.Fatal(string(output))
	}
	early, late := time.Duration(0), 2*time.Since(began) // kills so early and so late hit nothing
	within, kills := 0, 0
	for ; within < want && kills < most; kills++ {
		location := fresh()
		migration := exec.Command(path, "schema", "migrate", steps, "--schema", next, "--store", location)
		if err := migration.Start(); err != nil {
			t.Fatal(err)
		}
		after := (early + late) / 2
		time.Sleep(after)
		_ = migration.Process.Kill()
		_ = migration.Wait()
		output, err := exec.Command(path, "export", "--store", location).CombinedOutput()
		things := strings.Count(string(output), `"id":"thing/`)
		switch {
		case err != nil:
			if within++; !strings.Contains(string(output), "dovetail schema migrate") {
				t.Fatalf("an export of half a migration: %s", output)
			}
			if output, err := exec.Command(path, "serve", "--store", location, "--ref-schemas", next, "--listen", "127.0.0.1:0").CombinedOutput(); err == nil || !strings.Contains(string(output), "dovetail schema migrate") {
				t.Fatalf("a server on half a migration: %v %s", err, output)
			}
		case things == 0:
			early = after
		case things == documents:
			late = after
		default:
			t.Fatalf("%d documents are migrated", things)
		}
		if things == 0 {
			command(t, 0, "", "schema", "migrate", steps, "--schema", next, "--store", location)
		}
		if things = strings.Count(command(t, 0, "", "export", "--store", location), `"id":"thing/`); things != documents {
			t.Fatalf("%d documents are there", things)
		}
		command(t, 0, "", "fsck", "--store", location)
	}
	if t.Logf("%d of %d were killed within", within, kills); within == 0 {
		t.Error("none was killed within")
	}
}
