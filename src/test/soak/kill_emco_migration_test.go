//go:build !race

package soak_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// TestKilledInEMCOMigration kills migrations from EMCO by SIGKILL at several times: what the target has holds together, and the same
// migration, repeated, continues with the rest. The race detector sees migrations in other tests; here it would see killed processes only.
func TestKilledInEMCOMigration(t *testing.T) {
	rounds.Soak(t)
	const documents = 6000
	from := apptest.EMCOProjects(t, documents, 2000)
	fresh := func() string { return "bolt:" + filepath.Join(t.TempDir(), "emco.db") }
	arguments := func(location string) []string { return migrateArguments(from, location) }
	killAtSizes(t, fresh, 0, arguments, func(location string) bool {
		projects := func() int {
			if _, err := os.Stat(strings.TrimPrefix(location, "bolt:")); err != nil {
				return 0
			}
			requireWhole(t, location, "--ref-schemas", emcoSchema)
			return strings.Count(command(t, 0, "", "export", "--store", location, "--ref-schemas", emcoSchema), `"id":"project/`)
		}
		first := projects()
		command(t, 0, "", arguments(location)...)
		if n := projects(); n != documents {
			t.Fatalf("%d of %d documents are there after the repetition", n, documents)
		}
		return first > 0 && first < documents
	})
}

// emcoSchema is the ref-schema of EMCO's documents.
const emcoSchema = "../../../ref-schemas/examples/emco"

func migrateArguments(from, location string) []string {
	return []string{"migrate", "emco", from, "--ref-schemas", emcoSchema, "--store", location}
}
