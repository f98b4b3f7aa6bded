//go:build !race

package app

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apptest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// TestKilledInEMCOMigration kills migrations from EMCO by SIGKILL at several times: what the target has holds together, and the same
// migration, repeated, goes on with the rest. The race detector sees migrations in other tests; here it would see killed processes only.
func TestKilledInEMCOMigration(t *testing.T) {
	rounds.Soak(t)
	const documents, want, most = 6000, 3, 30
	from := emcoProjects(t, documents, 2000)
	fresh := func() string { return "bolt:" + filepath.Join(t.TempDir(), "emco.db") }
	began := time.Now()
	if output, err := apptest.Command(t, migrateArguments(from, fresh())...).CombinedOutput(); err != nil {
		t.Fatal(string(output))
	}
	early, late := time.Duration(0), 2*time.Since(began) // kills so early and so late hit nothing
	within, kills := 0, 0
	for ; within < want && kills < most; kills++ {
		location := fresh()
		migration := apptest.Command(t, migrateArguments(from, location)...)
		if err := migration.Start(); err != nil {
			t.Fatal(err)
		}
		after := (early + late) / 2
		time.Sleep(after)
		_ = migration.Process.Kill()
		_ = migration.Wait()
		projects := func() int {
			return strings.Count(command(t, 0, "", "export", "--store", location, "--ref-schemas", emcoSchema), `"id":"project/`)
		}
		command(t, 0, "", "fsck", "--store", location, "--ref-schemas", emcoSchema)
		switch there := projects(); there {
		case 0:
			early = after
		case documents:
			late = after
		default:
			within++
		}
		command(t, 0, "", migrateArguments(from, location)...)
		if there := projects(); there != documents {
			t.Fatalf("%d of %d documents are there after the repetition", there, documents)
		}
		command(t, 0, "", "fsck", "--store", location, "--ref-schemas", emcoSchema)
	}
	if t.Logf("%d of %d were killed between two batches", within, kills); within == 0 {
		t.Error("none was killed between two batches")
	}
}
